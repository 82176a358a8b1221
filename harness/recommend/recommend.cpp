#include "harness/recommend/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "harness/doctor/calibration.hpp"
#include "harness/errors.hpp"
#include "harness/recommend/answer_directory.hpp"
#include "harness/recommend/choice.hpp"
#include "harness/recommend/decide.hpp"
#include "harness/recommend/session.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

void begin_profile(const fs::path& path) {
  write_example_profile(path);
  say(fmt::format("{} is an example with every key; change it to your game, then run `stowage recommend {}`",
                  path.string(), shell_path(path)));
}

std::vector<std::string> required_cards(const std::vector<std::string>& named) {
  std::vector<std::string> cards;
  for (const std::string& list : named) {
    for (const std::string& name : split_list(list)) {
      const std::vector<std::string> meant = cards_named(name);
      cards.insert(cards.end(), meant.begin(), meant.end());
    }
  }
  return cards;
}

/// Strategies hold the game at the same time, and variants that the user has not named only if that is quick. What
/// cannot fit would be killed by the system, without a word.
void check_memory(const Profile& profile, const std::vector<Recipe>& chosen, bool are_named) {
  const auto strategies =
      std::ranges::count_if(chosen, [&](const Recipe& strategy) { return are_named || !strategy.is_variant(); });
  const double needed = (component_bytes(profile) + handle_bytes * static_cast<double>(profile.entities)) *
                        static_cast<double>(strategies);
  const auto memory = static_cast<double>(describe_environment().machine.memory_bytes);
  if (needed <= memory) return;
  constexpr double gib = 1024.0 * 1024 * 1024;
  throw UserError(fmt::format(
      "{}:{}: {} entities need {:.1f} GiB at least (strategies: {}), and this machine has {:.1f}; give "
      "fewer 'entities', or name fewer --strategies",
      profile.file.string(), profile.entities_line, profile.entities, needed / gib, strategies, memory / gib));
}

Answer measure(const RecommendOptions& options, const Profile& profile, const Catalogue& catalogue, Modules& modules,
               const AddStorages& add_storages) {
  ChoiceRequest choice{.named = options.strategies ? split_list(*options.strategies) : std::vector<std::string>(),
                       .required = required_cards(options.required),
                       .plain_only = options.quick};
  const std::vector<std::string> own = add_storages();
  if (!choice.named.empty()) choice.named.insert(choice.named.end(), own.begin(), own.end());
  const Toolchain& toolchain = modules.toolchain();
  std::vector<Recipe> known = toolchain.strategies;
  known.insert(known.end(), modules.storages().begin(), modules.storages().end());
  std::vector<Recipe> strategies = choose_strategies(known, catalogue, choice);
  check_memory(profile, strategies, !choice.named.empty());
  Answer answer = measure_and_decide(profile, toolchain, catalogue,
                                     {.quick = options.quick,
                                      .strategies = std::move(strategies),
                                      .search_s = options.search_s,
                                      .without_variants = !takes_variants(choice),
                                      .variants_may_wait = choice.named.empty(),
                                      .out = options.out});
  const std::string rates = doctor::quoted_rates(runs_directory, "recommend", describe_environment());
  if (!rates.empty()) answer.reasons.push_back(rates);
  return answer;
}

/// Answers from stored results. Options that concern measuring are refused.
Answer decide_again(const RecommendOptions& options, const Profile& profile, const Catalogue& catalogue) {
  for (const auto& [flag, is_given] :
       {std::pair("--quick", options.quick), std::pair("--out", options.out.has_value()),
        std::pair("--strategies", options.strategies.has_value()), std::pair("--require", !options.required.empty()),
        std::pair("--storage", !options.storages.empty()), std::pair("--search", options.search_s.has_value())}) {
    if (is_given) throw UserError(fmt::format("--from measures nothing, so {} has no meaning beside it", flag));
  }
  return decide(profile, read_measured_game(profile, *options.from), catalogue);
}

}  // namespace

std::optional<std::string> run_recommend(const RecommendOptions& options, const Catalogue& catalogue, Modules& modules,
                                         const AddStorages& add_storages) {
  if (options.init) {
    begin_profile(options.profile.value_or("game.toml"));
    return std::nullopt;
  }
  if (!options.profile) {
    throw UserError("name a profile: `stowage recommend PROFILE.toml`; `stowage recommend --init` writes an example");
  }
  static_cast<void>(required_cards(options.required));  // a slip there is told before one in the profile
  const Profile profile = read_profile(*options.profile);
  std::optional<Lock> lock;
  if (options.out && !options.from) {
    prepare_answer_directory(*options.out);
    lock.emplace(*options.out, "name another directory with --out");
  }
  const Answer answer = options.from ? decide_again(options, profile, catalogue)
                                     : measure(options, profile, catalogue, modules, add_storages);
  std::cout << (options.format == "json" ? answer_json(answer) : answer_text(answer, page_columns())) << std::flush;
  if (!options.out) return std::nullopt;
  const fs::path file = answer_file(*options.out);
  replace_file(file, answer_json(answer));
  return file.string();
}

}  // namespace stowage::harness
