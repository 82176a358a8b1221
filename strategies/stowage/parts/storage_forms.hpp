#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/changes.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/query.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/loop.hpp>

namespace stowage::parts {

/// The storage has `records<C>`, and it is true. A concept, because clang before 16 looks for a member that a requires
/// clause names while the storage is still incomplete.
template <class Storage, class C>
concept Recording = Storage::template records<C>;

/// The operations of the contract that every storage has in the same words, through a storage that may change its
/// components or not. A storage derives from this, makes it a friend, has its registry as `registry_` and writes four
/// functions, to which all of these come down:
///
///     look_up<Qs...>(entity) const           a tuple of pointers, null where there is none: find()
///     loop_rows<Qs...>(slice, fn) const      each(), each_step() and loop_steps(); for the slice see loop.hpp. Qs may
///                                            be filters: see query.hpp
///     loop_blocks<Qs...>(fn) const           each_block()
///     reserve_for(count, TypeList<Cs...>)    reserve()
///
/// `const Q` asks for a pointer or a reference to const. Loops are const because a loop by itself changes nothing: not
/// even what it remembers may be in the way of a loop of another thread.
template <class Self, class SchemaType, class Registry>
class StorageForms {
  using EntityType = typename Registry::entity_type;

  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 public:
  [[nodiscard]] bool alive(EntityType entity) const noexcept { return self().registry_.alive(entity); }
  [[nodiscard]] EntityType entity_at(EntityIndex index) const noexcept { return self().registry_.entity_at(index); }
  [[nodiscard]] std::size_t size() const noexcept { return self().registry_.size(); }

  void reserve(std::size_t count) { self().reserve_for(count, typename SchemaType::components{}); }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void reserve(std::size_t count) {
    self().reserve_for(count, TypeList<Cs...>{});
  }

  /// Only over a registry with listeners, where it is their on_destroy().
  template <class Listener>
    requires Notifying<Registry>
  void on_destroy(Listener& listener) {
    self().registry_.on_destroy(listener);
  }

  // ---- find: one component or several

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] auto find(EntityType entity) noexcept {
    return std::get<0>(std::as_const(self()).template look_up<C>(entity));
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] auto find(EntityType entity) const noexcept {
    return std::get<0>(self().template look_up<const C>(entity));
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 1 && ComponentsOf<SchemaType, Cs...>)
  [[nodiscard]] auto find(EntityType entity) noexcept {
    return std::as_const(self()).template look_up<Cs...>(entity);
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 1 && ComponentsOf<SchemaType, Cs...>)
  [[nodiscard]] auto find(EntityType entity) const noexcept {
    return self().template look_up<const Cs...>(entity);
  }

  // ---- each: whole, in part, and in blocks

  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  STOWAGE_INLINE void each(Fn&& fn) {
    WholeLoop all;
    loop<Qs...>(std::as_const(self()), all, fn);
  }
  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  STOWAGE_INLINE void each(Fn&& fn) const {
    static_assert((stowage::detail::reads_only<Qs> && ...),
                  "a const storage shows its components as const: each<const C>");
    WholeLoop all;
    loop<Qs...>(self(), all, fn);
  }

  template <class... Qs>
    requires QueryOf<SchemaType, Qs...>
  [[nodiscard]] std::size_t loop_steps() const {
    StepCount count;
    constexpr auto do_nothing = [](auto&&...) {};
    loop<Qs...>(self(), count, do_nothing);
    return count.steps();
  }
  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  void each_step(std::size_t first, std::size_t end, Fn&& fn) {
    LoopSlice slice(first, end);
    loop<Qs...>(std::as_const(self()), slice, fn);
  }
  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  void each_step(std::size_t first, std::size_t end, Fn&& fn) const {
    static_assert((stowage::detail::reads_only<Qs> && ...),
                  "a const storage shows its components as const: each_step<const C>");
    LoopSlice slice(first, end);
    loop<Qs...>(self(), slice, fn);
  }

  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_block(Fn&& fn) {
    std::as_const(self()).template loop_blocks<Qs...>(fn);
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_block(Fn&& fn) const {
    static_assert((std::is_const_v<Qs> && ...), "a const storage shows its components as const: each_block<const C>");
    self().template loop_blocks<Qs...>(fn);
  }

  // ---- each_changed, of a storage that records changes of C: see contract/changes.hpp

  /// The entities that each<C, Qs...> visits, but only those whose C has changed since the tick, or all of their
  /// sections. What is written during the loop may or may not be visited.
  template <class C, class... Qs, class Fn>
    requires QueryOf<SchemaType, C, Qs...> && Recording<Self, C>
  void each_changed(Tick since, Fn&& fn) {
    ChangedLoop<std::remove_const_t<C>> changed{since};
    loop<C, Qs...>(std::as_const(self()), changed, fn);
  }
  template <class C, class... Qs, class Fn>
    requires QueryOf<SchemaType, C, Qs...> && Recording<Self, C>
  void each_changed(Tick since, Fn&& fn) const {
    static_assert(stowage::detail::reads_only<C> && (stowage::detail::reads_only<Qs> && ...),
                  "a const storage shows its components as const: each_changed<const C>");
    ChangedLoop<std::remove_const_t<C>> changed{since};
    loop<C, Qs...>(self(), changed, fn);
  }

 private:
  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE static void loop(const Self& storage, Slice& slice, Fn& fn) {
    if constexpr (stowage::detail::has_filters<Qs...>) static_assert(stowage::detail::assert_query<Qs...>());
    storage.template loop_rows<Qs...>(slice, fn);
  }
};

}  // namespace stowage::parts
