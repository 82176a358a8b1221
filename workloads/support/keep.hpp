#pragma once

#include <atomic>

namespace stowage::workloads {

/// Makes the compiler believe that `value` is read, so that the work which made it is done.
template <class T>
inline void keep(const T& value) noexcept {
#if defined(__GNUC__)
  asm volatile("" : : "g"(&value) : "memory");
#else
  static_cast<void>(value);
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

/// Keeps the loop that it is called in from being vectorised. Nothing is executed for it.
inline void keep_scalar() noexcept {
#if defined(__GNUC__)
  asm volatile("");
#endif
}

}  // namespace stowage::workloads
