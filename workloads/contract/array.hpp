#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include <stowage/contract/lines.hpp>

namespace stowage::workloads {

/// Takes memory from malloc, past operator new: what operator new hands out is what the storages under measurement
/// hold.
template <class T>
class UncountedAllocator {
 public:
  using value_type = T;
  static_assert(alignof(T) <= alignof(std::max_align_t), "malloc aligns no further");

  UncountedAllocator() noexcept = default;
  template <class U>  // NOLINTNEXTLINE(google-explicit-constructor): containers convert it to the types they allocate
  UncountedAllocator(const UncountedAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    const bool fits = n <= std::numeric_limits<std::size_t>::max() / sizeof(T);
    if (void* const block = fits ? std::malloc(n * sizeof(T)) : nullptr) return static_cast<T*>(block);
    throw std::bad_alloc();
  }
  void deallocate(T* block, std::size_t) noexcept { std::free(block); }

  template <class U>
  friend bool operator==(const UncountedAllocator&, const UncountedAllocator<U>&) noexcept {
    return true;
  }
};

/// What a workload keeps for itself (values to create from, handles to look up, orders) and no storage should be
/// charged with. The data of a hand-written reference, which stand for a storage, are in a StoredArray.
template <class T>
using Array = std::vector<T, UncountedAllocator<T>>;

/// Takes memory from operator new that starts on a cache line.
template <class T>
class LineAllocator {
  static constexpr std::align_val_t alignment{cache_line_bytes};

 public:
  using value_type = T;
  static_assert(alignof(T) <= cache_line_bytes);

  LineAllocator() noexcept = default;
  template <class U>  // NOLINTNEXTLINE(google-explicit-constructor): containers convert it to the types they allocate
  LineAllocator(const LineAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(n * sizeof(T), alignment));
  }
  void deallocate(T* block, std::size_t) noexcept { ::operator delete(block, alignment); }

  template <class U>
  friend bool operator==(const LineAllocator&, const LineAllocator<U>&) noexcept {
    return true;
  }
};

/// An array of a hand-written reference. It starts on a cache line as the columns of the strategies do, or the
/// comparison would be about where malloc puts it. Columns that are written while others are read go into one
/// parts::Columns, which keeps them apart modulo 4096, too.
template <class T>
using StoredArray = std::vector<T, LineAllocator<T>>;

}  // namespace stowage::workloads
