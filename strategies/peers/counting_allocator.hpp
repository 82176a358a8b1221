#pragma once

#include <cstddef>
#include <memory>

namespace stowage::peers {

/// The bytes and blocks of one owner on the heap.
struct HeapAccount {
  std::size_t bytes = 0;
  std::size_t blocks = 0;
};

/// std::allocator with an account of what was taken, which has to outlive everything that allocates.
template <class T>
class CountingAllocator {
 public:
  using value_type = T;

  /// For containers that stay empty: without an account.
  CountingAllocator() = default;
  explicit CountingAllocator(HeapAccount& account) noexcept : account_(&account) {}
  template <class U>
  CountingAllocator(const CountingAllocator<U>& other) noexcept
      : account_(other.account()) {}  // as containers rebind it

  [[nodiscard]] T* allocate(std::size_t count) {
    T* const taken = std::allocator<T>().allocate(count);
    if (account_ != nullptr) {
      account_->bytes += count * sizeof(T);
      ++account_->blocks;
    }
    return taken;
  }
  void deallocate(T* taken, std::size_t count) noexcept {
    std::allocator<T>().deallocate(taken, count);
    if (account_ == nullptr) return;
    account_->bytes -= count * sizeof(T);
    --account_->blocks;
  }

  [[nodiscard]] HeapAccount* account() const noexcept { return account_; }
  template <class U>
  friend bool operator==(const CountingAllocator& left, const CountingAllocator<U>& right) noexcept {
    return left.account() == right.account();
  }

 private:
  HeapAccount* account_ = nullptr;
};

}  // namespace stowage::peers
