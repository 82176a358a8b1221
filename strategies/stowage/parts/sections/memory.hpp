#pragma once

#include <cstddef>

#include <stowage/parts/index/counted_heap.hpp>
#include <stowage/parts/layout/rows.hpp>

namespace stowage::parts {

/// A heap block for every section. `held` counts what all sets of a storage hold.
class BlockPerSection {
 public:
  using Piece = Block;

  explicit BlockPerSection(HeapCount&) noexcept {}

  /// Throws std::bad_alloc; then nothing has changed.
  [[nodiscard]] static Block take(std::size_t bytes, std::size_t alignment, HeapCount& held) {
    Block block(bytes, alignment);
    held.bytes += bytes;
    ++held.blocks;
    return block;
  }
  static void give_back(Block& block, HeapCount& held) noexcept {
    held.bytes -= block.bytes();
    --held.blocks;
    block = Block();
  }
};

}  // namespace stowage::parts
