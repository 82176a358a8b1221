#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "harness/measure/time.hpp"
#include "harness/results/run.hpp"
#include "harness/schedule/progress.hpp"
#include "harness/schedule/verification.hpp"

namespace stowage::harness {

/// How precisely a block is measured.
struct TimePlan {
  std::size_t repetitions = 0;
  std::size_t fewest_repetitions = 0;  ///< where the budget does not suffice for all
  double min_time_ns = 0;              ///< of one repetition
  std::optional<double> budget_s;      ///< none: take the time that it takes
  std::uint64_t seed = 0;
  bool builds_anew = true;  ///< the cases of a block before each round, where that is cheap
};

/// What a run works with; tests replace the timer and the clock.
struct Bench {
  const Catalogue& catalogue;
  Timer& timer;
  Progress& progress;
  StopRequest stop;
  std::function<double()> now_s;
};

/// Verifies the cells of `block`, then times the good ones in interleaved rounds: in every round each of them once, in
/// an order that is shuffled anew. Where that is cheap all are built, and verified, anew before each round. None where
/// `bench.stop` asked to stop: half a block is no result.
[[nodiscard]] std::optional<BlockResult> measure_block(const Block& block, const TimePlan& plan, const Bench& bench);

}  // namespace stowage::harness
