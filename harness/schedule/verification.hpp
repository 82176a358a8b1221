#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

/// What a strategy did in one verified pass of a block: how much, and the digest of its result.
struct CellCheck {
  const StrategyEntry* strategy = nullptr;
  std::uint64_t items = 0;
  std::uint64_t checksum = 0;
  std::string error;  ///< empty where the strategy did the work that the others did

  /// Equal for strategies that did equal work.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> outcome() const { return {items, checksum}; }
};

/// A case after its verified pass, to be measured from there; none where it could not be made.
struct VerifiedCase {
  CellCheck check;
  std::unique_ptr<workloads::Measurement> measurement;
};

/// Makes the case of one cell and runs it. Says what it did; only compare() tells whether that was right.
[[nodiscard]] VerifiedCase verify_case(const Block& block, const StrategyEntry& strategy, const Catalogue& catalogue);

/// Marks those of `checks` that did other work than `reference` or, where that did not take part, than the majority.
void compare(std::vector<CellCheck>& checks);

/// Asked between two steps of a long job: true to give up.
using StopRequest = std::function<bool()>;

/// Runs every cell of `block` on a fresh case, one after the other, and compares what they did with `reference`, or
/// with the majority where that did not take part. Stops early, with fewer checks than strategies, when `stop` says so.
[[nodiscard]] std::vector<CellCheck> verify_block(const Block& block, const Catalogue& catalogue,
                                                  const StopRequest& stop);

}  // namespace stowage::harness
