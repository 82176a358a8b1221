#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include <stowage/serialize/byte_buffer.hpp>
#include <stowage/serialize/component_format.hpp>

namespace stowage::serialize {

/// Components on their way from a file to a storage: copied or decoded, and ended when they have been moved out.
class Workspace {
 public:
  Workspace(const ComponentOperations& component, std::size_t rows) : component_(component) {
    alignment_ = std::max(component.alignment, ByteBuffer::alignment);
    data_ = static_cast<std::byte*>(::operator new(rows * component.bytes, std::align_val_t{alignment_}));
  }
  Workspace(Workspace&& other) noexcept
      : component_(other.component_),
        alignment_(other.alignment_),
        data_(std::exchange(other.data_, nullptr)),
        constructed_(std::exchange(other.constructed_, 0)) {}
  Workspace& operator=(Workspace&&) = delete;
  ~Workspace() {
    if (constructed_ != 0) component_.destroy(data_, constructed_);
    ::operator delete(data_, std::align_val_t{alignment_});
  }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// The first `rows` are objects that have to be ended.
  void owns(std::size_t rows) noexcept { constructed_ = rows; }

 private:
  const ComponentOperations& component_;
  std::size_t alignment_;
  std::byte* data_;
  std::size_t constructed_ = 0;
};

}  // namespace stowage::serialize
