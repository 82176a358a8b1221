#pragma once

// archetype_sections.fixed_32k_arena: fixed sections of one set lie next to each other.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |
//     sections   { columns, size, capacity, set } ...
//                      |
//     chunks     [ owners A A .. B B .. | owners A A .. B B .. | - ]   of one set: 1, 2, 4 ... sections, up to 1 MiB
//
// find, each, create and destroy are those of archetype_sections with fixed sections. Only a section's bytes come from
// elsewhere:
//
//     new section      a free place of one of the set's chunks, else of a new chunk twice as large as the one before
//     section is gone  its place is free again; a chunk whose places are all free goes back to the heap
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019): a custom allocator that puts
//      sections of the same components next to each other "would avoid the occasional cache miss when iterating".
//      Their defragmentation takes chunks for what is to be emptied, which is ours: a section that is given back is
//      room for its own set alone, until all others of its chunk are.
// Pick it when the heap is slow or fragmented, or when sections are small: a chunk is one allocation for up to 64 of
// them. What a chunk has left waits for its own set and for no other.
// Misses per shuffled lookup: as archetype_sections.fixed_32k.

#include <bit>

#include <stowage/archetype_sections.hpp>
#include <stowage/contract/counted_heap.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/sections/defragment.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/room_list.hpp>

namespace stowage {

namespace parts {

/// Where the sections of one set, all of one size, lie next to each other: in chunks of 1, 2, 4, ... sections, until a
/// chunk has `ChunkBytes`. So at most half of what a set holds waits for sections to come.
///
///     chunk [ section ]   chunk [ section section ]   chunk [ section section -       -       ]
///
/// A section given back leaves its place to the next one; a chunk goes back to the heap when it has none left. So
/// defragment() empties the chunks with the fewest rows first: see sort_for_filling().
/// Source: Cerulean Skies (2019), "a custom allocator ... which allocates separate sections ... next to each other".
template <std::size_t ChunkBytes>
class SetArena {
  using Places = std::uint64_t;
  static constexpr std::size_t most_places = 64;  // a bit each

 public:
  /// The bytes of one section; they belong to the chunk.
  class Piece {
   public:
    Piece() = default;
    Piece(std::byte* data, std::uint32_t chunk) noexcept : data_(data), chunk_(chunk) {}
    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    /// Its position in the list of chunks.
    [[nodiscard]] std::uint32_t chunk() const noexcept { return chunk_; }

   private:
    std::byte* data_ = nullptr;
    std::uint32_t chunk_ = 0;
  };

  /// Keeps its position for as long as it has sections; one without is nothing but a position for the next.
  struct Chunk {
    Block block;
    Places all = 0;
    Places free = 0;
    // what defragment() needs while it looks at the set
    std::size_t rows = 0;
    RoomList with_room;
  };

  explicit SetArena(HeapCount& heap) noexcept : chunks_(CountingAllocator<Chunk>(heap)) {}

  /// O(chunks). Throws std::bad_alloc; then nothing has changed.
  [[nodiscard]] Piece take(std::size_t bytes, std::size_t alignment, HeapCount& held) {
    piece_bytes_ = detail::align_up(bytes, alignment);
    const auto with_place = std::ranges::find_if(chunks_, [](const Chunk& chunk) { return chunk.free != 0; });
    if (with_place != chunks_.end()) return take_from(*with_place);
    Chunk& chunk = position_without_chunk();
    const std::size_t most = std::clamp<std::size_t>(ChunkBytes / piece_bytes_, 1, most_places);
    const std::size_t places = (std::min)(most, std::size_t{1} << std::min<std::size_t>(held_chunks_, 6));
    chunk.block = Block(places * piece_bytes_, alignment);
    chunk.all = chunk.free = ~Places{0} >> (most_places - places);
    ++held_chunks_;
    held.bytes += chunk.block.bytes();
    ++held.blocks;
    return take_from(chunk);
  }

  /// O(1).
  void give_back(Piece& piece, HeapCount& held) noexcept {
    Chunk& chunk = chunks_[piece.chunk()];
    chunk.free |= Places{1} << static_cast<std::size_t>(piece.data() - chunk.block.data()) / piece_bytes_;
    piece = Piece();
    if (chunk.free != chunk.all) return;
    held.bytes -= chunk.block.bytes();
    --held.blocks;
    --held_chunks_;
    chunk = Chunk();
  }

  /// Sections in chunks: chunk by chunk, that with the largest share of rows first, so that the sections which are
  /// emptied are those of as few chunks as possible; within a chunk as above, and all sections without rows at the very
  /// end. What a chunk has in full sections counts, because they stay. Chunks that are equal to a 64th keep their order
  /// from call to call, so that a chunk half emptied is gone on with. O(sections of the set).
  ///
  ///     chunk 1  [ A A A A ][ A A - - ]    chunk 0  [ A - - - ][ A A - - ]    no rows  [ - - - - ] ...
  ///                           ^ next row              ^ last row: moves
  template <class Section, class Set>
  void sort_for_filling(Section* sections, Set& set) noexcept {
    for (auto& chunk : chunks_) chunk.rows = 0;
    for (const std::uint32_t number : set.sections) {
      chunks_[sections[number].block.chunk()].rows += sections[number].rows.size;
    }
    sort_by_fill(sections, set.with_room);
    RoomList without_rows;
    while (!set.with_room.empty()) {
      const std::uint32_t number = set.with_room.front();
      set.with_room.remove(sections, number);
      RoomList& list =
          sections[number].rows.size == 0 ? without_rows : chunks_[sections[number].block.chunk()].with_room;
      list.push_back(sections, number);
    }
    ListsByFill by_fill;
    for (auto& chunk : chunks_) {
      if (chunk.with_room.empty()) continue;
      const std::size_t capacity = sections_of(chunk) * set.rows_per_section;
      by_fill[fill_degree(chunk.rows, capacity)].append(sections, chunk.with_room);
    }
    append_all(sections, set.with_room, by_fill);
    set.with_room.append(sections, without_rows);
  }

 private:
  [[nodiscard]] static std::size_t sections_of(const Chunk& chunk) noexcept {
    return static_cast<std::size_t>(std::popcount(chunk.all));
  }

  [[nodiscard]] Chunk& position_without_chunk() {
    const auto unused = std::ranges::find(chunks_, Places{0}, &Chunk::all);
    if (unused != chunks_.end()) return *unused;
    if (chunks_.size() == chunks_.capacity()) chunks_.reserve(std::max<std::size_t>(4, chunks_.size() * 2));
    return chunks_.emplace_back();
  }

  [[nodiscard]] Piece take_from(Chunk& chunk) noexcept {
    const auto place = static_cast<std::size_t>(std::countr_zero(chunk.free));
    chunk.free &= chunk.free - 1;
    return {chunk.block.data() + place * piece_bytes_, static_cast<std::uint32_t>(&chunk - chunks_.data())};
  }

  std::vector<Chunk, CountingAllocator<Chunk>> chunks_;
  std::size_t held_chunks_ = 0;
  std::size_t piece_bytes_ = 0;  // the same for all sections of a set
};

/// Chunks of up to 1 MiB: larger ones do not bring sections closer together.
using ArenaPerSet = SetArena<std::size_t{1024} * 1024>;

template <std::size_t Bytes>
struct ArenaForm : FixedForm<Bytes> {
  using memory = ArenaPerSet;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsArena = ArchetypeSections<SchemaType, Registry, parts::ArenaForm<std::size_t{32} * 1024>>;

static_assert(assert_storage<ArchetypeSectionsArena<ProbeSchema>>());

}  // namespace stowage
