#include "harness/measure/memory/tracker.hpp"

#include <algorithm>
#include <new>
#ifdef __linux__
#include <malloc.h>
#endif

namespace stowage::harness {
namespace {

std::size_t usable_size([[maybe_unused]] void* block) noexcept {
#ifdef __linux__
  return malloc_usable_size(block);
#else
  return 0;
#endif
}

}  // namespace

HeapUse HeapTracker::use() const {
  const std::scoped_lock lock(mutex_);
  return use_;
}

std::optional<std::size_t> HeapTracker::size_of(void* block) const {
  const std::scoped_lock lock(mutex_);
  const auto known = sizes_.find(block);
  return known == sizes_.end() ? std::nullopt : std::optional(known->second);
}

void HeapTracker::leave_out(void* block) {
  const std::optional<std::size_t> bytes = size_of(block);
  freeing(block, bytes);
  const std::scoped_lock lock(mutex_);
  use_.peak_bytes -= bytes.value_or(0);
  use_.allocations -= bytes ? 1 : 0;
}

/// Refuses a block for which there is no room in its own table.
bool HeapTracker::allocated(void* block, std::size_t bytes) noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    sizes_.emplace(block, bytes);
  } catch (const std::bad_alloc&) {
    return false;
  }
  use_.live_bytes += bytes;
  use_.live_usable_bytes += usable_size(block);
  ++use_.live_blocks;
  use_.peak_bytes = std::max(use_.peak_bytes, use_.live_bytes);
  ++use_.allocations;
  return true;
}

void HeapTracker::freeing(void* block, std::optional<std::size_t> /*bytes*/) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto known = sizes_.find(block);
  if (known == sizes_.end()) return;
  use_.live_bytes -= known->second;
  use_.live_usable_bytes -= usable_size(block);
  --use_.live_blocks;
  sizes_.erase(known);
}

}  // namespace stowage::harness
