#include "harness/recommend/choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "harness/errors.hpp"
#include "harness/selection/nearest_name.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {
namespace {

std::vector<std::string> all_cards() {
  std::vector<std::string> names;
  for (const auto& [name, promise] : SemanticsCard{}.lines()) names.emplace_back(name);
  return names;
}

/// What may be asked for: every card, and what several begin with (`pointer_stability` of `_on_insert` and
/// `_on_erase`).
std::vector<std::string> all_requirements() {
  std::vector<std::string> names;
  for (const std::string& card : all_cards()) {
    const std::string several = card.substr(0, card.find("_on_"));
    if (std::ranges::find(names, several) == names.end()) names.push_back(several);
    if (several != card) names.push_back(card);
  }
  return names;
}

bool keeps(const SemanticsCard& semantics, const std::vector<std::string>& required) {
  return std::ranges::all_of(semantics.lines(), [&](const auto& line) {
    return line.second.kept || std::ranges::find(required, line.first) == required.end();
  });
}

bool keeps(const std::string& strategy, const std::vector<std::string>& required, const Catalogue& catalogue) {
  if (required.empty()) return true;
  const auto known = std::ranges::find(catalogue.strategies(), strategy, &StrategyEntry::name);
  return known != catalogue.strategies().end() && known->semantics && keeps(*known->semantics, required);
}

/// A name is one of the catalogue, and one that games can be compiled for.
void check_name(const std::string& name, const Toolchain& toolchain, const Catalogue& catalogue) {
  if (std::ranges::find(toolchain.strategies, name, &ToolchainStrategy::name) != toolchain.strategies.end()) return;
  const StrategyEntry& known = find_strategy(name, catalogue);
  throw UserError(fmt::format("no game can be compiled for '{}', because {}; leave it out of --strategies", known.name,
                              known.is_floor() || known.is_yardstick()
                                  ? "it is no storage, but loops written by hand for single workloads"
                                  : fmt::format("{} does not list it: a game may ask for more than it offers",
                                                toolchain.file.filename().string())));
}

}  // namespace

bool takes_variants(const ChoiceRequest& request) {
  return !request.plain_only || !request.named.empty() || !request.required.empty();
}

std::vector<std::string> cards_named(const std::string& name) {
  const std::vector<std::string> all = all_cards();
  std::vector<std::string> meant;
  std::ranges::copy_if(all, std::back_inserter(meant), [&](const std::string& card) {
    return card == name || (!name.empty() && card.starts_with(name + "_"));
  });
  if (meant.empty()) {
    throw UserError(fmt::format(
        "--require '{}' is no promise that a strategy can give{}", name,
        suggestion(name, all_requirements(), fmt::format("there are {}", fmt::join(all_requirements(), ", ")))));
  }
  return meant;
}

std::vector<ToolchainStrategy> choose_strategies(const Toolchain& toolchain, const Catalogue& catalogue,
                                                 const ChoiceRequest& request) {
  if (toolchain.strategies.empty()) {
    throw EnvironmentError(fmt::format("{} lists no strategy; build stowage again", toolchain.file.string()));
  }
  for (const std::string& name : request.named) check_name(name, toolchain, catalogue);
  std::vector<ToolchainStrategy> chosen;
  std::ranges::copy_if(toolchain.strategies, std::back_inserter(chosen), [&](const ToolchainStrategy& strategy) {
    const bool is_wanted =
        request.named.empty() || std::ranges::find(request.named, strategy.name) != request.named.end();
    return is_wanted && (takes_variants(request) || !strategy.is_variant()) &&
           keeps(strategy.name, request.required, catalogue);
  });
  if (chosen.empty()) {
    throw NegativeAnswer(fmt::format("no strategy{} promises {}", request.named.empty() ? "" : " of --strategies",
                                     fmt::join(request.required, " and ")));
  }
  return chosen;
}

}  // namespace stowage::harness
