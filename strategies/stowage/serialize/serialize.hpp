#pragma once

// save() and load(): whole storages, or some entities, to bytes and back. What any storage has written, any other
// reads, because all of them give and take rows by tables (contract/row_table.hpp, contract/component_columns.hpp).
//
//     stowage::ByteBuffer file;
//     stowage::save(scene, file);
//     const auto report = stowage::load(other_scene, file.bytes());      // beside what is in it
//
// How components are written, and which of their members refer to entities, is said by ComponentFormat
// (serialize/component_format.hpp). docs/serialization.md has the format byte by byte.
//
// Who: Wicked Engine's "Entity-component system" (2019) writes its arrays as they are and remaps entities through a
// table; the places of a file are that table, made when it is written.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/serialize/byte_buffer.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/errors.hpp>
#include <stowage/serialize/load_plan.hpp>
#include <stowage/serialize/seeded_ids.hpp>
#include <stowage/serialize/source.hpp>
#include <stowage/serialize/writer.hpp>

namespace stowage {

/// What becomes of references inside components.
enum class References {
  /// They refer to the entities that load() makes. One to an entity that is dead or not saved becomes null.
  remapped,
  /// They stay the handles they are, whoever that is where they are loaded: for a copy that refers to whom its
  /// original does.
  kept,
};

struct SaveOptions {
  References references = References::remapped;
};

struct LoadOptions {
  /// Makes others of the ids of the older scheme; 0 leaves them. See serialize/seeded_ids.hpp.
  std::uint32_t seed = 0;
};

/// What load() has done.
template <class EntityType>
struct LoadReport {
  std::vector<EntityType> entities;        ///< that were made, in the order of the file
  std::vector<EntityIndex> saved_indices;  ///< those that they had when they were saved; null_place where nobody asked
  std::vector<SkippedComponent> skipped;   ///< components of the file that are not in the schema
};

namespace serialize {

/// Where a file goes: `sink.room(bytes)` is called once, and gives room for all of it.
template <class Sink>
concept FileSink = requires(Sink& sink, std::size_t bytes) {
  { sink.room(bytes) } -> std::same_as<std::byte*>;
};

template <class View, FileSink Sink>
void save_view(const View& view, Sink& sink, const SaveOptions& options) {
  FileWriter writer(source_of(view), options.references == References::kept);
  writer.write(sink.room(writer.file_bytes()));
}

/// Makes the references of what has just been created refer to entities: until now they have places.
template <class C, class Storage>
void resolve(Storage& storage, const LoadPlan& plan, std::span<const typename Storage::entity_type> entities) {
  constexpr std::size_t component = stowage::detail::component_id<C, typename Storage::schema_type>;
  const auto to_entity = [&](auto& handle) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(handle)>, typename Storage::entity_type>,
                  "a reference is a handle of the storage that it is in");
    if (!handle.is_null()) handle = entities[static_cast<std::size_t>(handle.word())];
  };
  for (const KnownTable& table : plan.tables()) {
    if (std::ranges::find(table.columns, component, &KnownColumn::component) == table.columns.end()) continue;
    for (std::size_t row = 0; row < table.table->rows; ++row) {
      const auto found = storage.template find<C>(entities[table.table->place(row)]);
      if constexpr (std::is_pointer_v<std::remove_const_t<decltype(found)>>) {
        for_each_reference(*found, to_entity);
      } else {
        C whole = *found;
        for_each_reference(whole, to_entity);
        *found = whole;
      }
    }
  }
}

template <class Storage, class... Cs>
void resolve_all(Storage& storage, const LoadPlan& plan, std::span<const typename Storage::entity_type> entities,
                 TypeList<Cs...>) {
  const auto resolve_one = [&]<class C>(TypeList<C>) {
    if constexpr (has_references<C>) resolve<C>(storage, plan, entities);
  };
  (resolve_one(TypeList<Cs>{}), ...);
}

/// Makes all entities of a file and gives their handles, by place. All or none: what was made is destroyed again where
/// a storage has no room for the rest.
template <class Storage>
void create_all(Storage& storage, LoadPlan& plan, std::vector<typename Storage::entity_type>& created) {
  created.resize(plan.contents().entities);  // writes nothing where as many are in it
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
/// the storage is only read. O(entities + bytes); two passes over the rows, one more where entities lie in several
/// tables or refer to each other, and one more where there are codecs. Beside the file it takes 8 bytes per index from
/// the heap in the third case, and what codecs have written in the fourth.
template <class Storage, serialize::FileSink Sink>
void save(const Storage& storage, Sink& sink, const SaveOptions& options = {}) {
  serialize::save_view(serialize::WholeStorage<Storage>(storage), sink, options);
}

/// Writes some entities, each of them once. Throws DeadEntity as well.
template <class Storage, serialize::FileSink Sink>
void save(const Storage& storage, std::span<const typename Storage::entity_type> entities, Sink& sink,
          const SaveOptions& options = {}) {
  serialize::save_view(serialize::SelectedEntities<Storage>(storage, entities), sink, options);
}

/// Adds the entities of a file to those of a storage: new ones, however often the same file is loaded. Invalidates what
/// create() does. A file that is not at a multiple of 64 bytes is copied first.
///
/// Throws a LoadError for a file that is not as save() writes it, what create() throws where there is no room, and what
/// codecs throw. Then the storage is as it was, but for room that it has taken; only where there was no room, entities
/// have lived in it for a while, of whose deaths listeners hear. O(bytes + entities); see LoadPlan for what is taken
/// from the heap.
///
/// What `report` said before is lost, whether or not this throws; its memory is used again where entities are made in
/// the order of the file.
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
  if (!plan.contents().keeps_handles) serialize::resolve_all(storage, plan, report.entities, Components{});
}

/// The same with a report of its own.
template <class Storage>
LoadReport<typename Storage::entity_type> load(Storage& storage, std::span<const std::byte> file,
                                               const LoadOptions& options = {}) {
  LoadReport<typename Storage::entity_type> report;
  load(storage, file, report, options);
  return report;
}

/// Another entity with the components of this one, which refer to whom they refer. Throws like save() and load().
template <class Storage>
[[nodiscard]] typename Storage::entity_type duplicate(Storage& storage, typename Storage::entity_type entity) {
  ByteBuffer file;
  save(std::as_const(storage), std::span(&entity, 1), file, {.references = References::kept});
  return load(storage, file.bytes()).entities.front();
}

}  // namespace stowage
