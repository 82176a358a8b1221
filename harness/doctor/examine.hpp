#pragma once

#include <optional>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/doctor/judge.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/plan/selection.hpp"
#include "harness/system/environment.hpp"

// The part of `stowage doctor` that looks at the machine.
namespace stowage::harness::doctor {

/// Watches the load of other programs from now on.
class Surroundings {
 public:
  Surroundings();

  /// Until now; none if the system does not report it.
  [[nodiscard]] std::optional<Company> company() const;

 private:
  std::optional<ProcessorTicks> ticks_;
  double started_s_;
  double own_s_;
};

/// The time pass, as run_blocks has it. Records too what other programs did meanwhile, and the verdict on the machine:
/// of a run that was resumed, the worst of its parts.
void time_blocks(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, const Bench& bench,
                 const SaveRun& save, const VisitApart& apart = nullptr);

/// `environment` was recorded before the measurement, `company` during it.
[[nodiscard]] std::vector<Check> check_machine(const Environment& environment, const std::optional<Company>& company,
                                               const Catalogue& catalogue);

/// The programs that commands need beside this binary. Starts each of them once.
[[nodiscard]] std::vector<Check> check_tools();

/// What the largest block of `run --preset standard` needs, whose cells are all in memory together; none without cells.
[[nodiscard]] std::optional<MemoryNeed> memory_need_of_standard(const Catalogue& catalogue);

}  // namespace stowage::harness::doctor
