#pragma once

#include <atomic>
#include <cstdint>

#include <stowage/contract/assert.hpp>

namespace stowage::parts {

/// Counts the loops that are under way over a storage, in any thread, so that an operation which would pull the rows
/// from under them is an assertion and not a corruption. Two instructions per loop.
class IterationGuard {
 public:
  IterationGuard() = default;
  IterationGuard(const IterationGuard&) = delete;
  IterationGuard& operator=(const IterationGuard&) = delete;

  /// A loop, which is no change: const storages have them too.
  class Scope {
   public:
    explicit Scope(const IterationGuard& guard) noexcept : guard_(guard) {
      guard_.loops_.fetch_add(1, std::memory_order_relaxed);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { guard_.loops_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    const IterationGuard& guard_;
  };

  void assert_no_loop() const {
    STOWAGE_ASSERT(loops_.load(std::memory_order_relaxed) == 0,
                   "this strategy does not allow structural change inside each(): see its semantics card");
  }

 private:
  mutable std::atomic<std::uint32_t> loops_ = 0;
};

}  // namespace stowage::parts
