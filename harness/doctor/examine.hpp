#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/doctor/judge.hpp"
#include "harness/plan/selection.hpp"
#include "harness/system/environment.hpp"

// The part of `stowage doctor` that looks at the machine.
namespace stowage::harness::doctor {

/// What goes on beside this process from now on.
class Surroundings {
 public:
  Surroundings();

  /// Until now; none if the system does not report it.
  [[nodiscard]] std::optional<Company> company() const;

 private:
  std::optional<ProcessorTicks> ticks_;
  std::chrono::steady_clock::time_point started_;
  std::clock_t own_;
};

/// `environment` is of before anything was measured, `company` of meanwhile.
[[nodiscard]] std::vector<Check> check_machine(const Environment& environment, const std::optional<Company>& company,
                                               const Catalogue& catalogue);

/// What the commands need beside this binary. Starts each of them once.
[[nodiscard]] std::vector<Check> check_tools();

/// Of the block of `blocks` that holds most, all of whose cells are in memory together; none of no blocks.
[[nodiscard]] std::optional<MemoryNeed> memory_need_of(const std::vector<Block>& blocks);

/// Of `run --preset standard` of all that `catalogue` has.
[[nodiscard]] std::optional<MemoryNeed> memory_need_of_standard(const Catalogue& catalogue);

}  // namespace stowage::harness::doctor
