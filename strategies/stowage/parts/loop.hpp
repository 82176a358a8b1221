#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace stowage::parts {

/// Calls `fn(references...)`, or `fn(entity(), references...)` where it wants to know whom it is called for. The
/// handle is made only in the second case.
template <class Fn, class MakeEntity, class... References>
constexpr void call(Fn& fn, MakeEntity&& entity, References&&... references) {
  if constexpr (std::is_invocable_v<Fn&, References...>) {
    fn(std::forward<References>(references)...);
  } else {
    fn(std::forward<MakeEntity>(entity)(), std::forward<References>(references)...);
  }
}

/// True for a layout whose rows are better visited one at a time: it says so with `scalar_loop`.
template <class Layout>
inline constexpr bool wants_scalar_loop = requires { requires Layout::scalar_loop; };

/// Keeps the loop that counts with `row` from being vectorised, at no cost in instructions.
inline void keep_scalar([[maybe_unused]] std::size_t& row) noexcept {
#if defined(__GNUC__)
  asm volatile("" : "+r"(row));
#endif
}

/// The one loop over contiguous rows. `cursors` are fixed before it and passed by value, so that the compiler sees
/// plain pointers that nothing in the loop can change.
template <bool Scalar, class Fn, class MakeEntity, class... Cursors>
void visit_range(std::size_t first, std::size_t end, Fn& fn, MakeEntity entity_of, Cursors... cursors) {
  for (std::size_t row = first; row < end; ++row) {
    if constexpr (Scalar) keep_scalar(row);
    call(fn, [&] { return entity_of(row); }, cursors[row]...);
  }
}
template <bool Scalar, class Fn, class MakeEntity, class... Cursors>
void visit_rows(std::size_t count, Fn& fn, MakeEntity entity_of, Cursors... cursors) {
  visit_range<Scalar>(0, count, fn, entity_of, cursors...);
}

}  // namespace stowage::parts
