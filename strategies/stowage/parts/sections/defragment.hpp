#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <stowage/parts/sections/room_list.hpp>

// defragment() fills the sections of a set in an order, and empties them from its end.

namespace stowage::parts {

/// Degrees of fill that are told apart in what has rows and room; what has no rows is of degree 0.
inline constexpr std::size_t fill_degrees = 64;

[[nodiscard]] constexpr std::size_t fill_degree(std::size_t rows, std::size_t capacity) noexcept {
  return rows == 0 ? 0 : 1 + rows * fill_degrees / capacity;
}

using ListsByFill = std::array<RoomList, 1 + fill_degrees>;

/// The highest degree first.
template <class Section>
void append_all(Section* sections, RoomList& list, ListsByFill& by_fill) noexcept {
  for (std::size_t degree = by_fill.size(); degree-- != 0;) list.append(sections, by_fill[degree]);
}

/// The most filled sections of the list first, to a 64th, and those without rows last; otherwise their order stays.
/// O(sections of the list).
template <class Section>
void sort_by_fill(Section* sections, RoomList& list) noexcept {
  ListsByFill by_fill;
  while (!list.empty()) {
    const std::uint32_t number = list.front();
    list.remove(sections, number);
    by_fill[fill_degree(sections[number].rows.size, sections[number].rows.capacity)].push_back(sections, number);
  }
  append_all(sections, list, by_fill);
}

/// The sections of a set that have room, in the order in which they are to be filled. Memory that several sections
/// share has an order of its own: see archetype_sections_arena.hpp.
template <class Section, class Set>
void sort_for_filling(Section* sections, Set& set) noexcept {
  if constexpr (requires { set.memory.sort_for_filling(sections, set); }) {
    set.memory.sort_for_filling(sections, set);
  } else {
    sort_by_fill(sections, set.with_room);
  }
}

/// Moves at most `budget` rows of a set from its emptiest sections to its fullest ones (of its emptiest chunks to its
/// fullest ones, where sections lie in chunks: see archetype_sections_arena.hpp), and gives back the memory of every
/// section that is or becomes empty. `moved(owner, number, row)` hears where each row went. O(sections of the set
/// + rows moved), and the rows of one section where there are holes to close. Returns the number of rows moved.
///
///     sections by fill   [ A A A - ]  [ A A - - ]  [ A - - - ]
///                              ^ next row              ^ last row: moves; the section goes when it has none
template <class Sections, class Moved>
std::size_t defragment_set(Sections& sections, typename Sections::Set& set, std::size_t budget,
                           Moved&& moved) noexcept {
  if (sections.is_dense(set)) return 0;
  sort_for_filling(sections.records(), set);
  std::size_t done = 0;
  bool any_released = false;
  while (!set.with_room.empty()) {
    const std::uint32_t last = set.with_room.back();
    auto& emptiest = sections[last];
    if (emptiest.rows.size == 0) {
      sections.release(last);
      any_released = true;
    } else if (set.with_room.front() == last) {
      done += sections.close_holes(emptiest, budget - done, moved);
      break;
    } else if (done == budget) {
      break;
    } else {
      done += sections.merge(emptiest, sections[set.with_room.front()], budget - done, moved);
    }
  }
  if (any_released) sections.forget_released(set);
  return done;
}

/// The same for one set after the other, beginning with number `next_set`, until one needs more than is left of the
/// budget: that is where the next call goes on. Returns the number of rows moved.
template <class Sections, class Moved>
std::size_t defragment(Sections& sections, std::size_t& next_set, std::size_t budget, Moved&& moved) noexcept {
  auto& sets = sections.catalogue().sets();
  std::size_t done = 0;
  for (std::size_t visited = 0; visited < sets.size(); ++visited) {
    if (next_set >= sets.size()) next_set = 0;
    done += defragment_set(sections, sets[next_set], budget - done, moved);
    if (!sections.is_dense(sets[next_set])) break;
    ++next_set;
  }
  return done;
}

}  // namespace stowage::parts
