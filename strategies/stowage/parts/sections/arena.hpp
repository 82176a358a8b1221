#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stowage/parts/index/counted_heap.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/rows.hpp>

namespace stowage::parts {

/// Where the sections of one set, all of one size, lie next to each other: in chunks of 1, 2, 4, ... sections, until a
/// chunk has `ChunkBytes`. So at most half of what a set holds waits for sections to come.
///
///     chunk [ section ]   chunk [ section section ]   chunk [ section section -       -       ]
///
/// A section given back leaves its place to the next one; a chunk goes back to the heap when it has none left.
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
    explicit Piece(std::byte* data) noexcept : data_(data) {}
    [[nodiscard]] std::byte* data() const noexcept { return data_; }

   private:
    std::byte* data_ = nullptr;
  };

  explicit SetArena(HeapCount& heap) noexcept : chunks_(CountingAllocator<Chunk>(heap)) {}

  /// O(chunks). Throws std::bad_alloc; then nothing has changed.
  [[nodiscard]] Piece take(std::size_t bytes, std::size_t alignment, HeapCount& held) {
    piece_bytes_ = detail::align_up(bytes, alignment);
    for (Chunk& chunk : chunks_) {
      if (chunk.free != 0) return take_from(chunk);
    }
    const std::size_t most = std::clamp<std::size_t>(ChunkBytes / piece_bytes_, 1, most_places);
    const std::size_t places = std::min(most, std::size_t{1} << std::min<std::size_t>(chunks_.size(), 6));
    chunks_.reserve(chunks_.size() < chunks_.capacity() ? chunks_.capacity()
                                                        : std::max<std::size_t>(4, chunks_.size() * 2));
    chunks_.push_back({Block(places * piece_bytes_, alignment), all_of(places), all_of(places)});
    held.bytes += chunks_.back().block.bytes();
    ++held.blocks;
    return take_from(chunks_.back());
  }

  /// O(chunks).
  void give_back(Piece& piece, HeapCount& held) noexcept {
    const auto chunk = std::ranges::find_if(chunks_, [&](const Chunk& c) {
      return !std::less<>{}(piece.data(), c.block.data()) &&
             std::less<>{}(piece.data(), c.block.data() + c.block.bytes());
    });
    const auto place = static_cast<std::size_t>(piece.data() - chunk->block.data()) / piece_bytes_;
    chunk->free |= Places{1} << place;
    piece = Piece();
    if (chunk->free != chunk->all) return;
    held.bytes -= chunk->block.bytes();
    --held.blocks;
    chunks_.erase(chunk);
  }

 private:
  struct Chunk {
    Block block;
    Places all = 0;
    Places free = 0;
  };

  [[nodiscard]] static Places all_of(std::size_t places) noexcept { return ~Places{0} >> (most_places - places); }

  [[nodiscard]] Piece take_from(Chunk& chunk) noexcept {
    const auto place = static_cast<std::size_t>(std::countr_zero(chunk.free));
    chunk.free &= chunk.free - 1;
    return Piece(chunk.block.data() + place * piece_bytes_);
  }

  std::vector<Chunk, CountingAllocator<Chunk>> chunks_;
  std::size_t piece_bytes_ = 0;  // the same for all sections of a set
};

/// Chunks of up to 1 MiB: larger ones do not bring sections closer together.
using ArenaPerSet = SetArena<1024 * 1024>;

}  // namespace stowage::parts
