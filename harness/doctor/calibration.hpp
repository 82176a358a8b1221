#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/measure/time.hpp"
#include "harness/results/run.hpp"
#include "harness/system/environment.hpp"

// The copies in the runs behind `stowage doctor --calibrate`, of which the truth is known. Each is a run of `quick` in
// which one strategy has an equal copy and a slower one. stowage_report.calibrate counts how often the verdicts are
// right.
namespace stowage::harness::doctor {

/// The first argument of the command that makes such a run: `stowage __calibrate DIR NUMBER MINUTES`. The NUMBER-th
/// strategy of the run, counted round, has copies. If MINUTES is a number, the copies are looked at further, as by
/// `run --until-decided MINUTES`.
inline constexpr std::string_view calibration_argument = "__calibrate";

/// The percentages by which copies are slowed down. 0 is an equal strategy under another name.
inline constexpr int slowdowns[] = {0, 5};

/// Below the directory of a run: all that was timed. The run itself is stored as if it had no copies.
inline constexpr const char* copies_directory = "copies";

/// `indirection_map+5%`: the copy of a strategy that takes that many percent longer.
[[nodiscard]] std::string copy_name(std::string_view strategy, int percent);

/// The percentage in the name of a copy; none for a strategy that is no copy.
[[nodiscard]] std::optional<int> slowdown_of(std::string_view strategy);

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

/// The run as if it had no copies.
[[nodiscard]] Run without_copies(Run run);

/// What a calibration in `directory` says of the verdicts of `command`, in a sentence; empty if there is none, or if it
/// is of another machine, compiler or version.
[[nodiscard]] std::string quoted_rates(const std::filesystem::path& directory, const std::string& command,
                                       const Environment& environment);

}  // namespace stowage::harness::doctor
