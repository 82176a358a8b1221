#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// The global operator new and delete of every binary that has the harness in it. They are malloc and free, with one
// test of a pointer in front, so that the timed code behaves as a program without them.
namespace stowage::harness {

/// Notified of every operator new and delete while it is installed. Must not use operator new itself.
class HeapObserver {
 public:
  HeapObserver() = default;
  HeapObserver(const HeapObserver&) = delete;
  HeapObserver& operator=(const HeapObserver&) = delete;
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

}  // namespace stowage::harness
