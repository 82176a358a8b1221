#pragma once

#include <boost/core/noncopyable.hpp>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "workloads/support/array.hpp"

// The global operator new and delete of every binary that has the harness in it, and what counts their blocks. They are
// malloc and free, with one test of a pointer in front, so that the timed code behaves as a program without them.
namespace stowage::harness {

/// Notified of every operator new and delete while it is installed. Must not use operator new itself.
class HeapObserver : boost::noncopyable {
 public:
  virtual ~HeapObserver() = default;

  /// `block` was allocated for `bytes`. False refuses it: it is freed, and the caller gets the error for exhausted
  /// memory.
  [[nodiscard]] virtual bool allocated(void* block, std::size_t bytes) noexcept = 0;
  /// `block` is about to be freed as one of `bytes`, if the delete expression knows its size.
  virtual void freeing(void* block, std::optional<std::size_t> bytes) noexcept = 0;
};

/// Sets the observer from now on and returns the former one; null for none.
HeapObserver* observe_heap(HeapObserver* observer) noexcept;

[[nodiscard]] bool heap_is_observed() noexcept;

/// From now on what is freed stays with this process and is given out again. Otherwise an allocation inside the clock
/// waits for the system to clear pages or does not, depending on what others have freed before: at a million entities
/// that was 24 ns an entity or nothing, between rounds of one cell. Does nothing for other C libraries than glibc.
inline void keep_freed_pages() noexcept {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// Gives back what was kept so far: what is allocated next lies in other pages of memory.
inline void give_back_freed_pages() noexcept {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

/// Whether the C library reports the real size of its blocks (glibc and musl do).
#ifdef __linux__
inline constexpr bool usable_sizes_are_known = true;
#else
inline constexpr bool usable_sizes_are_known = false;
#endif

/// The memory requested from operator new since counting began.
struct HeapUse {
  std::size_t live_bytes = 0;         ///< as asked for
  std::size_t live_usable_bytes = 0;  ///< as malloc_usable_size says; 0 if that is not there
  std::size_t live_blocks = 0;
  std::size_t peak_bytes = 0;   ///< most live bytes at once
  std::size_t allocations = 0;  ///< ever made
};

/// Counts the blocks that it is notified of, and ignores blocks from before.
class HeapCount : public HeapObserver {
 public:
  [[nodiscard]] HeapUse use() const;
  /// Takes a live block, which has been there from the beginning, out of all figures.
  void leave_out(void* block);
  /// The bytes that `block` was allocated for, if it was while this counted.
  [[nodiscard]] std::optional<std::size_t> size_of(void* block) const;

  [[nodiscard]] bool allocated(void* block, std::size_t bytes) noexcept override;
  void freeing(void* block, std::optional<std::size_t> bytes) noexcept override;

 private:
  using Sizes = std::unordered_map<void*, std::size_t, std::hash<void*>, std::equal_to<>,
                                   workloads::UncountedAllocator<std::pair<void* const, std::size_t>>>;

  mutable std::mutex mutex_;
  Sizes sizes_;  // of the live blocks: an unsized delete does not know them
  HeapUse use_;
};

/// Counts what operator new hands out and takes back, in all threads, as long as it lives.
class HeapTracker : public HeapCount {
 public:
  HeapTracker() : former_(observe_heap(this)) {}
  ~HeapTracker() override { observe_heap(former_); }

 private:
  HeapObserver* former_;
};

/// Counts what operator new hands out to the thread that made it, and takes back from that, as long as it lives.
/// Threads may have one each at the same time, but no HeapTracker may come or go meanwhile.
class ThreadHeapTracker : public HeapCount {
 public:
  ThreadHeapTracker();
  ~ThreadHeapTracker() override;

 private:
  HeapObserver* former_;
};

}  // namespace stowage::harness
