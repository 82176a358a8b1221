#include "harness/verify/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace stowage::harness {
namespace {

using Outcome = decltype(CellCheck().outcome());

struct Expectation {
  Outcome outcome;
  std::string_view whose;
};

std::optional<Expectation> expected_outcome(const std::vector<CellCheck>& checks) {
  std::map<Outcome, std::size_t> votes;
  for (const CellCheck& check : checks) {
    if (!check.error.empty()) continue;
    const Outcome outcome = check.outcome();
    if (check.strategy->is_floor()) return Expectation{outcome, "reference"};
    ++votes[outcome];
  }
  const auto winner = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  if (winner == votes.end()) return std::nullopt;
  return Expectation{winner->first, "most strategies"};
}

void compare(CellCheck& check, const Expectation& expected) {
  const auto [items, checksum] = expected.outcome;
  if (check.items != items) {
    check.error = fmt::format("{} items differ from the {} of {}", check.items, items, expected.whose);
  } else if (check.checksum != checksum) {
    check.error =
        fmt::format("checksum {:#018x} differs from {:#018x} of {}", check.checksum, checksum, expected.whose);
  }
}

}  // namespace

VerifiedCase verify_case(const Block& block, const StrategyEntry& strategy, const Catalogue& catalogue,
                         std::size_t layout, std::size_t passes) {
  VerifiedCase verified;
  CellCheck& check = verified.check;
  check.strategy = &strategy;
  check.error = error_of([&] {
    verified.measurement = make_case(block, strategy, catalogue, layout);
    workloads::Measurement& measurement = *verified.measurement;
    measurement.prepare();
    measurement.run(measurement.repeatable() ? passes : 1);
    check.items = measurement.items();
    check.checksum = measurement.checksum();
  });
  if (check.error.empty() && check.items == 0) check.error = "did nothing: it has no items";
  return verified;
}

void compare(std::vector<CellCheck>& checks) {
  const std::optional<Expectation> expected = expected_outcome(checks);
  if (!expected) return;
  for (CellCheck& check : checks) {
    if (check.error.empty()) compare(check, *expected);
  }
}

std::vector<CellCheck> verify_block(const Block& block, const Catalogue& catalogue, const StopRequest& stop) {
  std::vector<CellCheck> checks;
  for (const StrategyEntry* strategy : block.strategies) {
    if (stop()) return checks;
    checks.push_back(verify_case(block, *strategy, catalogue).check);
  }
  compare(checks);
  return checks;
}

}  // namespace stowage::harness
