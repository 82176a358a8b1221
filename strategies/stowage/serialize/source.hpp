#pragma once

// What a FileWriter asks of the storage that is saved, without its type, so that all other writing is compiled once.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/format.hpp>

namespace stowage::serialize {

/// Which place in the file each entity has:
///
///     entries_  [place generation][none generation][place generation] ...     by index
///
/// One entry tells whether a handle is alive and where its entity is.
class PlaceTable {
 public:
  struct Entry {
    std::uint32_t place;
    std::uint32_t generation;
  };

  /// Takes all places away, and reserves room for the `late` ones that place_of_index() is going to give.
  void reset(std::size_t late) {
    entries_.clear();
    late_.clear();
    late_.reserve(late);
    placed_ = 0;
  }

  /// Adds entries for the owners of a table.
  void cover_owners(const RowTable& table) {
    if (table.owners.empty()) return cover(table.first_owner + static_cast<EntityIndex>(table.rows - 1));
    EntityIndex highest = 0;
    for (const EntityIndex owner : table.owners) highest = (std::max)(highest, owner);
    cover(highest);
  }

  /// Gives the owners of a table the places from `first` on; false if one of them has a place already.
  [[nodiscard]] bool place_all(const RowTable& table, std::uint32_t first) {
    cover_owners(table);
    if (table.owners.empty()) {
      return place_each(table.rows, first, [owner = table.first_owner](std::size_t row) { return owner + row; });
    }
    return place_each(table.rows, first, [owners = table.owners.data()](std::size_t row) { return owners[row]; });
  }

  /// The place of an entity that is part of what is saved; one that has none gets the next. An entity without
  /// components is in no table: it needs a place only when a component refers to it. null_place if every entity could
  /// have one by now: then this is none, but a forged handle.
  std::uint32_t place_of_index(EntityIndex index) {
    cover(index);
    std::uint32_t& place = entries_[index].place;
    if (place == null_place && placed_ < entities_) {
      place = placed_++;
      late_.append(index);
    }
    return place;
  }

  /// The entities that place_of_index() gave a place, in the order of these.
  [[nodiscard]] std::span<const EntityIndex> late() const noexcept { return {late_.data(), late_.size()}; }

  /// The places of all that have one; a value, so that a loop keeps it in registers.
  class Reader {
   public:
    explicit Reader(std::span<const Entry> entries) noexcept : entries_(entries.data()), size_(entries.size()) {}
    /// Of a handle with its generation in the upper half of a word; null_place or more if it has none yet, or is not
    /// alive.
    [[nodiscard]] std::uint64_t operator()(EntityIndex index, std::uint64_t upper_half) const noexcept {
      if (index >= size_) return null_place;
      std::uint64_t entry;
      std::memcpy(&entry, entries_ + index, sizeof entry);
      return entry ^ upper_half;
    }

   private:
    const Entry* entries_;
    std::size_t size_;
  };
  [[nodiscard]] Reader reader() const noexcept { return Reader({entries_.data(), entries_.size()}); }

  /// That are saved.
  [[nodiscard]] std::size_t entities() const noexcept { return entities_; }

 protected:
  explicit PlaceTable(std::size_t entities) noexcept : entities_(entities) {}
  ~PlaceTable() = default;
  /// Writes the entries from index `first` on, without places.
  virtual void begin(std::span<Entry> entries, EntityIndex first) const = 0;

 private:
  template <class OwnerOf>
  [[nodiscard]] bool place_each(std::size_t rows, std::uint32_t first, OwnerOf owner_of) {
    Entry* const entries = entries_.data();
    std::uint32_t before = null_place;  // all of whose bits are set: so it stays that if each is null_place
#pragma GCC unroll 4
    for (std::size_t row = 0; row < rows; ++row) {
      std::uint32_t& place = entries[owner_of(row)].place;
      before &= place;
      place = first + static_cast<std::uint32_t>(row);
    }
    placed_ += static_cast<std::uint32_t>(rows);
    return before == null_place;
  }

  /// Adds entries up to the index of a living entity.
  void cover(EntityIndex index) {
    const std::size_t known = entries_.size();
    if (index < known) return;
    entries_.extend_unwritten(index + std::size_t{1});
    begin({entries_.data(), entries_.size()}, static_cast<EntityIndex>(known));
  }

  std::size_t entities_;
  parts::GrowingArray<Entry> entries_;
  parts::GrowingArray<EntityIndex> late_;
  std::uint32_t placed_ = 0;
};

/// A function that is called for each table.
class TableVisitor {
 public:
  template <class Fn>
  explicit TableVisitor(Fn& fn) noexcept
      : fn_(std::addressof(fn)),
        call_([](void* erased, const RowTable& table) { (*static_cast<Fn*>(erased))(table); }) {}
  void operator()(const RowTable& table) const { call_(fn_, table); }

 private:
  void* fn_;
  void (*call_)(void*, const RowTable&);
};

class Source : public Places, public PlaceTable {
 public:
  Source(std::span<const ComponentOperations> components, std::size_t entities) noexcept
      : PlaceTable(entities), components_(components) {}

  /// Those of the schema.
  [[nodiscard]] std::span<const ComponentOperations> components() const noexcept { return components_; }

  template <class Fn>
  void each_table(Fn fn) const {
    visit_tables(TableVisitor(fn));
  }
  /// Writes for each of `rows` handles, `from_stride` bytes from one to the next, the place of its entity to `to`,
  /// `to_stride` bytes from one to the next. Both may be the same bytes.
  virtual void place_fields(const std::byte* from, std::size_t from_stride, std::byte* to, std::size_t to_stride,
                            std::size_t rows) = 0;

 protected:
  ~Source() = default;
  virtual void visit_tables(TableVisitor visit) const = 0;

 private:
  std::span<const ComponentOperations> components_;
};

/// All entities of a storage.
template <class Storage>
class WholeStorage {
 public:
  using entity_type = typename Storage::entity_type;
  using schema_type = typename Storage::schema_type;

  explicit WholeStorage(const Storage& storage) noexcept : storage_(storage) {}
  [[nodiscard]] std::size_t size() const noexcept { return storage_.size(); }
  [[nodiscard]] bool contains(entity_type entity) const noexcept { return storage_.alive(entity); }
  [[nodiscard]] entity_type entity_at(EntityIndex index) const noexcept { return storage_.entity_at(index); }
  template <class Fn>
  void each_table(Fn&& fn) const {
    storage_.each_table(fn);
  }

 private:
  const Storage& storage_;
};

/// Some entities of a storage, each of them once.
template <class Storage>
class SelectedEntities {
 public:
  using entity_type = typename Storage::entity_type;
  using schema_type = typename Storage::schema_type;

  /// Throws DeadEntity, std::bad_alloc.
  SelectedEntities(const Storage& storage, std::span<const entity_type> entities)
      : storage_(storage), entities_(entities.begin(), entities.end()) {
    for (const entity_type entity : entities_) {
      if (!storage.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
    }
    std::ranges::sort(entities_);
    entities_.erase(std::unique(entities_.begin(), entities_.end()), entities_.end());
  }
  [[nodiscard]] std::size_t size() const noexcept { return entities_.size(); }
  [[nodiscard]] bool contains(entity_type entity) const noexcept {
    return std::ranges::binary_search(entities_, entity);
  }
  [[nodiscard]] entity_type entity_at(EntityIndex index) const noexcept { return storage_.entity_at(index); }
  template <class Fn>
  void each_table(Fn&& fn) const {
    for (const entity_type entity : entities_) visit(entity, fn, typename schema_type::components{});
  }

 private:
  template <class C>
  struct Copy {
    alignas(C) std::array<std::byte, sizeof(C)> bytes;
  };

  template <class Fn, class... Cs>
  void visit(entity_type entity, Fn& fn, TypeList<Cs...>) const {
    std::tuple<Copy<Cs>...> copies;
    TableColumns<sizeof...(Cs)> columns;
    stowage::detail::for_each_type(TypeList<Cs...>{},
                                   [&]<class C>(TypeList<C>) { add<C>(entity, std::get<Copy<C>>(copies), columns); });
    if (!columns.all().empty()) fn(RowTable{{}, entity.index(), 1, columns.all()});
  }
  /// What stands for a component that does not lie in memory as a whole is copied.
  template <class C, class Columns>
  void add(entity_type entity, Copy<C>& copy, Columns& columns) const {
    const auto found = storage_.template find<C>(entity);
    if (found == nullptr) return;
    constexpr std::size_t component = stowage::detail::component_id<C, schema_type>;
    if constexpr (std::is_pointer_v<decltype(found)>) {
      columns.add(component, std::span<const C>(found, 1));
    } else {
      const C whole = *found;
      std::memcpy(copy.bytes.data(), std::addressof(whole), sizeof whole);
      columns.add(component, std::span<const C>(reinterpret_cast<const C*>(copy.bytes.data()), 1));
    }
  }

  const Storage& storage_;
  std::vector<entity_type> entities_;
};

/// A source from one of the two above.
template <class View>
class SourceOf final : public Source {
  using Entity = typename View::entity_type;
  using Word = typename Entity::word_type;

 public:
  explicit SourceOf(View view)
      : Source(operations_of(typename View::schema_type::components{}), view.size()), view_(std::move(view)) {
    stowage::detail::for_each_component<typename View::schema_type>([]<class C>(TypeList<C>) {
      static_assert(refers_by<C, Entity>, "a reference is a handle of the storage that it is in");
    });
  }

  std::uint32_t place_of(std::uint64_t word) override {
    const Entity entity = Entity::from_word(static_cast<Word>(word));
    return view_.contains(entity) ? place_of_index(entity.index()) : null_place;
  }
  STOWAGE_NOINLINE void place_fields(const std::byte* from, std::size_t from_stride, std::byte* to,
                                     std::size_t to_stride, std::size_t rows) override {
    Reader places = reader();
    for (const std::byte* const end = to + rows * to_stride; to != end; from += from_stride, to += to_stride) {
      Word word;
      std::memcpy(&word, from, sizeof word);
      const Entity entity = Entity::from_word(word);
      const std::uint64_t place = places(entity.index(), std::uint64_t{entity.generation()} << 32);
      if (place < null_place) [[likely]] {
        word = static_cast<Word>(place);
      } else {
        word = place_late(word);
        places = reader();
      }
      std::memcpy(to, &word, sizeof word);
    }
  }

 private:
  void begin(std::span<Entry> entries, EntityIndex first) const override {
    const auto end = static_cast<EntityIndex>(entries.size());  // as wide as an index, so that the loop is vectorised
    for (EntityIndex index = first; index < end; ++index) {
      entries[index] = {null_place, view_.entity_at(index).generation()};
    }
  }
  /// The place of an entity that is in no table, or is not alive.
  STOWAGE_COLD Word place_late(Word word) {
    const std::uint32_t place = place_of(word);
    return place != null_place ? static_cast<Word>(place) : Entity().word();
  }
  void visit_tables(TableVisitor visit) const override { view_.each_table(visit); }

  View view_;
};

}  // namespace stowage::serialize
