#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace stowage {

/// Bytes on the heap that nobody has to write before somebody does, aligned for every component of a file: a sink for
/// save() that keeps its memory from one file to the next, and a source for load().
class ByteBuffer {
 public:
  static constexpr std::size_t alignment = 64;

  ByteBuffer() = default;
  ByteBuffer(ByteBuffer&& other) noexcept { swap(other); }
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    ByteBuffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~ByteBuffer() { ::operator delete(data_, std::align_val_t{alignment}); }

  /// Room for a file of this size; what was there before is lost. Throws std::bad_alloc; then nothing has changed.
  std::byte* room(std::size_t bytes) {
    if (bytes > capacity_) {
      ByteBuffer larger;
      larger.data_ = take(bytes);
      larger.capacity_ = bytes;
      swap(larger);
    }
    size_ = bytes;
    return data_;
  }

  void append(const void* bytes, std::size_t count) {
    if (count > capacity_ - size_) {
      const std::size_t wanted = std::max(size_ + count, capacity_ + capacity_ / 2);
      std::byte* const larger = take(wanted);
      if (size_ != 0) std::memcpy(larger, data_, size_);
      ::operator delete(data_, std::align_val_t{alignment});
      data_ = larger;
      capacity_ = wanted;
    }
    if (count != 0) std::memcpy(data_ + size_, bytes, count);
    size_ += count;
  }

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  [[nodiscard]] static std::byte* take(std::size_t bytes) {
    return static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}));
  }
  void swap(ByteBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace stowage
