#include "harness/measure/hardware/plausibility.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "harness/measure/hardware/events.hpp"

namespace stowage::harness {
namespace {

/// `smaller` may not exceed `larger` x `factor`.
struct Bound {
  std::string_view smaller;
  std::string_view larger;
  double factor;
  std::string_view violated;
};

/// No processor retires more instructions in one cycle, and no instruction touches more lines or pages than a gather
/// of 16 floats.
constexpr double most_per_step = 16;
/// A vector instruction works on 16 floats at most, so with fewer than one for 16 items no work was done.
constexpr double fewest_instructions = 1.0 / 16;

constexpr Bound bounds[] = {
    {"ll_misses_per_item", "l1d_misses_per_item", 1, "more last-level than L1d misses"},
    {"instructions_per_item", "cycles_per_item", most_per_step, "more than 16 instructions a cycle"},
    {"branch_misses_per_item", "instructions_per_item", 1, "more branch misses than instructions"},
    {"l1d_misses_per_item", "instructions_per_item", most_per_step, "more than 16 L1d misses an instruction"},
    {"dtlb_misses_per_item", "instructions_per_item", most_per_step, "more than 16 dTLB misses an instruction"},
};

std::optional<double> figure(const Counters& counters, std::string_view metric) {
  const auto found = counters.find(std::string(metric));
  return found == counters.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Doubt> dead_counters(const Counters& counters) {
  std::vector<Doubt> doubts;
  for (const Event& event : counted_events) {
    if (!event.may_be_zero && figure(counters, event.metric) == 0) {
      doubts.push_back({std::string(event.metric), "always zero"});
    }
  }
  return doubts;
}

std::vector<Doubt> contradictions(const Counters& counters) {
  std::vector<Doubt> doubts;
  for (const Bound& bound : bounds) {
    const std::optional<double> smaller = figure(counters, bound.smaller);
    const std::optional<double> larger = figure(counters, bound.larger);
    if (!smaller || !larger || *smaller <= *larger * bound.factor) continue;
    for (const std::string_view metric : {bound.smaller, bound.larger}) {
      doubts.push_back({std::string(metric), std::string(bound.violated)});
    }
  }
  if (figure(counters, "instructions_per_item").value_or(1) < fewest_instructions) {
    doubts.push_back({"instructions_per_item", "fewer than one for 16 items"});
  }
  return doubts;
}

void remove(Counters& counters, const std::vector<Doubt>& doubts) {
  for (const Doubt& doubt : doubts) counters.erase(doubt.metric);
}

}  // namespace

std::vector<Doubt> remove_unbelievable(Counters& counters) {
  std::vector<Doubt> doubts = dead_counters(counters);
  remove(counters, doubts);  // first: a counter that is dead contradicts live ones, which are not to blame
  std::vector<Doubt> contradicted = contradictions(counters);
  remove(counters, contradicted);
  std::ranges::move(contradicted, std::back_inserter(doubts));
  return doubts;
}

}  // namespace stowage::harness
