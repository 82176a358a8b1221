#pragma once

namespace stowage::harness {

/// While one lives, the first SIGINT or SIGTERM is noted instead of ending the process, so that a run can stop between
/// two repetitions. A second one ends the process as usual. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  [[nodiscard]] static bool interrupted() noexcept;
};

}  // namespace stowage::harness
