#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <stowage/parts/index/counted_heap.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/sections/room_list.hpp>

namespace stowage::parts {

/// Where the sections of one set, all of one size, lie next to each other: in chunks of 1, 2, 4, ... sections, until a
/// chunk has `ChunkBytes`. So at most half of what a set holds waits for sections to come.
///
///     chunk [ section ]   chunk [ section section ]   chunk [ section section -       -       ]
///
/// A section given back leaves its place to the next one; a chunk goes back to the heap when it has none left. So
/// defragment() empties the chunks with the fewest rows first: see fill_order.hpp.
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
    /// Its position among chunks().
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
    const std::size_t places = std::min(most, std::size_t{1} << std::min<std::size_t>(held_chunks_, 6));
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

  [[nodiscard]] std::span<Chunk> chunks() noexcept { return chunks_; }
  [[nodiscard]] static std::size_t sections_of(const Chunk& chunk) noexcept {
    return static_cast<std::size_t>(std::popcount(chunk.all));
  }

 private:
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

}  // namespace stowage::parts
