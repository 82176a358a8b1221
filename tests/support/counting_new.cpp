#include "tests/support/counting_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>

namespace stowage::testing {

namespace {

constinit std::atomic<std::size_t> until_failure{0};  // 0: nothing fails
constinit std::atomic<bool> failure_lasts{false};
constinit std::atomic<bool> failed{false};

[[nodiscard]] bool refuses() noexcept {
  if (until_failure == 0) return false;
  if (until_failure == 1) {
    failed = true;
    if (!failure_lasts) until_failure = 0;
    return true;
  }
  --until_failure;
  return false;
}

class TestHeap final : public harness::HeapTracker {
 public:
  [[nodiscard]] bool allocated(void* block, std::size_t bytes) noexcept override {
    return !refuses() && HeapTracker::allocated(block, bytes);
  }
  void freeing(void* block, std::optional<std::size_t> bytes) noexcept override {
    const std::optional<std::size_t> asked_for = size_of(block);
    if (asked_for && bytes && *bytes != *asked_for) {
      std::fprintf(stderr, "a block of %zu bytes is given back as one of %zu\n", *asked_for, *bytes);
      std::abort();
    }
    HeapTracker::freeing(block, bytes);
  }
};

// Never destroyed: something is freed until the very end.
alignas(TestHeap) std::byte room[sizeof(TestHeap)];
TestHeap& test_heap = *::new (room) TestHeap;

}  // namespace

harness::HeapUse heap() noexcept { return test_heap.use(); }

FailingAllocation::FailingAllocation(std::size_t nth, Shortage shortage) noexcept {
  failed = false;
  failure_lasts = shortage == Shortage::lasting;
  until_failure = nth;
}
FailingAllocation::~FailingAllocation() { until_failure = 0; }
// NOLINTNEXTLINE(readability-convert-member-functions-to-static): of this failure, as far as its user knows
bool FailingAllocation::happened() const noexcept { return failed; }

NoFailure::NoFailure() noexcept : until_failure_(until_failure.exchange(0)) {}
NoFailure::~NoFailure() { until_failure = until_failure_; }

}  // namespace stowage::testing
