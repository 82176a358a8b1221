#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>

namespace stowage::parts {

/// FIFO of entity indices in a ring whose size is a power of two. Allocates only when it has never been this long.
///
///     [  ][ 7 ][ 2 ][ 9 ][  ][  ]
///           ^ head_       ^ head_ + size_
class IndexQueue {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] EntityIndex operator[](std::size_t position) const noexcept {
    return ring_[(head_ + position) & (ring_.size() - 1)];
  }

  /// Throws std::bad_alloc; then nothing has changed.
  void push_back(EntityIndex index) {
    if (size_ == ring_.size()) grow();
    ring_[(head_ + size_) & (ring_.size() - 1)] = index;
    ++size_;
  }

  /// The queue must not be empty.
  EntityIndex pop_front() noexcept {
    const EntityIndex index = ring_[head_];
    head_ = (head_ + 1) & (ring_.size() - 1);
    --size_;
    return index;
  }

  void clear() noexcept { head_ = size_ = 0; }

  /// How often the ring moved to a larger allocation.
  [[nodiscard]] std::uint64_t growths() const noexcept { return growths_; }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t used = size_ * sizeof(EntityIndex);
    return {.payload_bytes = 0,
            .index_bytes = used,
            .slack_bytes = ring_.capacity() * sizeof(EntityIndex) - used,
            .allocations = ring_.capacity() != 0 ? std::size_t{1} : std::size_t{0}};
  }

 private:
  STOWAGE_COLD void grow() {
    std::vector<EntityIndex> larger(ring_.empty() ? 16 : ring_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    growths_ += ring_.empty() ? 0 : 1;
    ring_.swap(larger);
    head_ = 0;
  }

  std::vector<EntityIndex> ring_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::uint64_t growths_ = 0;
};

}  // namespace stowage::parts
