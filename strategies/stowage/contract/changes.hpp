#pragma once

#include <concepts>
#include <cstdint>

// Beyond the contract: storages that record when the components were written that their schema marks Changed<>.
//
//     Tick seen = 0;                                          // before everything
//     ...                                                     // once a frame:
//     storage.each_changed<const Position, Bounds>(seen, fn);     // entities whose Position was written since
//     seen = storage.next_tick();                             // what is written from here on comes next time
//
// A component is written when an entity is created with it or gains it, when emplace() or copy_from() replaces it, and
// when a program gets access to it that is not const: by find<C>() of a storage that is not const, and by a loop that
// asks for C and not for const C, for the entities that it visits. Whether the program makes use of it is not seen. Nor
// is what it writes later through a reference that it kept. A loop that changes few of the entities that it visits asks
// for const C, and for those few calls find<C>(entity).

namespace stowage {

/// Numbers the frames, or whatever else a program tells apart. Storages begin with 1.
using Tick = std::uint32_t;

/// Whether a component that was last written in one tick has changed since another. Ticks wrap around: what was written
/// more than 2^31 ticks before `since`, which is a year at 60 a second, counts as changed again, and a `since` that is
/// as old finds less.
[[nodiscard]] constexpr bool has_changed(Tick written, Tick since) noexcept {
  return static_cast<std::int32_t>(written - since) >= 0;
}
/// The later of two ticks.
[[nodiscard]] constexpr Tick later(Tick tick, Tick other) noexcept { return has_changed(tick, other) ? tick : other; }

/// The storage records changes of C: those in a tick or later are found by each_changed<C>(tick, fn). If its
/// `records_each_row` is true these are exactly the changed ones, else all of their sections.
template <class S, class C>
concept RecordsChanges = requires(S& storage, const S& fixed, Tick since, void visit(const C&)) {
  { S::records_each_row } -> std::convertible_to<bool>;
  { fixed.tick() } -> std::same_as<Tick>;
  { storage.next_tick() } -> std::same_as<Tick>;
  fixed.template each_changed<const C>(since, visit);
};

namespace parts {

/// The slice of a loop that visits entities whose `Changing` has changed: see loop.hpp.
template <class Changing>
struct ChangedLoop {
  using changing = Changing;
  static constexpr bool is_whole = true;

  Tick since;
};
template <class Slice>
inline constexpr bool is_changed_loop = false;
template <class Changing>
inline constexpr bool is_changed_loop<ChangedLoop<Changing>> = true;

}  // namespace parts
}  // namespace stowage
