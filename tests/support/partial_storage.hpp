#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/semantics.hpp>
#include <stowage/parts/loop.hpp>

namespace stowage::testing {

/// A storage that has the least that can be measured, and says what it lacks: a tree of entities, with all components
/// of one in its node.
template <class SchemaType>
class PartialStorage {
 public:
  using schema_type = SchemaType;
  using entity_type = Entity;
  template <class C>
  using pointer = C*;
  template <class C>
  using reference = C&;

  static constexpr SemanticsCard semantics{
      .change_components_while_iterating = not_promised("components neither come nor go"),
      .parallel_rows = not_promised("the steps of its loop have no numbers"),
  };
  static constexpr std::array lacking{
      Lack{Capability::bulk_creation, "entities come one by one"},
      Lack{Capability::structural_change, "an entity keeps the components it was created with"},
      Lack{Capability::const_iteration, "it is not needed yet"},
      Lack{Capability::block_iteration, "no two rows lie side by side"},
      Lack{Capability::filters, "its loops ask for components alone"},
      Lack{Capability::table_exchange, "nothing is saved"},
      Lack{Capability::reservation, "nodes are made one by one"},
      Lack{Capability::memory_accounting, "what a node takes is the library's secret"},
      Lack{Capability::strong_guarantee, "it is not tested"},
  };

  entity_type create() { return create_node().first; }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  entity_type create(Cs&&... components) {
    auto [entity, row] = create_node();
    (std::get<std::optional<std::remove_cvref_t<Cs>>>(*row).emplace(std::forward<Cs>(components)), ...);
    return entity;
  }
  bool destroy(entity_type entity) { return rows_.erase(entity) != 0; }
  [[nodiscard]] bool alive(entity_type entity) const { return rows_.contains(entity); }

  template <class... Cs>
  [[nodiscard]] auto find(entity_type entity) {
    const auto row = rows_.find(entity);
    return found<Cs...>(row == rows_.end() ? nullptr : &row->second);
  }
  template <class... Cs>
  [[nodiscard]] auto find(entity_type entity) const {
    const auto row = rows_.find(entity);
    return found<const Cs...>(row == rows_.end() ? nullptr : &row->second);
  }
  template <class C>
  [[nodiscard]] bool contains(entity_type entity) const {
    return find<C>(entity) != nullptr;
  }

  /// By key from one to the next, so that `fn` may create and destroy as it likes; to the last key there is at first.
  template <class... Qs, class Fn>
    requires ComponentsOf<SchemaType, Qs...>
  void each(Fn&& fn) {
    if (rows_.empty()) return;
    const entity_type last = rows_.rbegin()->first;
    for (auto row = rows_.begin(); row != rows_.end() && !rows_.key_comp()(last, row->first);) {
      const entity_type entity = row->first;
      if ((component<Qs>(&row->second) && ...)) {
        parts::call(fn, [&] { return entity; }, *component<Qs>(&row->second)...);
      }
      row = rows_.upper_bound(entity);
    }
  }

  template <class C>
  [[nodiscard]] std::size_t count() const {
    std::size_t holders = 0;
    for (const auto& row : rows_) holders += component<const C>(&row.second) != nullptr ? 1 : 0;
    return holders;
  }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  void clear() { rows_.clear(); }

 private:
  template <class List>
  struct RowOf;
  template <class... Cs>
  struct RowOf<TypeList<Cs...>> {
    using type = std::tuple<std::optional<Cs>...>;
  };
  using Row = typename RowOf<typename SchemaType::components>::type;

  /// No index is ever given out twice, so a stale handle stays stale.
  std::pair<entity_type, Row*> create_node() {
    const entity_type entity(next_index_++, 0);
    return {entity, &rows_.try_emplace(entity).first->second};
  }
  template <class Q, class RowType>
  [[nodiscard]] static Q* component(RowType* row) {
    if (row == nullptr) return nullptr;
    auto& place = std::get<std::optional<std::remove_const_t<Q>>>(*row);
    return place.has_value() ? std::addressof(*place) : nullptr;
  }
  template <class... Qs, class RowType>
  [[nodiscard]] static auto found(RowType* row) {
    if constexpr (sizeof...(Qs) == 1) {
      return (component<Qs>(row), ...);
    } else {
      return std::tuple<Qs*...>{component<Qs>(row)...};
    }
  }

  std::map<entity_type, Row> rows_;
  EntityIndex next_index_ = 0;
};

static_assert(assert_partial_storage<PartialStorage<ProbeSchema>>());

}  // namespace stowage::testing
