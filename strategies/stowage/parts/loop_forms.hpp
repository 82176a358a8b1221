#pragma once

#include <cstddef>
#include <type_traits>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/loop_slice.hpp>

namespace stowage::parts {

/// The forms of each(), whole and in part, and of each_block(), through a storage that may change components or not.
/// All come down to two functions of the strategy, `loop_rows<Qs...>(slice, fn)` and `loop_blocks<Qs...>(fn)`, which
/// are const because a loop by itself changes nothing: not even what it remembers may be in the way of a loop of
/// another thread. For `slice` see loop_slice.hpp.
template <class Self, class SchemaType>
class LoopForms {
  template <class Slice, class... Qs, class Fn>
  STOWAGE_INLINE void loop(Slice slice, TypeList<Qs...>, Fn& fn) const {
    static_cast<const Self&>(*this).template loop_rows<Qs...>(slice, fn);
  }

 public:
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  STOWAGE_INLINE void each(Fn&& fn) {
    loop(WholeLoop{}, TypeList<Qs...>{}, fn);
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  STOWAGE_INLINE void each(Fn&& fn) const {
    static_assert((std::is_const_v<Qs> && ...), "a const storage shows its components as const: each<const C>");
    loop(WholeLoop{}, TypeList<Qs...>{}, fn);
  }

  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  [[nodiscard]] std::size_t loop_steps() const {
    StepCount count;
    constexpr auto nobody = [](auto&&...) {};
    static_cast<const Self&>(*this).template loop_rows<Qs...>(count, nobody);
    return count.steps();
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_step(std::size_t first, std::size_t end, Fn&& fn) {
    loop(LoopSlice(first, end), TypeList<Qs...>{}, fn);
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_step(std::size_t first, std::size_t end, Fn&& fn) const {
    static_assert((std::is_const_v<Qs> && ...), "a const storage shows its components as const: each_step<const C>");
    loop(LoopSlice(first, end), TypeList<Qs...>{}, fn);
  }

  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_block(Fn&& fn) {
    static_cast<const Self&>(*this).template loop_blocks<Qs...>(fn);
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_block(Fn&& fn) const {
    static_assert((std::is_const_v<Qs> && ...), "a const storage shows its components as const: each_block<const C>");
    static_cast<const Self&>(*this).template loop_blocks<Qs...>(fn);
  }
};

}  // namespace stowage::parts
