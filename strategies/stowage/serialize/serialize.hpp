#pragma once

// save() and load(): whole storages, or some entities, to bytes and back. What any storage has written, any other
// reads, because all of them give and take rows by tables (contract/row_table.hpp, contract/component_columns.hpp).
//
//     stowage::ByteBuffer file;
//     stowage::save(scene, file);
//     const auto report = stowage::load(other_scene, file.bytes());      // beside what is in it
//
// A file; docs/serialization.md has every field:
//
//     [header 64]                 magic, version, sizes; checksum of header and directory
//     [directory]                 components [size|version|kind|name] ..., tables [rows|place] [column] ...
//     [list of entities]          place -> index that the entity had when it was saved
//     [places] [column] [column]  of the first table: place of each row if they do not follow each other; components of
//     [places] [column] ...       all rows side by side, or what a codec wrote. Then of the next table
//
// Every section begins at a multiple of 64 bytes and has a checksum. An entity's place, its number in the list, stands
// for it in references. So a file is remapped by one array: place -> entity that load() has made.
//
//     save(storage, sink)     each table of the storage: count its rows                -> where sections begin
//                             each table: place[owner of row] = next place                  if references need places
//                             (beside it the owner's generation: one read tells the place and that a handle is alive)
//                             each column of each table: copy to its section, sum up, replace references by places
//                             write the directory, with the checksums
//     load(storage, file)     check header, directory, gaps, checksums, references  -> LoadError: no change
//                             each set of entities in the same tables: storage.create(entities, columns)
//                             each reference: entities[place]; only if other entities have the component as well,
//                             those with references are looked up
//
// save() takes O(entities + bytes), load() as well. load() invalidates what create() does. ComponentFormat
// (component_format.hpp) says how a component is written and which members refer to entities; format.hpp has the
// errors.
//
// Source: Wicked Engine, "Entity-component system" (2019), writes its arrays as they are and remaps entities through a
// table; the places of a file are that table, made when it is written.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/file_writer.hpp>
#include <stowage/serialize/format.hpp>
#include <stowage/serialize/load_plan.hpp>
#include <stowage/serialize/source.hpp>

namespace stowage {

/// What becomes of references inside components.
enum class References {
  /// They refer to the entities that load() makes. One to an entity that is dead or not saved becomes null.
  remapped,
  /// They stay the handles they are, whatever these name where they are loaded: for a copy that refers to the same
  /// entities as its original.
  kept,
};

struct SaveOptions {
  References references = References::remapped;
};

struct LoadOptions {
  /// Makes others of the ids of the older scheme; 0 leaves them. See seeded_id().
  std::uint32_t seed = 0;
};

/// What load() has done.
template <class EntityType>
struct LoadReport {
  std::vector<EntityType> entities;        ///< that were made, in the order of the file
  std::vector<EntityIndex> saved_indices;  ///< of each when it was saved; null_place: none was needed
  std::vector<SkippedComponent> skipped;   ///< components of the file that are not in the schema
};

namespace serialize {

/// Where a file goes: `sink.room(bytes)` is called once, and gives room for all of it.
template <class Sink>
concept FileSink = requires(Sink& sink, std::size_t bytes) {
  { sink.room(bytes) } -> std::same_as<std::byte*>;
};

/// Makes the references of what has just been created refer to entities: until now they have places.
template <class C, class Storage>
void resolve(Storage& storage, const LoadPlan& plan, std::span<const typename Storage::entity_type> entities) {
  constexpr std::size_t component = stowage::detail::component_id<C, typename Storage::schema_type>;
  static_assert(refers_by<C, typename Storage::entity_type>, "a reference is a handle of the storage that it is in");
  const auto to_entity = [&](auto& handle) {
    if (handle.is_null()) return;
    if constexpr (HasCodec<C>) {  // LoadPlan has checked the others
      if (handle.word() >= entities.size()) {
        STOWAGE_THROW(DanglingReference("a component refers to an entity that is not in the file"));
      }
    }
    handle = entities[static_cast<std::size_t>(handle.word())];
  };
  const auto to_entities = [&](auto&& found) {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(found)>, C>) {
      for_each_reference(found, to_entity);
    } else {  // stands for a component that does not lie in memory as a whole
      C whole = found;
      for_each_reference(whole, to_entity);
      found = whole;
    }
  };
  const auto has_column = [&](const FileContents::Table& table) {
    return std::ranges::find(table.columns, component, &FileContents::Column::component) != table.columns.end();
  };
  std::size_t created = 0;
  for (const FileContents::Table& table : plan.tables()) created += has_column(table) ? table.rows : 0;
  if (storage.template count<C>() == created) {  // there are no others: so nothing has to be looked up
    storage.template each<C>([&](auto&& found) { to_entities(found); });
    return;
  }
  for (const FileContents::Table& table : plan.tables()) {
    if (!has_column(table)) continue;
    for (std::size_t row = 0; row < table.rows; ++row) {
      to_entities(*storage.template find<C>(entities[table.place(row)]));
    }
  }
}

/// Makes all entities of a file and gives their handles, by place. All or none: what was made is destroyed again if the
/// storage has no room for the rest.
template <class Storage>
void create_all(Storage& storage, LoadPlan& plan, std::vector<typename Storage::entity_type>& created) {
  created.resize(plan.contents().entities);  // writes nothing if as many are in it
  std::size_t done = 0;
  parts::OnFailure undo([&] {
    while (done != 0) storage.destroy(created[--done]);
  });
  for (const Batch& batch : plan.grouping().batches()) {
    if (batch.rows == 0) continue;
    ComponentColumns<typename Storage::schema_type> columns(batch.rows);
    plan.for_each_column(batch, [&](std::size_t component, std::byte* column) { columns.set(component, column); });
    if (plan.copier() != nullptr && batch.depth != 0) columns.copy_through(*plan.copier());
    storage.create(std::span(created).subspan(done, batch.rows), columns);
    done += batch.rows;
  }
  if (!plan.grouping().in_order()) created = plan.grouping().by_place(created);
  undo.release();
}

}  // namespace serialize

/// Writes all entities of a storage and their components. Throws std::bad_alloc, and what the sink and codecs throw;
/// the storage is only read. O(entities + bytes); two passes over the rows, one more if entities lie in several tables
/// or refer to each other, and one more if there are codecs. Beside the file it takes 8 bytes per index from the heap
/// in the third case, 4 more per entity if tables have to list their places, and what codecs have written in the
/// fourth.
template <class Storage, serialize::FileSink Sink>
void save(const Storage& storage, Sink& sink, const SaveOptions& options = {}) {
  serialize::SourceOf source{serialize::WholeStorage<Storage>(storage)};
  serialize::FileWriter writer(source, options.references == References::kept);
  writer.write(sink.room(writer.file_bytes()));
}

/// Writes some entities, each of them once. Throws DeadEntity as well.
template <class Storage, serialize::FileSink Sink>
void save(const Storage& storage, std::span<const typename Storage::entity_type> entities, Sink& sink,
          const SaveOptions& options = {}) {
  serialize::SourceOf source{serialize::SelectedEntities<Storage>(storage, entities)};
  serialize::FileWriter writer(source, options.references == References::kept);
  writer.write(sink.room(writer.file_bytes()));
}

/// Adds the entities of a file to those of a storage: new ones, however often the same file is loaded. Invalidates what
/// create() does. A file that is not at a multiple of 64 bytes is copied first.
///
/// Throws a LoadError for a file that is not as save() writes it, what create() throws if there is no room, and what
/// codecs throw. Then the storage is as it was, but for room that it has taken. Only if there was no room, entities
/// have lived in it for a while, and listeners hear of their deaths. O(bytes + entities); see LoadPlan for what is
/// taken from the heap.
///
/// What `report` said before is lost, whether or not this throws; its memory is used again if entities are made in the
/// order of the file.
template <class Storage>
void load(Storage& storage, std::span<const std::byte> file, LoadReport<typename Storage::entity_type>& report,
          const LoadOptions& options = {}) {
  using Components = typename Storage::schema_type::components;
  ByteBuffer copy;
  if (reinterpret_cast<std::uintptr_t>(file.data()) % serialize::section_alignment != 0) {
    copy.append(file.data(), file.size());
    file = copy.bytes();
  }
  constexpr bool copies_first = requires { requires Storage::copies_columns_first; };
  serialize::LoadPlan plan(file, serialize::operations_of(Components{}), options.seed, copies_first);
  report.saved_indices.resize(plan.contents().entities);
  if (!report.saved_indices.empty()) {
    std::memcpy(report.saved_indices.data(), plan.contents().indices,
                report.saved_indices.size() * sizeof(EntityIndex));
  }
  report.skipped = std::move(plan.skipped());
  serialize::create_all(storage, plan, report.entities);
  if (plan.contents().keeps_handles) return;
  parts::OnFailure undo([&] {
    for (const typename Storage::entity_type entity : report.entities) storage.destroy(entity);
  });
  detail::for_each_type(Components{}, [&]<class C>(TypeList<C>) {
    if constexpr (serialize::has_references<C>) serialize::resolve<C>(storage, plan, report.entities);
  });
  undo.release();
}

/// The same with a report of its own.
template <class Storage>
LoadReport<typename Storage::entity_type> load(Storage& storage, std::span<const std::byte> file,
                                               const LoadOptions& options = {}) {
  LoadReport<typename Storage::entity_type> report;
  load(storage, file, report, options);
  return report;
}

/// Another entity with the components of this one, which refer to the same entities. Throws like save() and load().
/// Writes and reads a whole file, which takes far longer than creating an entity: create_copies() makes many at once.
template <class Storage>
[[nodiscard]] typename Storage::entity_type duplicate(Storage& storage, typename Storage::entity_type entity) {
  ByteBuffer file;
  save(std::as_const(storage), std::span(&entity, 1), file, {.references = References::kept});
  return load(storage, file.bytes()).entities.front();
}

}  // namespace stowage
