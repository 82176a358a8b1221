#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/schema.hpp>

namespace stowage {

/// Copies columns and reads every byte on the way, so that a loader computes checksums while it copies.
class ColumnCopier {
 public:
  /// The next bytes of a column, in the order of its rows.
  virtual void copy(std::size_t component, const void* from, std::size_t bytes, void* to) noexcept = 0;
  /// Called before anything else has changed. Throws where the columns are not what they should be.
  virtual void check_copies() = 0;

 protected:
  ~ColumnCopier() = default;
};

/// The components of `rows()` new entities: a column for each component that they have. Which they have is known at run
/// time only. A loader hands it to `create(out, columns)`. Refers to the columns, and does not own them.
template <class SchemaType>
class ComponentColumns {
  template <class C>
  static constexpr std::size_t id = detail::component_id<C, SchemaType>;

 public:
  explicit ComponentColumns(std::size_t rows) noexcept : rows_(rows) {}

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

  /// They have C: its components will be moved out of the column.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  void add(std::span<C> column) noexcept {
    STOWAGE_ASSERT(column.size() == rows_, "every column has one component per new entity");
    set(id<C>, column.data());
  }
  /// The same for what is copied as bytes.
  template <class C>
    requires(ComponentsOf<SchemaType, C> && std::is_trivially_copyable_v<C>)
  void add(std::span<const C> column) noexcept {
    STOWAGE_ASSERT(column.size() == rows_, "every column has one component per new entity");
    set(id<C>, const_cast<C*>(column.data()));  // never written to: see take()
  }
  /// They have a tag, which needs no column.
  template <class C>
    requires(ComponentsOf<SchemaType, C> && is_tag<C>)
  void add() noexcept {
    set(id<C>, nullptr);
  }

  /// The same for the component at this position of the schema; `column` is aligned for it, and null for a tag.
  void set(std::size_t component, void* column) noexcept { columns_[component] = {column, true}; }

  /// They do not have it after all.
  template <class C>
  void leave_out() noexcept {
    columns_[id<C>] = {};
  }

  /// For a storage that copies_columns_first: what is copied as bytes may have to go through a copier.
  void copy_through(ColumnCopier& copier) noexcept { copier_ = &copier; }

  template <class C>
  [[nodiscard]] bool has() const noexcept {
    return columns_[id<C>].present;
  }

  /// Calls `visit(TypeList<C>{})` for every component that they have.
  template <class Visit>
  void for_each_given(Visit&& visit) const {
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C> component) {
      if (has<C>()) visit(component);
    });
  }

  /// True if C is copied as bytes. Other components are moved, and tags have no bytes.
  template <class C>
  static constexpr bool is_copied = std::is_trivially_copyable_v<C> && !is_tag<C>;

  /// Copies the components of `count` rows from `first` on. Runs must be copied in the order of their rows.
  template <class C>
    requires is_copied<C>
  void copy(std::size_t first, std::size_t count, C* to) const noexcept {
    const C* const from = column<C>().data() + first;
    if (copier_ != nullptr) {
      copier_->copy(id<C>, from, count * sizeof(C), to);
    } else {
      std::memcpy(static_cast<void*>(to), from, count * sizeof(C));
    }
  }
  /// The whole column, for a storage whose components do not lie side by side.
  template <class C>
    requires is_copied<C>
  [[nodiscard]] std::span<const C> column() const noexcept {
    return {static_cast<const C*>(columns_[id<C>].components), rows_};
  }
  /// To be called when all that is_copied has been copied to unused rows, and before anything else. Throws what
  /// the copier does.
  void check_copies() const {
    if (copier_ != nullptr) copier_->check_copies();
  }

  /// Gives the components of `count` rows from `first` on to `copy`, as a std::span<const C>, where they are copied as
  /// bytes, and otherwise one by one to `move(i, C&&)`; i counts from 0. A tag is given to neither. If both are generic
  /// lambdas, neither is compiled for what is given to the other.
  template <class C, class Copy, class Move>
  void take(std::size_t first, std::size_t count, [[maybe_unused]] Copy&& copy, [[maybe_unused]] Move&& move) const {
    [[maybe_unused]] C* const components = static_cast<C*>(columns_[id<C>].components) + (is_tag<C> ? 0 : first);
    if constexpr (is_tag<C>) {
      return;
    } else if constexpr (std::is_trivially_copyable_v<C>) {
      copy(std::span<const C>(components, count));
    } else {
      for (std::size_t i = 0; i < count; ++i) move(i, std::move(components[i]));
    }
  }

 private:
  struct Column {
    void* components = nullptr;
    bool present = false;
  };

  std::size_t rows_;
  std::array<Column, SchemaType::component_count> columns_{};
  ColumnCopier* copier_ = nullptr;
};

}  // namespace stowage
