#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "workloads/support/array.hpp"

namespace stowage::workloads {

/// A sink in memory that is not counted as memory of the storage.
class MemoryFile {
 public:
  [[nodiscard]] std::byte* room(std::size_t bytes) {
    blocks_.resize((bytes + sizeof(Block) - 1) / sizeof(Block) + 1);  // grows once: a case saves the same again
    bytes_ = bytes;
    return start();
  }
  [[nodiscard]] std::span<const std::byte> bytes() noexcept { return {start(), bytes_}; }

 private:
  struct Block {
    std::byte bytes[64];
  };
  [[nodiscard]] std::byte* start() noexcept {
    void* first = blocks_.data();
    std::size_t room = blocks_.size() * sizeof(Block);
    return static_cast<std::byte*>(std::align(sizeof(Block), bytes_, first, room));
  }
  Array<Block> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace stowage::workloads
