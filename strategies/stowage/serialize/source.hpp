#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <stowage/contract/errors.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/place_table.hpp>

// What is saved, without the type of the storage that it is in: so everything else about writing is compiled once.

namespace stowage::serialize {

/// A function that is called for each table.
struct TableVisitor {
  void* context;
  void (*visit)(void* context, const RowTable& table);
};

struct Source {
  std::span<const ComponentOperations> components;  ///< of the schema
  std::size_t entities;
  const void* view;
  void (*each_table)(const void* view, TableVisitor visitor);
  /// Replaces the handle in a field of `rows` rows, `stride` bytes from one to the next, by a place.
  void (*place_fields)(const void* view, PlaceTable& places, std::byte* field, std::size_t rows, std::size_t stride,
                       std::size_t field_bytes);
  std::uint32_t (*place_of)(const void* view, PlaceTable& places, std::uint64_t word);
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

/// `View` is one of the two above.
template <class View>
[[nodiscard]] Source source_of(const View& view) {
  using Entity = typename View::entity_type;
  using Word = typename Entity::word_type;
  static constexpr auto place = [](const View& part, PlaceTable& places, Word word) -> std::uint32_t {
    const Entity entity = Entity::from_word(word);
    return part.contains(entity) ? places.place_of(entity.index()) : null_place;
  };
  Source source{};
  source.components = operations_of(typename View::schema_type::components{});
  source.entities = view.size();
  source.view = &view;
  source.each_table = [](const void* it, TableVisitor visitor) {
    static_cast<const View*>(it)->each_table([&](const RowTable& table) { visitor.visit(visitor.context, table); });
  };
  source.place_fields = [](const void* it, PlaceTable& places, std::byte* field, std::size_t rows, std::size_t stride,
                           std::size_t) {
    for (std::size_t row = 0; row < rows; ++row, field += stride) {
      Word word;
      std::memcpy(&word, field, sizeof word);
      const std::uint32_t at = place(*static_cast<const View*>(it), places, word);
      const Word written = at != null_place ? static_cast<Word>(at) : Entity().word();
      std::memcpy(field, &written, sizeof written);
    }
  };
  source.place_of = [](const void* it, PlaceTable& places, std::uint64_t word) {
    return place(*static_cast<const View*>(it), places, static_cast<Word>(word));
  };
  return source;
}

}  // namespace stowage::serialize
