#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include <stowage/contract/lines.hpp>

namespace stowage::workloads {

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
