#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/measure/pass.hpp"
#include "harness/measure/simulated/callgrind.hpp"

namespace stowage::harness {

/// Which cells the simulator takes, and how.
struct CachePlan {
  CacheModel model;
  bool cold = false;
  bool takes_any_size = false;                    ///< however long a cell takes
  std::optional<std::size_t> most_entities = {};  ///< larger cells are left out
  std::optional<double> budget_s = {};            ///< cells that would not be done by then are left out
};

/// The limits of the simulator, printed with its figures.
inline constexpr std::string_view simulation_limits =
    "no prefetcher, two levels of cache, virtual addresses, no TLB, no other program on the machine";
/// If lines are pages.
inline constexpr std::string_view tlb_limits =
    "lines are pages, so misses are those of a TLB of two levels, and no floors in lines are given; all pages have one "
    "size, and reading the page table costs nothing";

/// The cells of `run` that the simulator has neither taken nor left out yet.
[[nodiscard]] std::size_t cells_to_simulate(const Run& run, const std::vector<Block>& blocks);

/// Simulates those cells, small ones first, several at a time, and puts the figures beside what `run` has of them. What
/// the cells of a block did is compared; one that differs, and one that the simulator cannot run, is an error of a cell
/// that has no other figures, and left out of the pass otherwise. The run is saved after every block. False if
/// `bench.stop` asked to stop: the blocks under way are lost then. A cell's figures depend on nothing but the cell.
[[nodiscard]] bool run_cache_pass(Run& run, const std::vector<Block>& blocks, const CachePlan& plan,
                                  Simulator& simulator, const Bench& bench, const SaveRun& save);

/// The same, with the record of the pass.
[[nodiscard]] bool simulate(Run& run, const std::vector<Block>& blocks, const CachePlan& plan,
                            CallgrindSimulator& simulator, const Bench& bench, const SaveRun& save);

}  // namespace stowage::harness
