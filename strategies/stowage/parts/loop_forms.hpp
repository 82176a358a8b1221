#pragma once

#include <type_traits>

#include <stowage/contract/schema.hpp>

namespace stowage::parts {

/// The forms of each() and each_block(), through a storage that may change components or not. All come down to two
/// functions of the strategy, `loop_rows<Qs...>(fn)` and `loop_blocks<Qs...>(fn)`, which are const because a loop by
/// itself changes nothing: not even what it remembers may be in the way of a loop of another thread.
template <class Self, class SchemaType>
class LoopForms {
 public:
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each(Fn&& fn) {
    static_cast<const Self&>(*this).template loop_rows<Qs...>(fn);
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each(Fn&& fn) const {
    static_assert((std::is_const_v<Qs> && ...), "a const storage shows its components as const: each<const C>");
    static_cast<const Self&>(*this).template loop_rows<Qs...>(fn);
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
