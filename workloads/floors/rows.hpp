#pragma once

// The rows of hand-written stores: an array for each component, or an array of structs, with their owners beside them.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>

#include <stowage/contract/entity.hpp>

#include "workloads/floors/array.hpp"
#include "workloads/support/keep.hpp"

namespace stowage::workloads {

/// What `find` gives: a pointer, or a tuple of several, null if there is nothing.
template <class... Qs>
using Found =
    std::conditional_t<sizeof...(Qs) == 1, std::tuple_element_t<0, std::tuple<Qs*..., void>>, std::tuple<Qs*...>>;

/// The number of a type in a list.
template <class C, class... Cs>
inline constexpr std::size_t number_in = [] {
  std::size_t number = 0;
  static_cast<void>(((std::is_same_v<C, Cs> || (++number, false)) || ...));
  return number;
}();

/// A pointer that is not null. A caller's test for null folds away behind it.
template <class T>
[[nodiscard]] T* not_null(T* pointer) noexcept {
#if defined(__GNUC__)
  if (pointer == nullptr) __builtin_unreachable();
#endif
  return pointer;
}

/// Calls `visit(components...)`, or `visit(entity(), components...)` if it takes only that.
template <class Visit, class MakeEntity, class... Cs>
void show(Visit& visit, MakeEntity&& entity, Cs&... components) {
  if constexpr (std::is_invocable_v<Visit&, Cs&...>) {
    visit(components...);
  } else {
    visit(entity(), components...);
  }
}

/// True for a function that reads a part of wide components, and says so with `scalar_loop`: g++ 12 collects the parts
/// of several rows by permutations, which takes a third longer than one row after the other.
template <class Visit>
inline constexpr bool is_scalar = requires { requires Visit::scalar_loop; };

/// Goes through an array. With a plain pointer, g++ 12 takes one instruction more for each row.
template <class C>
struct Walker {
  C* place;
  [[nodiscard]] C& operator*() const noexcept { return *place; }
  void operator++() noexcept { ++place; }
};

/// For a loop that shows no owners.
inline constexpr auto no_entity = [](std::size_t) { return Entity(); };

#if defined(__clang__) && __clang_major__ >= 19
/// What clang 19 needs to vectorise loops over structs of three floats: see parts::visit_rows(), which has the same.
template <class Visit, class... Cs>
inline constexpr bool in_blocks =
    alignof(Visit) < alignof(void*) && ((!std::is_const_v<Cs> && !std::has_single_bit(sizeof(Cs))) || ...);
template <class C, class... Others>
void declare_apart(C*& array, Others*&... others) noexcept {
  asm("" : "+r"(array));
  if constexpr (sizeof...(Others) != 0) workloads::declare_apart(others...);
  (__builtin_assume_separate_storage(array, others), ...);
}
#endif

/// The loop over arrays. They are values, so that the compiler sees plain pointers that nothing in the loop can change.
template <class Visit, class EntityOf, class... Cs>
void visit_arrays(std::size_t first, std::size_t end, Visit& visit, EntityOf entity_of, Cs*... arrays) {
  if constexpr (is_scalar<Visit>) {
    const auto walk = [&](auto... at) {
      for (std::size_t left = end - first; left != 0; --left, (++at, ...)) {
        keep_scalar();
        show(visit, [&] { return entity_of(end - left); }, *at...);
      }
    };
    walk(Walker<Cs>{arrays + first}...);
  } else {
    std::size_t row = first;
#if defined(__clang__) && __clang_major__ >= 19
    if constexpr (in_blocks<Visit, Cs...>) {
      workloads::declare_apart(arrays...);
      for (const std::size_t last = row + (first < end ? (end - first) / 8 * 8 : 0); row != last; row += 8)
        for (std::size_t i = 0; i < 8; ++i) show(visit, [&] { return entity_of(row + i); }, arrays[row + i]...);
    }
#endif
    for (; row < end; ++row) show(visit, [&] { return entity_of(row); }, arrays[row]...);
  }
}

/// Rows that have an owner, of which the first `size` are in use.
template <class... Ts>
class OwnedRows : public Columns<std::uint32_t, Ts...> {
 public:
  std::size_t size = 0;

  /// By row: the slot of its owner.
  [[nodiscard]] std::uint32_t* owners() const noexcept { return this->template of<std::uint32_t>(); }
  /// No more than that is needed.
  void make_room(std::size_t rows) {
    if (rows > this->capacity()) this->reallocate(rows, size);
  }
  void make_room_for_one() {
    if (size == this->capacity()) grow();
  }
  /// Rows behind the last. Needs room.
  void add_owners(std::span<const Entity> entities) noexcept {
    std::uint32_t* const added = owners() + size;
    for (std::size_t i = 0; i < entities.size(); ++i) added[i] = entities[i].index();
    size += entities.size();
  }
  void copy_from(const OwnedRows& other) {
    if (other.size > this->capacity()) this->reallocate(other.capacity(), 0);
    this->copy_rows(other, other.size);
    size = other.size;
  }

 private:
  [[gnu::noinline]] void grow() { this->reallocate(grown(size, size + 1), size); }
};

/// An array for each component.
///
///     [ S0 S1 ... | A0 A1 ... | B0 B1 ... ]      row -> slot of the owner, and components; one allocation
template <class... Cs>
class ColumnRows : public OwnedRows<Cs...> {
 public:
  /// The array of a component.
  template <class Q>
  [[nodiscard]] Q* column() const noexcept {
    return this->template of<std::remove_const_t<Q>>();
  }

  template <class... New>
  void put([[maybe_unused]] std::size_t row, const New&... components) noexcept {
    ((column<New>()[row] = components), ...);
  }
  template <class... New>
  void put_all([[maybe_unused]] std::size_t first, std::span<const New>... columns) noexcept {
    [[maybe_unused]] const auto copy = []<class C>(C* to, std::span<const C> from) {
      if (!from.empty()) std::memcpy(static_cast<void*>(to), from.data(), from.size_bytes());
    };
    (copy(column<New>() + first, columns), ...);
  }
  /// The components that both have, and not the owner.
  template <class... Others>
  void put_from([[maybe_unused]] const ColumnRows<Others...>& other, [[maybe_unused]] std::size_t from,
                [[maybe_unused]] std::size_t to) noexcept {
    (copy_one<Cs>(other, from, to), ...);
  }

  /// The same of `count` rows, and their owners.
  template <class... Others>
  void put_run_from(const ColumnRows<Others...>& other, std::size_t from, std::size_t to, std::size_t count) noexcept {
    std::copy_n(other.owners() + from, count, this->owners() + to);
    (copy_run<Cs>(other, from, to, count), ...);
  }

  /// What finds components by their row. It is a value, so that a loop of lookups keeps it in registers.
  template <class... Qs>
  [[nodiscard]] auto finder() const noexcept {
    return [... columns = column<Qs>()](std::size_t row) { return Found<Qs...>{not_null(columns + row)...}; };
  }
  template <class... Qs, class Visit, class EntityOf>
  void visit_all(Visit& visit, EntityOf entity_of) const {
    visit_arrays(0, this->size, visit, entity_of, column<Qs>()...);
  }

 private:
  template <class C, class... Others>
  void copy_one(const ColumnRows<Others...>& other, std::size_t from, std::size_t to) noexcept {
    if constexpr ((std::is_same_v<C, Others> || ...)) column<C>()[to] = other.template column<C>()[from];
  }
  template <class C, class... Others>
  void copy_run(const ColumnRows<Others...>& other, std::size_t from, std::size_t to, std::size_t count) noexcept {
    if constexpr ((std::is_same_v<C, Others> || ...)) {
      std::copy_n(other.template column<C>() + from, count, column<C>() + to);
    }
  }
};

template <class C>
struct Part {
  C value;
};
template <class... Cs>
struct Struct : Part<Cs>... {};

/// An array of structs, and the owners in an array of their own, so that a loop over rows does not fetch them.
///
///     [ S0 S1 ... | A0 B0 C0  A1 B1 C1 ... ]     row -> slot of the owner, and components; one allocation
template <class... Cs>
class StructRows : public OwnedRows<Struct<Cs...>> {
  using Row = Struct<Cs...>;
  /// Stands for a column: the address of its part of row 0. Lookups of several parts would compute the address of the
  /// row first.
  template <class Q>
  struct Column {
    std::byte* first;
    [[nodiscard]] Q& operator[](std::size_t row) const noexcept {
      return *reinterpret_cast<Q*>(first + row * sizeof(Row));
    }
  };

 public:
  template <class Q>
  [[nodiscard]] Column<Q> column() const noexcept {
    static Row row;
    const auto offset = reinterpret_cast<std::uintptr_t>(&part<Q>(row)) - reinterpret_cast<std::uintptr_t>(&row);
    return {reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(rows()) + offset)};  // also of no rows
  }

  template <class... New>
  void put(std::size_t row, const New&... components) noexcept {
    [[maybe_unused]] Row& at = rows()[row];
    ((part<New>(at) = components), ...);
  }
  /// Row by row: column by column each line would be written once for each component.
  template <class... New>
  void put_all(std::size_t first, std::span<const New>... columns) noexcept {
    Row* row = rows() + first;
    const std::size_t count = std::min({columns.size()...});
    for (std::size_t i = 0; i < count; ++i, ++row) ((part<New>(*row) = columns[i]), ...);
  }
  void put_from(const StructRows& other, std::size_t from, std::size_t to) noexcept { rows()[to] = other.rows()[from]; }
  template <class... Others>
  void put_from([[maybe_unused]] const StructRows<Others...>& other, [[maybe_unused]] std::size_t from,
                [[maybe_unused]] std::size_t to) noexcept {
    (copy_one<Cs>(other, from, to), ...);
  }

  template <class... Qs>
  [[nodiscard]] auto finder() const noexcept {
    return [... columns = column<Qs>()](std::size_t row) { return Found<Qs...>{not_null(&columns[row])...}; };
  }
  /// Row by row: g++ 12 gathers structs into vectors at 3 to 4 times the cost.
  template <class... Qs, class Visit, class EntityOf>
  void visit_all(Visit& visit, EntityOf entity_of) const {
    Row* const first = rows();
    Row* const end = first + this->size;
    for (Row* row = first; row != end; ++row) {
      keep_scalar();
      show(visit, [&] { return entity_of(static_cast<std::size_t>(row - first)); }, part<Qs>(*row)...);
    }
  }

 private:
  [[nodiscard]] Row* rows() const noexcept { return this->template of<Row>(); }
  template <class Q>
  [[nodiscard]] static Q& part(Row& row) noexcept {
    return static_cast<Part<std::remove_const_t<Q>>&>(row).value;
  }
  template <class C, class... Others>
  void copy_one(const StructRows<Others...>& other, std::size_t from, std::size_t to) noexcept {
    if constexpr ((std::is_same_v<C, Others> || ...)) column<C>()[to] = other.template column<C>()[from];
  }
};

}  // namespace stowage::workloads
