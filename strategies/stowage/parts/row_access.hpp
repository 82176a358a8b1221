#pragma once

#include <cstddef>
#include <optional>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/placement.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// "C is in the schema and in no group": its rows are one array, whose order a program may rely on and change. Those of
/// a grouped component are in two pools, and an entity's row changes from one to the other with its other components.
template <class SchemaType, class C>
concept OrderedComponent = ComponentsOf<SchemaType, C> && !Placement<SchemaType>::template is_grouped<C>;

/// The rows of a component as a packed, ordered array: what a system needs that keeps parents before children, or
/// things to draw from back to front. Rows are numbered from 0 to row_count<C>() - 1, the order in which `each` visits.
///
/// A row number, like a pointer, is good until the next structural change of this component. Source: Wicked Engine's
/// ComponentManager (GetCount, GetEntity, operator[], GetIndex, Remove_KeepSorted, MoveItem).
template <class Self, class SchemaType, class EntityType, class Layout, class Places>
class RowAccess {
  template <class C>
  static constexpr std::size_t pool_of = Places::template single_pool<C>;

  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 public:
  template <class C>
    requires OrderedComponent<SchemaType, C>
  [[nodiscard]] std::size_t row_count() const noexcept {
    return self().template pool<pool_of<C>>().size();
  }

  /// Whose component is in this row. O(1).
  template <class C>
    requires OrderedComponent<SchemaType, C>
  [[nodiscard]] EntityType entity_of_row(std::size_t row) const noexcept {
    assert_row<C>(row);
    return self().registry().entity_at(self().template pool<pool_of<C>>().owner(row));
  }

  /// The component in this row. O(1), no look-up.
  template <class C>
    requires OrderedComponent<SchemaType, C>
  [[nodiscard]] typename Layout::template reference<C> component_of_row(std::size_t row) noexcept {
    assert_row<C>(row);
    return *self().template pool<pool_of<C>>().layout().template at<C>(row);
  }
  template <class C>
    requires OrderedComponent<SchemaType, C>
  [[nodiscard]] typename Layout::template reference<const C> component_of_row(std::size_t row) const noexcept {
    assert_row<C>(row);
    return *self().template pool<pool_of<C>>().layout().template at<const C>(row);
  }

  /// The row of this entity's component, if it has one and lives. One look-up.
  template <class C>
    requires OrderedComponent<SchemaType, C>
  [[nodiscard]] std::optional<std::size_t> row_of(EntityType entity) const noexcept {
    const RowNumber row = self().index().template find<pool_of<C>>(entity);
    return row != no_row ? std::optional<std::size_t>(row) : std::nullopt;
  }

  /// remove<C>() that keeps the order: every row behind moves down by one. O(rows behind), a map entry each. False, and
  /// nothing changes, when the entity has no C or is not alive. Never throws.
  template <class C>
    requires OrderedComponent<SchemaType, C>
  bool remove_ordered(EntityType entity) {
    self().guard().assert_no_loop();
    const RowNumber row = self().index().template find<pool_of<C>>(entity);
    if (row == no_row) return false;
    self().index().template erase<pool_of<C>>(entity);
    self().template pool<pool_of<C>>().erase_ordered(row, follow<C>());
    return true;
  }

  /// Moves the component in row `from` to row `to`; those in between move by one towards `from`. O(rows in between), a
  /// map entry each. Never throws.
  template <class C>
    requires OrderedComponent<SchemaType, C>
  void move_item(std::size_t from, std::size_t to) {
    self().guard().assert_no_loop();
    assert_row<C>(from);
    assert_row<C>(to);
    self().template pool<pool_of<C>>().move_row(from, to, follow<C>());
  }

 private:
  template <class C>
  void assert_row([[maybe_unused]] std::size_t row) const {
    STOWAGE_ASSERT(row < row_count<C>(), "rows are numbered from 0 to row_count() - 1");
  }

  /// Tells the index where a row has gone.
  template <class C>
  [[nodiscard]] auto follow() noexcept {
    return [this](EntityIndex owner, std::size_t row) {
      self().index().template assign<pool_of<C>>(owner, static_cast<RowNumber>(row));
    };
  }
};

}  // namespace stowage::parts
