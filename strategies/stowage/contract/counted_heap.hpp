#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <stowage/contract/memory.hpp>

namespace stowage::parts {

/// What containers of the standard library or Boost hold on the heap right now, to the byte. Hash tables ask for their
/// nodes one by one and for their slots or buckets as an array, a new one each time that they are built anew.
struct HeapCount {
  std::size_t bytes = 0;
  std::size_t blocks = 0;
  std::size_t array_bytes = 0;         ///< of `bytes`, those in arrays
  std::uint64_t arrays_ever_made = 0;  ///< arrays given back included
};

/// The standard allocator, with every byte it hands out written down in a HeapCount that outlives it.
template <class T>
class CountingAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  explicit CountingAllocator(HeapCount& count) noexcept : count_(&count) {}
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): containers turn allocators of one type into those of another
  CountingAllocator(const CountingAllocator<U>& other) noexcept : count_(&other.count()) {}

  [[nodiscard]] T* allocate(std::size_t n) {
    T* const block = std::allocator<T>{}.allocate(n);
    count_->bytes += n * sizeof(T);
    ++count_->blocks;
    if (n > 1) {
      count_->array_bytes += n * sizeof(T);
      ++count_->arrays_ever_made;
    }
    return block;
  }
  void deallocate(T* block, std::size_t n) noexcept {
    std::allocator<T>{}.deallocate(block, n);
    count_->bytes -= n * sizeof(T);
    --count_->blocks;
    if (n > 1) count_->array_bytes -= n * sizeof(T);
  }

  [[nodiscard]] HeapCount& count() const noexcept { return *count_; }
  template <class U>
  friend bool operator==(const CountingAllocator& left, const CountingAllocator<U>& right) noexcept {
    return &left.count() == &right.count();
  }

 private:
  HeapCount* count_;
};

}  // namespace stowage::parts
