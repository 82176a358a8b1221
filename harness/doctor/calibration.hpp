#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/measure/pass.hpp"
#include "harness/measure/time.hpp"
#include "harness/system/environment.hpp"

// The runs behind `stowage doctor --calibrate`, in which the truth is known: each has copies of one strategy, one of
// them equal and the others slower by known shares. stowage_report.calibrate pairs such runs and counts how often
// the verdicts on them are right.
namespace stowage::harness::doctor {

/// The first argument of the command that makes one such run: `stowage __calibrate DIR PRESET STRATEGIES SEED FIRST
/// LAYOUTS`. Copies are made of the first of the STRATEGIES; code is measured in so many LAYOUTS from FIRST on.
inline constexpr std::string_view calibration_argument = "__calibrate";

/// The percentages by which copies are slowed down. 0 is an equal strategy under another name.
inline constexpr int slowdowns[] = {0, 2, 3, 5, 10};

/// `indirection_map+5%`: the copy of a strategy that takes that many percent longer.
[[nodiscard]] std::string copy_name(std::string_view strategy, int percent);

/// The percentage in the name of a copy; 0 for a strategy that is no copy.
[[nodiscard]] int slowdown_of(std::string_view strategy);

/// Waits busily for so many nanoseconds. Returns how many really passed.
[[nodiscard]] double wait_busily(double ns);

/// Times as `timer` does; then waits for as many percent of that time as the name of the cell says, and counts the wait
/// as part of the repetition. So a copy is slower by exactly that share, whatever else the machine does.
class SlowedTimer final : public Timer {
 public:
  explicit SlowedTimer(Timer& timer, std::function<double(double ns)> wait = wait_busily)
      : timer_(timer), wait_(std::move(wait)) {}

  [[nodiscard]] TimedRepetition time(const std::string& cell, workloads::Measurement& measurement, std::size_t passes,
                                     bool is_warmed = true) override;

 private:
  Timer& timer_;
  std::function<double(double ns)> wait_;
};

struct CalibrationRequest {
  std::filesystem::path directory;
  std::string preset;
  std::vector<std::string> strategies;  ///< the first has copies; if it is alone, an equal one only
  /// One of each kind: iteration, lookup, churn, structural change, join.
  std::string workloads = "point_mass,lookup,churn,structural,join";
  std::size_t first_layout = 0;
  std::size_t layouts = 1;
  std::uint64_t seed = 0;  ///< of the order of rounds; the workloads' inputs are always the same
};

/// Times the blocks of such a run. Saves directory/copies/results.json, which has the copies, their original and the
/// reference, and then directory/results.json, which has all but the copies. Throws Interrupted if `bench.stop` asked
/// to stop: then there are no files. The catalogue of `bench` has the cells of all strategies, and none of the copies.
void make_calibration_run(const CalibrationRequest& request, const Bench& bench);

/// What a calibration in `directory` says of the verdicts of `command`, in a sentence; empty if there is none, or if it
/// is of another machine, compiler or version.
[[nodiscard]] std::string quoted_rates(const std::filesystem::path& directory, const std::string& command,
                                       const Environment& environment);

}  // namespace stowage::harness::doctor
