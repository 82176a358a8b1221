#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/plan/selection.hpp"
#include "harness/results/run.hpp"
#include "harness/system/progress.hpp"

namespace stowage::harness {

/// What a strategy did in one verified pass of a block: how much, and the digest of its result.
struct CellCheck {
  const StrategyEntry* strategy = nullptr;
  std::uint64_t items = 0;
  std::uint64_t checksum = 0;
  std::string error;  ///< empty if the strategy did the work that the others did

  /// Equal for strategies that did equal work.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> outcome() const { return {items, checksum}; }
};

/// A case after its verified pass, to be measured from there; none if it could not be made.
struct VerifiedCase {
  CellCheck check;
  std::unique_ptr<workloads::Measurement> measurement;
};

/// Enough passes to show a result that drifts when a repeatable case is run again.
inline constexpr std::size_t verified_passes = 3;

/// Makes the case of one cell and runs it, so often if it is repeatable. Reports what it did; compare() decides whether
/// that was right.
[[nodiscard]] VerifiedCase verify_case(const Block& block, const StrategyEntry& strategy, const Catalogue& catalogue,
                                       std::size_t layout = 0, std::size_t passes = verified_passes);

/// Marks those of `checks` that did other work than `reference` or, if that did not take part, than the majority.
void compare(std::vector<CellCheck>& checks);

/// Runs every cell of `block` on a fresh case, one after the other, and compares what they did with `reference`, or
/// with the majority if that did not take part. Stops early, with fewer checks than strategies, when `stop` says so.
[[nodiscard]] std::vector<CellCheck> verify_block(const Block& block, const Catalogue& catalogue,
                                                  const StopRequest& stop);

/// The case of one cell, as the catalogue makes it.
[[nodiscard]] inline std::unique_ptr<workloads::Measurement> make_case(const Block& block,
                                                                       const StrategyEntry& strategy,
                                                                       const Catalogue& catalogue,
                                                                       std::size_t layout = 0) {
  workloads::Parameters parameters = block.parameters;
  parameters.copy = strategy.copy;
  return catalogue.maker(strategy.name, block.workload->card.name, layout)(parameters);
}

/// The least that the work of `block` costs, as a figure of each of its cells; none if counting says nothing, or if the
/// size of a line is not known (0). The reference caches have lines of the usual size.
[[nodiscard]] inline Counters floor_counters(const Block& block, workloads::Lines lines = {}) {
  if (lines.bytes == 0) return {};
  const workloads::Floor floor = block.workload->floor(block.parameters, lines);
  if (!floor.says_something()) return {};
  return {{"floor_lines_per_item", floor.lines_per_item}};
}

/// Runs `step`, which is code of a strategy or a workload: whatever it throws becomes the cell's error, and the other
/// cells go on. Empty if it threw nothing.
template <class Step>
[[nodiscard]] std::string error_of(Step&& step) {
  try {
    step();
    return {};
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  } catch (...) {
    return "threw something that is no std::exception";
  }
}

}  // namespace stowage::harness
