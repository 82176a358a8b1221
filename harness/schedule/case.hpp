#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "harness/catalogue.hpp"
#include "harness/results/run.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

[[nodiscard]] inline std::unique_ptr<workloads::Measurement> make_case(const Block& block,
                                                                       const StrategyEntry& strategy,
                                                                       const Catalogue& catalogue) {
  return catalogue.maker(strategy.name, block.workload->card.name)(block.parameters);
}

/// The least that the work of `block` costs, as a figure of each of its cells; none where counting says nothing.
[[nodiscard]] inline Counters floor_counters(const Block& block) {
  const workloads::Floor floor = block.workload->floor(block.parameters);
  if (!floor.says_something()) return {};
  return {{"floor_lines_per_item", floor.lines_per_item}};
}

/// Runs `step`, which is code of a strategy or a workload: whatever it throws becomes the cell's error, and the other
/// cells go on. Empty where it threw nothing.
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
