#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/doctor/judge.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/plan/selection.hpp"
#include "harness/results/run.hpp"
#include "harness/statistics/estimates.hpp"

namespace stowage::harness::doctor {

/// A cell that was measured as if it were two strategies. They are equal, so any difference of their ratio from 1 is
/// caused by the machine: other programs, frequencies, and the addresses of the two in memory.
struct NoisyCell {
  std::string name;
  std::string error = {};    ///< why there is no ratio; empty if there is one
  Estimate ratio = {1, {}};  ///< of the one to the other, round by round
};

/// With the repetitions of one preset.
struct NoiseFloor {
  std::string preset;
  std::vector<NoisyCell> cells;
};

/// Whether the interval of the ratio says that equal cells may be equal.
[[nodiscard]] bool holds_one(const NoisyCell& cell);
/// High less low, as a share; infinite if there is no interval.
[[nodiscard]] double width(const NoisyCell& cell);
/// The least share by which two cells must differ to be ranked: how far the widest interval reaches from 1.
/// Infinite if a cell failed.
[[nodiscard]] double untold_difference(const NoiseFloor& floor);

/// Cells of a world, of different kinds: streaming, looking up in and out of the caches, destroying and creating. Each
/// is a block of one strategy and its equal copy. If the catalogue has no world, cells of its first workloads; empty if
/// it has no workloads either.
[[nodiscard]] std::vector<Block> noise_blocks(const Catalogue& catalogue);
/// What a strategy must be compiled for before that.
[[nodiscard]] std::vector<std::string> noise_units(const Catalogue& catalogue);

/// The noise that blocks of two equal cells each show.
[[nodiscard]] NoiseFloor noise_floor_of(const std::string& preset, const std::vector<BlockResult>& blocks);

/// Measures `blocks` with the precision of `quick` and of `standard`. None if `bench.stop` asked to stop.
[[nodiscard]] std::optional<std::vector<NoiseFloor>> measure_noise(const std::vector<Block>& blocks,
                                                                   const Bench& bench);

/// By the last of `floors`, the most precise one. There is nothing to measure if it has no cells.
[[nodiscard]] Check judge_noise(const std::vector<NoiseFloor>& floors);

}  // namespace stowage::harness::doctor
