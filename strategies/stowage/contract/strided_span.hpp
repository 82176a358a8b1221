#pragma once

#include <cstddef>
#include <type_traits>

namespace stowage {

/// `size()` components at a constant distance in memory: what each_block hands out where components of one type do not
/// lie side by side (interleaved rows), or are all the same (tags, stride 0).
template <class C>
class StridedSpan {
 public:
  using element_type = C;

  constexpr StridedSpan(C* first, std::size_t size, std::size_t stride_bytes) noexcept
      : first_(first), size_(size), stride_bytes_(stride_bytes) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::size_t stride_bytes() const noexcept { return stride_bytes_; }
  [[nodiscard]] C& operator[](std::size_t position) const noexcept {
    using Byte = std::conditional_t<std::is_const_v<C>, const std::byte, std::byte>;
    return *reinterpret_cast<C*>(reinterpret_cast<Byte*>(first_) + position * stride_bytes_);
  }

 private:
  C* first_;
  std::size_t size_;
  std::size_t stride_bytes_;
};

}  // namespace stowage
