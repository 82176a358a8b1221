#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

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

}  // namespace stowage::workloads
