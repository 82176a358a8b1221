#pragma once

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

#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/component_format.hpp>

// What is saved, without the type of the storage that it is in: so everything else about writing is compiled once.

namespace stowage::serialize {

/// Which place in the file an entity has, by its index, and the other way round.
class PlaceTable {
 public:
  /// No entity has a place any more; there are `entities` of them.
  void reset(std::size_t entities) {
    place_of_index_.clear();
    index_of_place_.assign(entities, unnamed);
    placed_ = 0;
  }

  /// Gives the owners of a table the places from `first` on; false if one of them has a place already.
  [[nodiscard]] bool place_all(const RowTable& table, std::uint32_t first) {
    if (table.owners.empty()) {
      return place_each(table.rows, first, [&](std::size_t row) { return table.first_owner + row; });
    }
    return place_each(table.rows, first, [owners = table.owners.data()](std::size_t row) { return owners[row]; });
  }

  /// The place of an entity that is part of what is saved; one that has none gets the next. An entity without
  /// components is in no table: it needs a place only when a component refers to it.
  std::uint32_t place_of(EntityIndex owner) {
    std::uint32_t& place = slot(owner);
    if (place == null_place) {
      place = placed_++;
      index_of_place_[place] = owner;
    }
    return place;
  }

  [[nodiscard]] const std::vector<std::uint32_t>& indices() const noexcept { return index_of_place_; }

  /// The places of all that have one; a value, so that a loop keeps it in registers.
  class View {
   public:
    explicit View(const std::vector<std::uint32_t>& places) noexcept : places_(places.data()), size_(places.size()) {}
    /// null_place if it has none yet.
    [[nodiscard]] std::uint32_t operator[](EntityIndex owner) const noexcept {
      return owner < size_ ? places_[owner] : null_place;
    }

   private:
    const std::uint32_t* places_;
    std::size_t size_;
  };
  [[nodiscard]] View view() const noexcept { return View(place_of_index_); }

 private:
  template <class OwnerOf>
  [[nodiscard]] bool place_each(std::size_t rows, std::uint32_t first, OwnerOf owner_of) {
    EntityIndex highest = 0;
    for (std::size_t row = 0; row < rows; ++row) highest = std::max(highest, static_cast<EntityIndex>(owner_of(row)));
    static_cast<void>(slot(highest));
    std::uint32_t* const places = place_of_index_.data();
    std::uint32_t* const indices = index_of_place_.data() + first;
    bool each_is_new = true;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto owner = static_cast<EntityIndex>(owner_of(row));
      each_is_new &= places[owner] == null_place;
      places[owner] = first + static_cast<std::uint32_t>(row);
      indices[row] = owner;
    }
    placed_ += static_cast<std::uint32_t>(rows);
    return each_is_new;
  }

  [[nodiscard]] std::uint32_t& slot(EntityIndex index) {
    if (index >= place_of_index_.size()) [[unlikely]] {
      place_of_index_.resize(index + std::size_t{1} + index / 2, null_place);
    }
    return place_of_index_[index];
  }

  std::vector<std::uint32_t> place_of_index_;
  std::vector<std::uint32_t> index_of_place_;
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

/// What a FileWriter needs to know of the storage that is saved.
class Source : public Places {
 public:
  Source(std::span<const ComponentOperations> components, std::size_t entities) noexcept
      : components_(components), entities_(entities) {}

  /// Those of the schema.
  [[nodiscard]] std::span<const ComponentOperations> components() const noexcept { return components_; }
  [[nodiscard]] std::size_t entities() const noexcept { return entities_; }
  [[nodiscard]] PlaceTable& places() noexcept { return places_; }

  template <class Fn>
  void each_table(Fn fn) const {
    visit_tables(TableVisitor(fn));
  }
  /// Replaces the handle in a field of `rows` rows, `stride` bytes from one to the next, by a place.
  virtual void place_fields(std::byte* field, std::size_t rows, std::size_t stride) = 0;

 protected:
  ~Source() = default;
  virtual void visit_tables(TableVisitor visit) const = 0;

  PlaceTable places_;

 private:
  std::span<const ComponentOperations> components_;
  std::size_t entities_;
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
    (add<Cs>(entity, std::get<Copy<Cs>>(copies), columns), ...);
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
      std::memcpy(copy.bytes.data(), &whole, sizeof whole);
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
      : Source(operations_of(typename View::schema_type::components{}), view.size()), view_(std::move(view)) {}

  std::uint32_t place_of(std::uint64_t word) override {
    const Entity entity = Entity::from_word(static_cast<Word>(word));
    return view_.contains(entity) ? places_.place_of(entity.index()) : null_place;
  }
  void place_fields(std::byte* field, std::size_t rows, std::size_t stride) override {
    PlaceTable::View places = places_.view();
    for (std::size_t row = 0; row < rows; ++row, field += stride) {
      Word word;
      std::memcpy(&word, field, sizeof word);
      const Entity entity = Entity::from_word(word);
      std::uint32_t place = view_.contains(entity) ? places[entity.index()] : null_place;
      if (place == null_place) [[unlikely]] {
        place = place_of(word);  // of one that is in no table, or not alive
        places = places_.view();
      }
      const Word written = place != null_place ? static_cast<Word>(place) : Entity().word();
      std::memcpy(field, &written, sizeof written);
    }
  }

 private:
  void visit_tables(TableVisitor visit) const override { view_.each_table(visit); }

  View view_;
};

}  // namespace stowage::serialize
