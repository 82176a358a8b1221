#pragma once

#include <cstddef>
#include <optional>

// The global operator new and delete of every binary that has the harness in it. They are malloc and free, with one
// test of a pointer in front, so that what is timed is what a program without them would do.
namespace stowage::harness {

/// Told of every operator new and delete while it is installed. Must not use operator new itself.
class HeapObserver {
 public:
  HeapObserver() = default;
  HeapObserver(const HeapObserver&) = delete;
  HeapObserver& operator=(const HeapObserver&) = delete;
  virtual ~HeapObserver() = default;

  /// `block` was allocated for `bytes`. False refuses it: it is freed, and who asked is told that there is no memory.
  [[nodiscard]] virtual bool allocated(void* block, std::size_t bytes) noexcept = 0;
  /// `block` is about to be freed as one of `bytes`, where the delete expression knows its size.
  virtual void freeing(void* block, std::optional<std::size_t> bytes) noexcept = 0;
};

/// Sets the observer from now on and returns the former one; null for none.
HeapObserver* observe_heap(HeapObserver* observer) noexcept;

[[nodiscard]] bool heap_is_observed() noexcept;

}  // namespace stowage::harness
