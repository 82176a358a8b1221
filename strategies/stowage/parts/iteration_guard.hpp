#pragma once

#include <atomic>
#include <cstdint>

#include <stowage/contract/assert.hpp>
#include <stowage/parts/loop.hpp>

namespace stowage::parts {

/// In place of a slice: a loop whose function may change nothing.
struct NoChange {
  static constexpr bool is_whole = false;
};

/// Counts the loops that are under way over a storage, in any thread. An operation that would move or end rows under a
/// loop fails an assertion then, and does not corrupt memory. Costs nothing without assertions. Parts of a loop count
/// more, because threads share them: their functions may change nothing, even if the function of a whole loop may.
class IterationGuard {
  static constexpr std::uint64_t part = std::uint64_t{1} << 32;

 public:
  IterationGuard() = default;
  IterationGuard(const IterationGuard&) = delete;
  IterationGuard& operator=(const IterationGuard&) = delete;

  /// Open while a loop over a `Slice` runs (see loop.hpp), or with NoChange, one whose function may change nothing.
  template <class Slice = WholeLoop>
  class Scope {
    static constexpr std::uint64_t weight = Slice::is_whole ? 1 : part;

   public:
    explicit Scope(const IterationGuard& guard) noexcept : guard_(guard) {
      if constexpr (STOWAGE_ASSERTS) guard_.loops_.fetch_add(weight, std::memory_order_relaxed);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      if constexpr (STOWAGE_ASSERTS) guard_.loops_.fetch_sub(weight, std::memory_order_relaxed);
    }

   private:
    const IterationGuard& guard_;
  };

  void assert_no_loop() const {
    STOWAGE_ASSERT(loops_.load(std::memory_order_relaxed) == 0,
                   "this strategy does not allow structural change inside each(): see its semantics card");
  }

  /// For what may be done inside a whole loop.
  void assert_no_part() const {
    STOWAGE_ASSERT(loops_.load(std::memory_order_relaxed) < part,
                   "no structural change inside each_step(), each_parallel() and each_table()");
  }

 private:
  mutable std::atomic<std::uint64_t> loops_ = 0;
};

}  // namespace stowage::parts
