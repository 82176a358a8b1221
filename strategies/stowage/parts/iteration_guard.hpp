#pragma once

#include <cstdint>

#include <stowage/contract/assert.hpp>

namespace stowage::parts {

/// Counts the loops that are under way over a storage, so that an operation which would pull the rows from under them
/// is an assertion and not a corruption. Two instructions per loop.
class IterationGuard {
 public:
  IterationGuard() = default;
  IterationGuard(const IterationGuard&) = delete;
  IterationGuard& operator=(const IterationGuard&) = delete;

  class Scope {
   public:
    explicit Scope(IterationGuard& guard) noexcept : guard_(guard) { ++guard_.loops_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { --guard_.loops_; }

   private:
    IterationGuard& guard_;
  };

  void assert_no_loop() const {
    STOWAGE_ASSERT(loops_ == 0, "this strategy does not allow structural change inside each(): see its semantics card");
  }

 private:
  std::uint32_t loops_ = 0;
};

}  // namespace stowage::parts
