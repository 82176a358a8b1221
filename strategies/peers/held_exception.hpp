#pragma once

#include <exception>
#include <utility>

namespace stowage::peers {

/// An exception on its way through a loop of a library that would stay locked if it left that loop.
class HeldException {
 public:
  /// Calls `visit()`, unless one is held already.
  template <class Visit>
  void hold(Visit&& visit) noexcept {
    if (held_ != nullptr) return;
    try {
      std::forward<Visit>(visit)();
    } catch (...) {
      held_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (held_ != nullptr) std::rethrow_exception(held_);
  }

 private:
  std::exception_ptr held_;
};

}  // namespace stowage::peers
