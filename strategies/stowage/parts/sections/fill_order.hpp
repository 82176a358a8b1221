#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <stowage/parts/sections/room_list.hpp>

// In which order defragment() fills the sections of a set, and from its end empties them.

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

/// Sections in chunks: chunk by chunk, that with the largest share of rows first, so that the sections which are
/// emptied are those of as few chunks as possible; within a chunk as above, and all sections without rows at the very
/// end. What a chunk has in full sections counts, because they stay. Chunks that are equal to a 64th keep their order
/// from call to call, so that a chunk half emptied is gone on with. O(sections of the set).
///
///     chunk 1  [ A A A A ][ A A - - ]    chunk 0  [ A - - - ][ A A - - ]    no rows  [ - - - - ] ...
///                           ^ next row              ^ last row: moves
template <class Section, class Set>
void sort_by_chunk(Section* sections, Set& set) noexcept {
  const auto chunks = set.memory.chunks();
  for (auto& chunk : chunks) chunk.rows = 0;
  for (const std::uint32_t number : set.sections) {
    chunks[sections[number].block.chunk()].rows += sections[number].rows.size;
  }
  sort_by_fill(sections, set.with_room);
  RoomList without_rows;
  while (!set.with_room.empty()) {
    const std::uint32_t number = set.with_room.front();
    set.with_room.remove(sections, number);
    RoomList& list = sections[number].rows.size == 0 ? without_rows : chunks[sections[number].block.chunk()].with_room;
    list.push_back(sections, number);
  }
  ListsByFill by_fill;
  for (auto& chunk : chunks) {
    if (chunk.with_room.empty()) continue;
    const std::size_t capacity = set.memory.sections_of(chunk) * set.rows_per_section;
    by_fill[fill_degree(chunk.rows, capacity)].append(sections, chunk.with_room);
  }
  append_all(sections, set.with_room, by_fill);
  set.with_room.append(sections, without_rows);
}

/// The sections of a set that have room, in the order in which they are to be filled.
template <class Section, class Set>
void sort_for_filling(Section* sections, Set& set) noexcept {
  if constexpr (requires { set.memory.chunks(); }) {
    sort_by_chunk(sections, set);
  } else {
    sort_by_fill(sections, set.with_room);
  }
}

}  // namespace stowage::parts
