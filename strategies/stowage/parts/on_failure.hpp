#pragma once

#include <utility>

namespace stowage::parts {

/// Runs `undo` when the scope is left by an exception before release().
template <class Undo>
class OnFailure {
 public:
  explicit OnFailure(Undo undo) noexcept : undo_(std::move(undo)) {}
  OnFailure(const OnFailure&) = delete;
  OnFailure& operator=(const OnFailure&) = delete;
  ~OnFailure() {
    if (armed_) undo_();
  }

  void release() noexcept { armed_ = false; }

 private:
  Undo undo_;
  bool armed_ = true;
};

}  // namespace stowage::parts
