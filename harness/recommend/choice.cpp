#include "harness/recommend/choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "harness/errors.hpp"
#include "harness/plan/selection.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

std::vector<std::string> all_cards() {
  std::vector<std::string> names;
  for (const auto& [name, promise] : SemanticsCard{}.lines()) names.emplace_back(name);
  return names;
}

/// What --require takes: every card, and what several begin with (`pointer_stability` of `_on_insert` and
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

/// An adapter of another library may lack what a profile asks for.
bool plays_games(const Recipe& recipe, const Catalogue& catalogue) {
  const auto known = std::ranges::find(catalogue.strategies(), recipe.name, &StrategyEntry::name);
  return recipe.plays_games && (known == catalogue.strategies().end() || known->lacks.empty());
}

/// A name is one of the catalogue, and one that games can be compiled for.
void check_name(const std::string& name, const std::vector<Recipe>& known, const Catalogue& catalogue) {
  const auto recipe = std::ranges::find(known, name, &Recipe::name);
  if (recipe != known.end() && plays_games(*recipe, catalogue)) return;
  const StrategyEntry& entry = find_strategy(name, catalogue);
  throw UserError(fmt::format(
      "no game can be compiled for '{}', because {}; leave it out of --strategies and --storage", entry.name,
      entry.is_floor() || entry.is_yardstick() ? "it is no storage, but hand-written loops for single workloads"
                                               : "a game may ask for a part of the contract that it lacks"));
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

std::vector<Recipe> choose_strategies(const std::vector<Recipe>& known, const Catalogue& catalogue,
                                      const ChoiceRequest& request) {
  for (const std::string& name : request.named) check_name(name, known, catalogue);
  std::vector<Recipe> chosen;
  std::ranges::copy_if(known, std::back_inserter(chosen), [&](const Recipe& strategy) {
    const bool is_wanted =
        request.named.empty() || std::ranges::find(request.named, strategy.name) != request.named.end();
    return is_wanted && plays_games(strategy, catalogue) && (takes_variants(request) || !strategy.is_variant()) &&
           keeps(strategy.name, request.required, catalogue);
  });
  if (chosen.empty()) {
    throw NegativeAnswer(fmt::format("no strategy{} promises {}", request.named.empty() ? "" : " of --strategies",
                                     fmt::join(request.required, " and ")));
  }
  return chosen;
}

}  // namespace stowage::harness
