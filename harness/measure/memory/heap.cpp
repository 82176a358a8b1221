#include "harness/measure/memory/heap.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#if defined(__linux__) || defined(_WIN32)
#include <malloc.h>
#endif

namespace stowage::harness {
namespace {

constinit std::atomic<HeapObserver*> installed{nullptr};

[[nodiscard]] HeapObserver* observer() noexcept { return installed.load(std::memory_order_relaxed); }

#ifdef _WIN32  // frees an aligned block by a function of its own, and delete does not know of which kind a block is
[[nodiscard]] void* take(std::size_t size, std::size_t alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__) noexcept {
  return _aligned_malloc(size, alignment);
}
void give_back(void* block) noexcept { _aligned_free(block); }
#else
[[nodiscard]] void* take(std::size_t size) noexcept { return std::malloc(size); }
[[nodiscard]] void* take(std::size_t size, std::size_t alignment) noexcept {
  void* block = nullptr;
  return posix_memalign(&block, std::max(alignment, sizeof(void*)), size) == 0 ? block : nullptr;
}
void give_back(void* block) noexcept { std::free(block); }
#endif

/// What the observer thinks of a new block; null if there is none.
[[nodiscard]] void* observed(void* block, std::size_t size) noexcept {
  if (block != nullptr && observer() != nullptr) [[unlikely]] {
    if (!observer()->allocated(block, size)) {
      give_back(block);
      return nullptr;
    }
  }
  return block;
}

[[nodiscard]] void* allocate(std::size_t size) noexcept { return observed(take(size == 0 ? 1 : size), size); }

[[nodiscard]] void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  return observed(take(size == 0 ? 1 : size, static_cast<std::size_t>(alignment)), size);
}

[[nodiscard]] void* or_throw(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block, std::optional<std::size_t> size = std::nullopt) noexcept {
  if (block != nullptr && observer() != nullptr) [[unlikely]] {
    observer()->freeing(block, size);
  }
  give_back(block);
}

}  // namespace

HeapObserver* observe_heap(HeapObserver* observer) noexcept { return installed.exchange(observer); }

bool heap_is_observed() noexcept { return observer() != nullptr; }

namespace {

std::size_t usable_size([[maybe_unused]] void* block) noexcept {
#ifdef __linux__
  return malloc_usable_size(block);
#else
  return 0;
#endif
}

constinit thread_local HeapObserver* of_this_thread = nullptr;

/// Tells the tracker of the thread, if it has one. Installed as long as any thread has.
class Threads final : public HeapObserver {
 public:
  void one_more() {
    const std::scoped_lock lock(mutex_);
    if (trackers_++ == 0) former_ = observe_heap(this);
  }
  void one_less() {
    const std::scoped_lock lock(mutex_);
    if (--trackers_ == 0) observe_heap(former_);
  }

  [[nodiscard]] bool allocated(void* block, std::size_t bytes) noexcept override {
    return of_this_thread == nullptr || of_this_thread->allocated(block, bytes);
  }
  void freeing(void* block, std::optional<std::size_t> bytes) noexcept override {
    if (of_this_thread != nullptr) of_this_thread->freeing(block, bytes);
  }

 private:
  std::mutex mutex_;
  std::size_t trackers_ = 0;
  HeapObserver* former_ = nullptr;
};

Threads& threads() {  // not constinit: a mutex of Windows is made at run time
  static Threads all;
  return all;
}

}  // namespace

ThreadHeapTracker::ThreadHeapTracker() : former_(std::exchange(of_this_thread, this)) { threads().one_more(); }

ThreadHeapTracker::~ThreadHeapTracker() {
  of_this_thread = former_;
  threads().one_less();
}

HeapUse HeapCount::use() const {
  const std::scoped_lock lock(mutex_);
  return use_;
}

std::optional<std::size_t> HeapCount::size_of(void* block) const {
  const std::scoped_lock lock(mutex_);
  const auto known = sizes_.find(block);
  return known == sizes_.end() ? std::nullopt : std::optional(known->second);
}

void HeapCount::leave_out(void* block) {
  const std::optional<std::size_t> bytes = size_of(block);
  freeing(block, bytes);
  const std::scoped_lock lock(mutex_);
  use_.peak_bytes -= bytes.value_or(0);
  if (bytes) --use_.allocations;
}

/// Refuses a block for which there is no room in its own table.
bool HeapCount::allocated(void* block, std::size_t bytes) noexcept {
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

void HeapCount::freeing(void* block, std::optional<std::size_t> /*bytes*/) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto known = sizes_.find(block);
  if (known == sizes_.end()) return;
  use_.live_bytes -= known->second;
  use_.live_usable_bytes -= usable_size(block);
  --use_.live_blocks;
  sizes_.erase(known);
}

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
