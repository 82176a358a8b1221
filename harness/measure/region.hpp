#pragma once

#include <utility>

namespace stowage::harness {

/// Notified when the measured region is entered and left. Tests use it to check where a destructor runs.
class RegionObserver {
 public:
  RegionObserver() = default;
  RegionObserver(const RegionObserver&) = delete;
  RegionObserver& operator=(const RegionObserver&) = delete;
  virtual ~RegionObserver() = default;

  virtual void entered() = 0;
  virtual void left() = 0;
};

/// The stretch of code that a pass measures. Its two ends lie just outside the clock's, so that an observer is never
/// part of a figure; without one a region is two tests of a pointer.
class Region {
 public:
  Region() {
    if (installed != nullptr) installed->entered();
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    if (installed != nullptr) installed->left();
  }

  /// Sets the observer of every region from now on and returns the former one; null for none.
  static RegionObserver* observe(RegionObserver* observer) noexcept { return std::exchange(installed, observer); }

 private:
  inline static RegionObserver* installed = nullptr;
};

}  // namespace stowage::harness
