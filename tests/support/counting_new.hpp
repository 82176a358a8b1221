#pragma once

#include <cstddef>
#include <new>

#include "harness/measure/memory/heap.hpp"

// The heap of a test binary: every byte of operator new is counted from the start, and any allocation can be made to
// fail. Link stowage_counting_new. A sized delete whose size differs from the one asked for ends the program.
namespace stowage::testing {

[[nodiscard]] harness::HeapUse heap() noexcept;

/// What happens after the allocation that fails: one refusal, or no more memory until the end of the scope.
enum class Shortage { passing, lasting };

/// While it lives, the allocation number `nth` from now on (counted from 1) throws std::bad_alloc.
class FailingAllocation {
 public:
  FailingAllocation(std::size_t nth, Shortage shortage) noexcept;
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  ~FailingAllocation();

  /// Whether that allocation has been asked for.
  [[nodiscard]] bool happened() const noexcept;
};

/// What `operation` did while its allocation number `nth` failed.
struct Refusal {
  bool threw = false;     ///< std::bad_alloc, for this or another reason
  bool happened = false;  ///< there was such an allocation
};
template <class Operation>
[[nodiscard]] Refusal refuse(std::size_t nth, Shortage shortage, Operation&& operation) {
  Refusal refusal;
  const FailingAllocation failing(nth, shortage);
  try {
    operation();
  } catch (const std::bad_alloc&) {
    refusal.threw = true;
  }
  refusal.happened = failing.happened();
  return refusal;
}

/// While it lives, what a FailingAllocation says of the allocations to come is put off.
class NoFailure {
 public:
  NoFailure() noexcept;
  NoFailure(const NoFailure&) = delete;
  NoFailure& operator=(const NoFailure&) = delete;
  ~NoFailure();

 private:
  std::size_t until_failure_;
};

}  // namespace stowage::testing
