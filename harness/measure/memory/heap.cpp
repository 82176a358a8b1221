#include "harness/measure/memory/heap.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace stowage::harness {
namespace {

constinit std::atomic<HeapObserver*> installed{nullptr};

[[nodiscard]] HeapObserver* observer() noexcept { return installed.load(std::memory_order_relaxed); }

/// What the observer thinks of a new block; null if there is none.
[[nodiscard]] void* observed(void* block, std::size_t size) noexcept {
  if (block != nullptr && observer() != nullptr) [[unlikely]] {
    if (!observer()->allocated(block, size)) {
      std::free(block);
      return nullptr;
    }
  }
  return block;
}

[[nodiscard]] void* allocate(std::size_t size) noexcept { return observed(std::malloc(size == 0 ? 1 : size), size); }

[[nodiscard]] void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  const std::size_t least = std::max(static_cast<std::size_t>(alignment), sizeof(void*));
  void* block = nullptr;
  if (posix_memalign(&block, least, size == 0 ? 1 : size) != 0) return nullptr;
  return observed(block, size);
}

[[nodiscard]] void* or_throw(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block, std::optional<std::size_t> size = std::nullopt) noexcept {
  if (block != nullptr && observer() != nullptr) [[unlikely]] {
    observer()->freeing(block, size);
  }
  std::free(block);
}

}  // namespace

HeapObserver* observe_heap(HeapObserver* observer) noexcept { return installed.exchange(observer); }

bool heap_is_observed() noexcept { return observer() != nullptr; }

}  // namespace stowage::harness

using std::align_val_t;
using std::nothrow_t;
using stowage::harness::allocate;
using stowage::harness::or_throw;
using stowage::harness::release;

void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, const nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, align_val_t alignment) { return or_throw(allocate(size, alignment)); }
void* operator new[](std::size_t size, align_val_t alignment) { return or_throw(allocate(size, alignment)); }
void* operator new(std::size_t size, align_val_t alignment, const nothrow_t&) noexcept {
  return allocate(size, alignment);
}
void* operator new[](std::size_t size, align_val_t alignment, const nothrow_t&) noexcept {
  return allocate(size, alignment);
}

void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, const nothrow_t&) noexcept { release(block); }
void operator delete[](void* block, const nothrow_t&) noexcept { release(block); }
void operator delete(void* block, std::size_t size) noexcept { release(block, size); }
void operator delete[](void* block, std::size_t size) noexcept { release(block, size); }
void operator delete(void* block, align_val_t) noexcept { release(block); }
void operator delete[](void* block, align_val_t) noexcept { release(block); }
void operator delete(void* block, align_val_t, const nothrow_t&) noexcept { release(block); }
void operator delete[](void* block, align_val_t, const nothrow_t&) noexcept { release(block); }
void operator delete(void* block, std::size_t size, align_val_t) noexcept { release(block, size); }
void operator delete[](void* block, std::size_t size, align_val_t) noexcept { release(block, size); }
