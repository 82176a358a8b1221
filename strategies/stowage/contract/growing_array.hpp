#pragma once

// Memory that grows: an aligned heap block and an array of plain records, of which registries, maps and rows are made.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/lines.hpp>

namespace stowage::parts {

/// How many rows an array has room for after it grew because `capacity` does not hold `needed`.
///
/// Small arrays double. From 4096 rows on they grow by 3/8, so an array that was grown one by one is never more than
/// 1.375 times what it holds (56 bytes in use per entity take less than 80), at 2.7 moves per row over its life instead
/// of 1.
[[nodiscard]] constexpr std::size_t grown_capacity(std::size_t capacity, std::size_t needed) noexcept {
  constexpr std::size_t smallest = 16;
  constexpr std::size_t doubling_ends = 4096;
  const std::size_t grown = capacity < doubling_ends ? capacity * 2 : capacity + capacity / 8 * 3;
  return (std::max)({smallest, grown, needed});
}

/// Bytes of `count` elements. Throws std::length_error if no array can be so long.
[[nodiscard]] constexpr std::size_t array_bytes(std::size_t count, std::size_t element_bytes) {
  if (element_bytes != 0 && count > PTRDIFF_MAX / element_bytes) {
    STOWAGE_THROW(std::length_error("more elements than an array can have"));
  }
  return count * element_bytes;
}

/// One heap block, aligned for every component. Empty until it is given bytes.
class Block {
 public:
  Block() = default;
  Block(std::size_t bytes, std::size_t alignment)
      : data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}))),
        bytes_(bytes),
        alignment_(alignment) {}
  Block(Block&& other) noexcept { swap(other); }
  Block& operator=(Block&& other) noexcept {
    Block moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Block() {
    if (data_ != nullptr) ::operator delete(data_, std::align_val_t{alignment_});
  }

  void swap(Block& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(alignment_, other.alignment_);
  }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t alignment_ = cache_line_bytes;
};

/// A vector for book-keeping records: grows by grown_capacity(), leaves new capacity untouched, and keeps the path that
/// appends within capacity to a handful of instructions.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept
      : block_(std::move(other.block_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        growths_(std::exchange(other.growths_, 0)) {}
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    GrowingArray moved(std::move(other));
    block_.swap(moved.block_);
    std::swap(size_, moved.size_);
    std::swap(capacity_, moved.capacity_);
    std::swap(growths_, moved.growths_);
    return *this;
  }

  [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(block_.data()); }
  [[nodiscard]] const T* data() const noexcept { return reinterpret_cast<const T*>(block_.data()); }
  [[nodiscard]] T& operator[](std::size_t position) noexcept { return data()[position]; }
  [[nodiscard]] const T& operator[](std::size_t position) const noexcept { return data()[position]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return block_.bytes(); }
  [[nodiscard]] std::size_t allocations() const noexcept { return capacity_ != 0 ? 1 : 0; }
  /// How often it moved to a larger allocation.
  [[nodiscard]] std::uint64_t growths() const noexcept { return growths_; }

  /// Throws std::bad_alloc, or std::length_error if no array can be so long; then nothing has changed. The same holds
  /// for everything below that grows.
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  void make_room(std::size_t size) {
    if (size > capacity_) [[unlikely]]
      reallocate(grown_capacity(capacity_, size));
  }

  void append(T value) {
    make_room(size_ + 1);
    data()[size_++] = value;
  }
  /// New elements, if any, are copies of `value`.
  void extend(std::size_t size, T value) {
    if (size <= size_) return;
    make_room(size);
    std::fill(data() + size_, data() + size, value);
    size_ = size;
  }
  /// New elements are whatever the memory holds: for a caller that writes them next.
  void extend_unwritten(std::size_t size) {
    make_room(size);
    size_ = (std::max)(size, size_);
  }
  /// Copies what `other` holds, and allocates only if the memory here does not suffice. Throws std::bad_alloc; then
  /// nothing has changed.
  void copy_from(const GrowingArray& other) {
    if (other.size_ > capacity_) {
      block_ = Block(other.block_.bytes(), cache_line_bytes);
      growths_ += capacity_ != 0 ? 1U : 0U;
      capacity_ = other.capacity_;
    }
    if (other.size_ != 0) std::memcpy(block_.data(), other.block_.data(), other.size_ * sizeof(T));
    size_ = other.size_;
  }
  void shrink(std::size_t size) noexcept { size_ = (std::min)(size, size_); }
  void clear() noexcept { size_ = 0; }

 private:
  STOWAGE_COLD void reallocate(std::size_t capacity) {
    Block larger(array_bytes(capacity, sizeof(T)), cache_line_bytes);
    if (size_ != 0) std::memcpy(larger.data(), block_.data(), size_ * sizeof(T));
    block_ = std::move(larger);
    growths_ += capacity_ != 0 ? 1U : 0U;
    capacity_ = capacity;
  }

  Block block_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::uint64_t growths_ = 0;
};

}  // namespace stowage::parts
