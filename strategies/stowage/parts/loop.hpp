#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace stowage::parts {

// ---- calling: a function takes the components, or the handle and the components

/// If a function accepts the first form, the second is not tried: the body of a generic lambda may not compile for
/// it.
template <class Fn, class Handle, class... References>
inline constexpr bool takes =
    std::disjunction_v<std::is_invocable<Fn&, References...>, std::is_invocable<Fn&, Handle, References...>>;

/// Calls `fn(references...)`, or `fn(entity(), references...)` where it wants to know whom it is called for. The
/// handle is made only in the second case.
template <class Fn, class MakeEntity, class... References>
constexpr void call_plainly(Fn& fn, MakeEntity&& entity, References&&... references) {
  if constexpr (std::is_invocable_v<Fn&, References...>) {
    fn(std::forward<References>(references)...);
  } else {
    fn(std::forward<MakeEntity>(entity)(), std::forward<References>(references)...);
  }
}

/// True for what stands for a component that does not lie in memory as a whole (see layout/spread.hpp). lend() gives it
/// into somebody's hands: an object whose component() is a `C&`.
template <class Reference>
inline constexpr bool can_lend = requires(const Reference& reference) { reference.lend(); };
template <class Loan>
inline constexpr bool is_loan = requires(Loan& loan) { loan.component(); };

template <class Reference>
[[nodiscard]] constexpr decltype(auto) lent(Reference&& reference) noexcept {
  if constexpr (can_lend<std::remove_cvref_t<Reference>>) {
    return reference.lend();
  } else {
    return std::forward<Reference>(reference);
  }
}
template <class Loan>
[[nodiscard]] constexpr decltype(auto) in_hands(Loan&& loan) noexcept {
  if constexpr (is_loan<std::remove_reference_t<Loan>>) {
    return loan.component();
  } else {
    return std::forward<Loan>(loan);
  }
}

/// What a function is shown of a component: a reference to it, wherever it is.
template <class Reference>
using Shown = decltype(in_hands(lent(std::declval<Reference>())));

/// Calls with loans, or references where none is needed, that end when the function has returned.
template <class Fn, class MakeEntity, class... Loans>
constexpr void call_with_loans(Fn& fn, MakeEntity&& entity, Loans&&... loans) {
  call_plainly(fn, std::forward<MakeEntity>(entity), in_hands(std::forward<Loans>(loans))...);
}

/// Calls `fn`, which may take every component as a reference, as for any other storage, or as what stands for it.
template <class Fn, class MakeEntity, class... References>
constexpr void call(Fn& fn, MakeEntity&& entity, References&&... references) {
  if constexpr ((can_lend<std::remove_cvref_t<References>> || ...)) {
    if constexpr (takes<Fn, std::invoke_result_t<MakeEntity>, Shown<References>...>) {
      call_with_loans(fn, std::forward<MakeEntity>(entity), lent(std::forward<References>(references))...);
    } else {
      call_plainly(fn, std::forward<MakeEntity>(entity), std::forward<References>(references)...);
    }
  } else {
    call_plainly(fn, std::forward<MakeEntity>(entity), std::forward<References>(references)...);
  }
}

// ---- loops

/// True for a layout, or a function, whose rows are better visited one at a time: it says so with `scalar_loop`.
template <class Chooser>
inline constexpr bool wants_scalar_loop = requires { requires Chooser::scalar_loop; };

/// A function that is to be called row by row: for one that reads a part of wide components. Of those, where they lie
/// whole, g++ 12 collects the parts of several rows by permutations, in fewer instructions and a third more time. Where
/// a component is an array for each of its scalars there is nothing to collect, and nothing changes.
///
///     storage.template each<const Render, const Transform>(parts::RowByRow{[&](const auto& ...) { ... }});
template <class Fn>
struct RowByRow : Fn {
  static constexpr bool scalar_loop = true;
};
template <class Fn>
RowByRow(Fn) -> RowByRow<Fn>;

/// Keeps the loop that it is called in from being vectorised. It names no variable, so that the compiler counts as it
/// likes: nothing is executed for it.
inline void keep_scalar() noexcept {
#if defined(__GNUC__)
  asm volatile("");
#endif
}

/// Goes along a column. A pointer moves on by itself: g++ 12 counts a loop with an `asm` by the number of its row, and
/// would make every address from that anew.
template <class Cursor>
class Walker {
 public:
  Walker(const Cursor& cursor, std::size_t row) noexcept : cursor_(cursor), row_(row) {}
  [[nodiscard]] decltype(auto) operator*() const noexcept { return cursor_[row_]; }
  void operator++() noexcept { ++row_; }

 private:
  Cursor cursor_;
  std::size_t row_;
};
template <class C>
class Walker<C*> {
 public:
  Walker(C* column, std::size_t row) noexcept : component_(column + row) {}
  [[nodiscard]] C& operator*() const noexcept { return *component_; }
  void operator++() noexcept { ++component_; }

 private:
  C* component_;
};

/// The one loop over contiguous rows. `cursors` are fixed before it and passed by value, so that the compiler sees
/// plain pointers that nothing in the loop can change. Layouts whose cursors are something else may specialise it.
template <class... Cursors>
struct RowLoop {
  template <bool Scalar, class Fn, class MakeEntity>
  static void run(std::size_t first, std::size_t end, Fn& fn, MakeEntity entity_of, Cursors... cursors) {
    if constexpr (Scalar || wants_scalar_loop<Fn>) {
      run_scalar(first, end, fn, entity_of, Walker<Cursors>(cursors, first)...);
    } else {
      for (std::size_t row = first; row < end; ++row) call(fn, [&] { return entity_of(row); }, cursors[row]...);
    }
  }

 private:
  template <class Fn, class MakeEntity, class... Walkers>
  static void run_scalar(std::size_t first, std::size_t end, Fn& fn, MakeEntity entity_of, Walkers... walkers) {
    for (std::size_t left = first < end ? end - first : 0; left != 0; --left, (++walkers, ...)) {
      keep_scalar();
      call(fn, [&] { return entity_of(end - left); }, *walkers...);
    }
  }
};

template <bool Scalar, class Fn, class MakeEntity, class... Cursors>
void visit_range(std::size_t first, std::size_t end, Fn& fn, MakeEntity entity_of, Cursors... cursors) {
  RowLoop<Cursors...>::template run<Scalar>(first, end, fn, entity_of, cursors...);
}
template <bool Scalar, class Fn, class MakeEntity, class... Cursors>
void visit_rows(std::size_t count, Fn& fn, MakeEntity entity_of, Cursors... cursors) {
  visit_range<Scalar>(0, count, fn, entity_of, cursors...);
}

}  // namespace stowage::parts
