// `stowage recommend`: chooses strategies, compiles the game, and divides the time between ranking and searching.
#include "harness/recommend/recommend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <utility>

#include "harness/doctor/calibration.hpp"
#include "harness/errors.hpp"
#include "harness/measure/simulated/callgrind.hpp"
#include "harness/plan/selection.hpp"
#include "harness/recommend/answer_directory.hpp"
#include "harness/recommend/compile_game.hpp"
#include "harness/recommend/decide.hpp"
#include "harness/recommend/generate.hpp"
#include "harness/recommend/measure_game.hpp"
#include "harness/recommend/ranking.hpp"
#include "harness/recommend/search.hpp"
#include "harness/recommend/worth.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/metrics.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/cores.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/process.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"
#include "workloads/game/description.hpp"
#include "workloads/support/workers.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> all_cards() {
  return names_of(SemanticsCard{}.lines(), [](const auto& line) { return line.first; });
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

bool keeps(const std::string& strategy, const std::vector<std::string>& required, const Catalogue& catalogue) {
  if (required.empty()) return true;
  const StrategyEntry* const known = catalogue.find(strategy);
  if (known == nullptr || !known->semantics) return false;
  return std::ranges::all_of(known->semantics->lines(), [&](const auto& line) {
    return line.second.kept || std::ranges::find(required, line.first) == required.end();
  });
}

/// An adapter of another library may lack what a profile asks for.
bool plays_games(const Recipe& recipe, const Catalogue& catalogue) {
  const StrategyEntry* const known = catalogue.find(recipe.name);
  return recipe.plays_games && (known == nullptr || known->lacks.empty());
}

/// Throws UserError if there is no such strategy, or if no game can be compiled for it.
void check_name(const std::string& name, const std::vector<Recipe>& known, const Catalogue& catalogue) {
  const auto recipe = std::ranges::find(known, name, &Recipe::name);
  if (recipe != known.end() && plays_games(*recipe, catalogue)) return;
  const StrategyEntry& entry = find_strategy(name, catalogue);
  throw UserError(
      "no game can be compiled for '{}', because {}; leave it out of --strategies and --storage", entry.name,
      entry.is_floor() || entry.is_yardstick() ? "it is no storage, but hand-written loops for single workloads"
                                               : "a game may ask for a part of the contract that it lacks");
}

/// The cards that `name` means: the one of that name, or all that begin with it (`pointer_stability`).
std::vector<std::string> cards_named(const std::string& name) {
  const std::vector<std::string> all = all_cards();
  std::vector<std::string> meant;
  std::ranges::copy_if(all, std::back_inserter(meant), [&](const std::string& card) {
    return card == name || (!name.empty() && card.starts_with(name + "_"));
  });
  if (meant.empty()) {
    throw UserError(
        "--require '{}' is no promise that a strategy can give{}", name,
        suggestion(name, all_requirements(), fmt::format("there are {}", fmt::join(all_requirements(), ", "))));
  }
  return meant;
}

/// Which strategies a recommendation looks at.
struct Choice {
  std::vector<std::string> named;     ///< all if empty
  std::vector<std::string> required;  ///< cards of semantics, in full
  std::string present = {};           ///< what stands for the storage that the game has; empty if it is not known
  bool takes_variants = false;        ///< beside the base form of each family
};

/// Those of `known` that can play a game, were asked for and keep all that is required, as far as `catalogue` knows
/// their promises.
std::vector<Recipe> choose_strategies(const std::vector<Recipe>& known, const Catalogue& catalogue,
                                      const Choice& choice) {
  for (const std::string& name : choice.named) check_name(name, known, catalogue);
  std::vector<Recipe> chosen;
  std::ranges::copy_if(known, std::back_inserter(chosen), [&](const Recipe& strategy) {
    const bool is_wanted = choice.named.empty() || std::ranges::count(choice.named, strategy.name) > 0;
    const bool is_present = strategy.name == choice.present;
    return (is_present || (is_wanted && (choice.takes_variants || !strategy.is_variant()))) &&
           plays_games(strategy, catalogue) && keeps(strategy.name, choice.required, catalogue);
  });
  if (chosen.empty()) {
    throw NegativeAnswer("no strategy{} promises {}", choice.named.empty() ? "" : " of --strategies",
                         fmt::join(choice.required, " and "));
  }
  return chosen;
}

/// How long a recommendation may take. Compiling comes first and measuring has the rest; if that is too little,
/// variants are compiled the next time.
struct Pace {
  double all_s;              ///< from the start on
  double least_measuring_s;  ///< however long compiling took
  double ranking_share;      ///< of measuring
  double search_share;       ///< until then placements are tried; the rest is for other games and misses
  std::size_t processes;
  std::size_t frames;  ///< one by one, in a process, if there is time for so many
};
constexpr Pace usual_pace{
    .all_s = 170, .least_measuring_s = 65, .ranking_share = 0.5, .search_share = 0.85, .processes = 3, .frames = 240};
constexpr Pace quick_pace{
    .all_s = 42, .least_measuring_s = 12, .ranking_share = 1, .search_share = 1, .processes = 2, .frames = 192};

/// Designs that are measured beside the best so far in one process of the search.
constexpr std::size_t designs_in_a_process = 6;
/// What compiling and timing a design takes, beside making it, until a process of the search has told how long it
/// takes. Measured on a slow machine.
constexpr double trying_s_per_design = 3;
/// The time that the search leaves for confirming what it found.
constexpr double confirming_s = 10;

/// Measuring a strategy takes this long for each entity of a large game, however short its repetitions are: four cases
/// are made and aged. Measured on a slow machine.
constexpr double making_s_per_entity = 35e-6;

/// A strategy that takes this many times as long as the best in the first process takes no part in the others.
constexpr double out_of_reach = 1.6;
/// But never fewer than these stay.
constexpr std::size_t fewest_in_reach = 4;
/// Processes that measure frames, whatever time there is.
constexpr std::size_t fewest_processes = 2;
/// The share of the first process's time that another one takes. The first also counts bytes and saves, and has the
/// strategies that are out of reach.
constexpr double another_process = 0.4;
/// The number of strategies whose misses are counted, and that take part in variations.
constexpr std::size_t most_counted = 4;
constexpr std::size_t most_varied = 6;
/// In less time the simulator counts nothing.
constexpr double least_counting_s = 5;

/// "compiling the game: 12 of 29 strategies, about 40 s to go", the last if enough is done to tell.
std::string compiling_text(std::size_t done, std::size_t of, double elapsed_s) {
  constexpr std::size_t enough = 4;
  std::string text = fmt::format("compiling the game: {} of {} strategies", done, of);
  if (done >= enough && done < of) {
    const double left_s = elapsed_s / static_cast<double>(done) * static_cast<double>(of - done);
    text += fmt::format(", about {:.0f} s to go, then measuring", std::ceil(left_s));
  }
  return text;
}

/// Empty if the strategy can hold so many entities, as far as the catalogue knows.
std::string obstacle_to_holding(std::size_t entities, const std::string& strategy, const Catalogue& catalogue) {
  const StrategyEntry* const known = catalogue.find(strategy);
  if (known == nullptr || !known->row_limit || entities <= *known->row_limit) return {};
  return fmt::format("it has at most {} rows of a component", *known->row_limit);
}

class Session {
 public:
  /// Variants may wait if time is short, because the user has not named them.
  Session(const Profile& profile, const Toolchain& toolchain, const Catalogue& catalogue,
          const RecommendOptions& options, std::vector<Recipe> strategies, const Choice& choice)
      : profile_(profile),
        toolchain_(toolchain),
        catalogue_(catalogue),
        options_(options),
        strategies_(std::move(strategies)),
        choice_(choice),
        pace_(options.quick ? quick_pace : usual_pace),
        started_s_(steady_now_s()),
        program_(compile(toolchain)),
        compiled_s_(steady_now_s() - started_s_) {}

  Answer answer() {
    if (options_.out) {
      remove_earlier_results(*options_.out);
      note_game(profile_, *options_.out);  // before there are results, so that a killed process leaves our mark
    }
    measure_frames();
    const Answer ranked = rank_game(profile_, game_.processes);
    std::vector<std::string> left_out;
    if (const std::size_t most = workloads::Workers::most(); profile_.threads > most) {
      left_out.push_back(fmt::format("{} threads: this machine runs {}", profile_.threads, most));
    }
    if (options_.quick) {
      left_out.emplace_back(choice_.takes_variants ? "misses and other games: --quick"
                                                   : "variants of strategies, misses and other games: --quick");
      left_out.emplace_back("placements of components: --quick");
    } else if (!ranked.ranking.empty()) {
      attempt(left_out, "placements of components", [&] { search_placements(ranked, left_out); });
      attempt(left_out, "other games", [&] { measure_other_games(ranked, left_out); });
      attempt(left_out, "misses", [&] { count_misses(ranked, left_out); });
    }
    Answer answer = decide(profile_, game_, catalogue_);
    answer.left_out.insert(answer.left_out.end(), left_out.begin(), left_out.end());
    answer.compiled_s = compiled_s_;
    answer.measured_s = steady_now_s() - started_s_ - compiled_s_;
    answer.compiled_files = program_.compiled;
    return answer;
  }

 private:
  [[nodiscard]] GameProgram compile(const Toolchain& toolchain) {
    CompileBench compiling{.stop = InterruptGuard::interrupted, .progress = [this](std::size_t done, std::size_t of) {
                             status_.show(compiling_text(done, of, steady_now_s() - started_s_));
                           }};
    if (choice_.named.empty()) {
      compiling.has_time = [this](std::size_t strategies) { return has_time_for(strategies + 1); };
    }
    return compile_game(profile_, toolchain, able(), compiling);
  }

  /// Whether so many strategies can be measured in the time that is left.
  [[nodiscard]] bool has_time_for(std::size_t strategies) const {
    return steady_now_s() - started_s_ + std::max(pace_.least_measuring_s, making_s(strategies)) < pace_.all_s;
  }
  [[nodiscard]] double making_s(std::size_t strategies) const {
    return making_s_per_entity * static_cast<double>(strategies * profile_.entities);
  }

  /// The strategies that can hold the game. Notes why the others cannot, which is known without compiling them.
  [[nodiscard]] std::vector<Recipe> able() {
    std::vector<Recipe> able = strategies_;
    std::erase_if(able, [this](const Recipe& strategy) {
      std::string reason = obstacle_to_holding(profile_.entities, strategy.name, catalogue_);
      if (reason.empty()) return false;
      not_able_.push_back({strategy.name, std::move(reason)});
      return true;
    });
    if (able.empty()) {
      throw NegativeAnswer("no strategy can hold the game; {}: {}", not_able_.front().strategy,
                           not_able_.front().reason);
    }
    return able;
  }

  /// What is left of this share of the time for measuring, which is what compiling leaves, but never too little.
  [[nodiscard]] double left_s(double share) const {
    const double measuring_s = std::max(pace_.all_s - compiled_s_, pace_.least_measuring_s);
    return std::max(0.0, share * measuring_s - (steady_now_s() - started_s_ - compiled_s_));
  }

  /// Runs the process that measures, and returns its results.
  Run measure(MeasuringPlan plan, const std::string& what, std::string_view kind = of_game) {
    status_.show(fmt::format("{}; {:.0f} s to go at most", what, std::ceil(left_s(1))));
    const TemporaryDirectory scratch;
    const std::size_t number = ++processes_;
    const std::filesystem::path directory =
        options_.out ? process_directory(*options_.out, number, kind) : scratch.path();
    plan.out = directory.string();
    plan.has_threads = profile_.threads > 1;
    for (const std::string& strategy : plan.strategies) plan.modules[strategy] = program_.modules.at(strategy);
    const std::optional<int> code =
        run_until_stopped({own_command(), std::string(measure_argument), to_text(plan)}, InterruptGuard::interrupted);
    if (!code || *code == static_cast<int>(ExitCode::interrupted)) {
      throw Interrupted("interrupted; what was compiled is kept for the next time");
    }
    if (*code != 0) {
      throw EnvironmentError("measuring the game ended with {}; see above", *code);
    }
    Run run = load_run(directory);
    if (number == 1 && note_failures(run) && options_.out) save_run(directory, run);
    return run;
  }

  /// Notes what the process could not know, why a strategy was not timed: it cannot hold the game, or be compiled for
  /// it, or had to wait. False if there is no such strategy.
  bool note_failures(Run& run) const {
    const std::size_t before = run.omissions.size();
    const auto note = [&](const std::string& strategy, const std::string& reason) {
      run.omissions.push_back(
          {std::string(time_pass), fmt::format("game/{}/{}", strategy, frame_cells(profile_).parameters()), reason});
    };
    for (const GameProgram::Failure& one : not_able_) note(one.strategy, one.reason);
    for (const GameProgram::Failure& one : program_.failures) {
      note(one.strategy, "cannot be compiled with these components: " + one.reason);
    }
    const bool is_too_large = making_s(program_.strategies.size() + program_.too_late.size()) >= pace_.all_s;
    for (const std::string& strategy : program_.too_late) {
      note(strategy, is_too_large ? "the game is too large to measure all strategies; name it with --strategies"
                                  : "no time to compile it; repeat the command to continue");
    }
    return run.omissions.size() > before;
  }

  /// The first process tells which strategies are out of reach, and how many frames there is time for; the others
  /// measure as many frames of the strategies that are left.
  void measure_frames() {
    MeasuringPlan plan{.strategies = program_.strategies, .blocks = {frame_cells(profile_)}, .frames = pace_.frames};
    if (profile_.saves_per_minute > 0) plan.blocks.push_back(save_cells(profile_));
    plan.memory = true;
    plan.systems_of = choice_.present;
    for (std::size_t process = 0; process < pace_.processes; ++process) {
      // of a large game another process takes long, whatever it measures; two are needed to see how they differ
      if (process >= fewest_processes && left_s(1) < another_process * first_process_s_) return;
      const auto processes_left = static_cast<double>(pace_.processes - process);
      // the first has more strategies, and counts bytes
      const double weight = process == 0 ? 1.5 / (processes_left + 0.5) : 1 / processes_left;
      const double share_s = left_s(pace_.ranking_share) * weight;
      plan.budget_s = 0.55 * share_s;
      plan.frames_s = 0.2 * share_s;
      const double begun_s = steady_now_s();
      game_.processes.push_back(measure(plan, fmt::format("measuring {} strategies in process {} of {}",
                                                          plan.strategies.size(), process + 1, pace_.processes)));
      if (process > 0) continue;
      first_process_s_ = steady_now_s() - begun_s;
      plan.memory = false;
      plan.blocks = {frame_cells(profile_)};  // how saves differ between processes changes no choice
      const Answer so_far = rank_game(profile_, game_.processes);
      plan.strategies = within_reach(so_far, choice_.present);
      plan.frames = so_far.frames_per_process;
      if (plan.strategies.empty()) return;
    }
  }

  /// The storage that the game has is always among them.
  [[nodiscard]] static std::vector<std::string> within_reach(const Answer& so_far, const std::string& present) {
    if (so_far.ranking.empty()) return {};
    double best_ns = so_far.ranking.front().frame_ns.median;  // the winner's; one that is equal to it may be faster
    for (const RankedStrategy& ranked : so_far.ranking) {
      if (ranked.may_be_best()) best_ns = std::min(best_ns, ranked.frame_ns.median);
    }
    std::vector<RankedStrategy> by_time = so_far.ranking;
    std::ranges::stable_sort(by_time, {}, [](const RankedStrategy& ranked) { return ranked.frame_ns.median; });
    std::vector<std::string> names;
    for (const RankedStrategy& ranked : by_time) {
      if (ranked.frame_ns.median <= out_of_reach * best_ns || names.size() < fewest_in_reach ||
          ranked.strategy == present) {
        names.push_back(ranked.strategy);
      }
    }
    return names;
  }

  // ---- where components go

  /// Measures designs beside the best so far, process by process, until nothing is left to try or the time is up. Then
  /// measures what was found beside the winner.
  void search_placements(const Answer& ranked, std::vector<std::string>& left_out) {
    if (options_.search_s && *options_.search_s <= 0) {
      left_out.emplace_back("placements of components: --search 0");
      return;
    }
    const auto search_left_s = [this, started_s = steady_now_s()] {
      return options_.search_s ? started_s + *options_.search_s - steady_now_s() : left_s(pace_.search_share);
    };
    Search search = search_of(profile_, ranked, {});
    std::vector<Design> offered;
    std::vector<Design> next = possible(next_designs(search, profile_));
    const double design_s = trying_s_per_design + making_s(1);
    double process_s = 2 * design_s;
    while (!next.empty()) {
      next.resize(std::min(next.size(), designs_in_a_process));
      const double left = search_left_s() - confirming_s;
      if (left < process_s) break;
      if (game_.search.empty()) {  // as many as there is time for
        next.resize(std::clamp<std::size_t>(static_cast<std::size_t>(left / design_s) - 1, 1, next.size()));
      }
      const double begun_s = steady_now_s();
      offered.insert(offered.end(), next.begin(), next.end());
      attempt(left_out, "placements of components", [&] {  // what was found before stays found
        game_.search.push_back(
            measure(search_plan(search, next), "searching for the best place of each component", of_search));
      });
      process_s = steady_now_s() - begun_s;
      search = search_of(profile_, ranked, game_.search);
      next = possible(next_designs(search, profile_, offered));
    }
    if (search.found != search.start) confirm(search);
    note_untried(next, offered.empty(), left_out);
  }

  /// Leaves out designs of strategies that do not take part.
  [[nodiscard]] std::vector<Design> possible(std::vector<Design> designs) const {
    std::erase_if(designs, [this](const Design& design) { return find_recipe(design) == nullptr; });
    return designs;
  }
  [[nodiscard]] const Recipe* find_recipe(const Design& design) const {
    const auto found = std::ranges::find(strategies_, design.strategy, &Recipe::name);
    return found == strategies_.end() ? nullptr : &*found;
  }

  [[nodiscard]] MeasuringPlan search_plan(const Search& search, const std::vector<Design>& designs) {
    std::vector<Recipe> recipes;
    for (const Design& design : designs) recipes.push_back(recipe_of(design, profile_, *find_recipe(design)));
    status_.show(fmt::format("compiling {} designs; {:.0f} s to go at most", recipes.size(), std::ceil(left_s(1))));
    const CompileBench compiling{.stop = InterruptGuard::interrupted, .progress = [](std::size_t, std::size_t) {}};
    MeasuringPlan plan{.strategies = {name_of(search.found, profile_)}, .blocks = {frame_cells(profile_)}};
    for (const auto& [name, file] : compile_game(profile_, toolchain_, recipes, compiling).modules) {
      program_.modules[name] = file;
      plan.strategies.push_back(name);
    }
    plan.repetitions = 15;
    plan.budget_s = 0.6 * static_cast<double>(plan.strategies.size());
    return plan;
  }

  void confirm(const Search& search) {
    MeasuringPlan plan{.strategies = {name_of(search.start, profile_), name_of(search.found, profile_)},
                       .blocks = {frame_cells(profile_)}};
    plan.memory = true;
    plan.budget_s = confirming_s / 4;
    for (int process = 0; process < 2; ++process) {
      game_.confirmed.push_back(measure(plan, "measuring what was found beside the winner", of_confirmation));
      plan.memory = false;
    }
  }

  void note_untried(const std::vector<Design>& next, bool tried_none, std::vector<std::string>& left_out) const {
    if (!next.empty()) {
      const auto names = names_of(next, [this](const Design& design) { return difference_text(design, profile_); });
      left_out.push_back(
          fmt::format("placements: no time left for {} and more: use --search SECONDS", fmt::join(names, "; ")));
    } else if (tried_none) {
      left_out.emplace_back(
          "placements: no component of the winner can be placed elsewhere by the strategies that take part");
    }
  }

  /// A step that an answer can do without: if this machine cannot take it, the answer says so.
  template <class Step>
  static void attempt(std::vector<std::string>& left_out, const std::string& what, const Step& step) {
    try {
      step();
    } catch (const EnvironmentError& error) {
      left_out.push_back(fmt::format("{}: {}", what, error.what()));
    } catch (const UserError& error) {  // the compiler may refuse the user's types in another place
      left_out.push_back(fmt::format("{}: {}", what, error.what()));
    }
  }

  /// Measures games with one number changed, on the first strategies that may win.
  void measure_other_games(const Answer& ranked, std::vector<std::string>& left_out) {
    std::vector<std::string> strategies = competitors(ranked);
    if (strategies.size() < 2) {
      left_out.emplace_back("other games: no other strategy keeps the budgets");
      return;
    }
    const std::vector<GameVariation> variations = variations_of(profile_);
    const std::size_t affordable = varied_in(left_s(1), variations.size());
    if (affordable < 2) {
      left_out.emplace_back("other games: no time left; repeat the command: nothing has to be compiled then");
      return;
    }
    strategies.resize(std::min({strategies.size(), most_varied, affordable}));
    MeasuringPlan plan{.strategies = std::move(strategies)};
    for (const GameVariation& variation : variations) {
      plan.blocks.push_back(variation.cells);
      if (profile_.saves_per_minute > 0) plan.blocks.push_back(variation.cells.of_saves());
    }
    plan.repetitions = 15;
    plan.budget_s = 0.55 * left_s(1);
    game_.other_games = measure(plan, fmt::format("measuring {} other games", variations.size()));
  }

  /// How many strategies can be measured in so many other games within `left`. Each game is made anew and aged, which
  /// takes longer than timing it if it is large. The first process made the game twice, and timed it; games that save
  /// are made once more, there and here.
  [[nodiscard]] std::size_t varied_in(double left, std::size_t games) const {
    const double each_s =
        first_process_s_ / 2 / static_cast<double>(std::max<std::size_t>(1, program_.strategies.size()));
    return static_cast<std::size_t>(left / (std::max(1e-3, each_s) * static_cast<double>(games)));
  }

  void count_misses(const Answer& ranked, std::vector<std::string>& left_out) {
    if (profile_.threads > 1) {
      left_out.push_back(fmt::format("misses: {}", workloads::game::counted_on_one_thread));
      return;
    }
    if (left_s(1) < least_counting_s) {
      left_out.emplace_back("misses: no time left");
      return;
    }
    MeasuringPlan plan{.strategies = names_of(ranked.ranking, &RankedStrategy::strategy),
                       .blocks = {frame_cells(profile_)}};
    plan.strategies.resize(std::min(plan.strategies.size(), most_counted));
    plan.simulated = plan.strategies;
    plan.simulation_budget_s = std::clamp(0.8 * left_s(1), least_counting_s, 30.0);
    plan.repetitions = 1;
    plan.min_time_s = 1e-6;
    plan.budget_s = 1;
    game_.counted = measure(plan, "counting misses");
  }

  const Profile& profile_;
  const Toolchain& toolchain_;
  const Catalogue& catalogue_;
  const RecommendOptions& options_;
  std::vector<Recipe> strategies_;
  const Choice& choice_;
  InterruptGuard guard_;
  StatusLine status_{std::cerr, stderr_is_terminal()};
  Pace pace_;
  double started_s_;
  std::vector<GameProgram::Failure> not_able_;
  GameProgram program_;
  double compiled_s_;
  double first_process_s_ = 0;
  std::size_t processes_ = 0;
  MeasuredGame game_;
};

// ---- the command

void begin_profile(const fs::path& path) {
  write_example_profile(path);
  say("{} is an example with every key; change it to your game, then run `stowage recommend {}`", path.string(),
      shell_path(path));
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

/// What stands for the storage that the game has; empty if the profile names none. Throws UserError if it is unknown.
std::string present_storage(const Profile& profile, const std::vector<Recipe>& known, const Catalogue& catalogue) {
  const std::string& storage = profile.recorded.storage;
  if (storage.empty()) return {};
  std::vector<std::string> names;
  for (const Recipe& recipe : known) {
    if (plays_games(recipe, catalogue)) names.push_back(recipe.name);
  }
  std::string stand_in = stand_in_for(storage, names);
  if (!stand_in.empty()) return stand_in;
  const std::vector<std::string> libraries = known_libraries();
  names.insert(names.end(), libraries.begin(), libraries.end());
  throw UserError("{}:{}: there is no storage '{}'{}", profile.file.string(), profile.recorded.storage_line, storage,
                  suggestion(storage, names,
                             fmt::format("name a strategy that `stowage list` shows, or one of {}; or take out "
                                         "'storage'",
                                         fmt::join(libraries, ", "))));
}

/// All strategies hold the game at the same time; variants count only if the user has named them. If that does not fit,
/// the system kills the process without a message.
void check_memory(const Profile& profile, const std::vector<Recipe>& chosen, bool are_named) {
  const auto strategies =
      std::ranges::count_if(chosen, [&](const Recipe& strategy) { return are_named || !strategy.is_variant(); });
  const double needed = (component_bytes(profile) + handle_bytes * static_cast<double>(profile.entities)) *
                        static_cast<double>(strategies);
  const auto memory = static_cast<double>(describe_environment().machine.memory_bytes);
  if (needed <= memory) return;
  constexpr double gib = 1024.0 * 1024 * 1024;
  throw UserError(
      "{}:{}: {} entities need {:.1f} GiB at least (strategies: {}), and this machine has {:.1f}; give fewer "
      "'entities', or name fewer --strategies",
      profile.file.string(), profile.entities_line, profile.entities, needed / gib, strategies, memory / gib);
}

Answer measure(const RecommendOptions& options, const Profile& profile, const Catalogue& catalogue, Modules& modules,
               const AddStorages& add_storages) {
  require_real_processor(
      fmt::format("`stowage verify --world {}` checks the strategies in this game", shell_path(profile.file)));
  pin_to_cpus(options.cpus.value_or(""));
  Choice choice{.named = options.strategies ? split_list(*options.strategies) : std::vector<std::string>(),
                .required = required_cards(options.required)};
  choice.takes_variants = !options.quick || !choice.named.empty() || !choice.required.empty();
  const std::vector<std::string> own = add_storages();
  if (!choice.named.empty()) choice.named.insert(choice.named.end(), own.begin(), own.end());
  const Toolchain& toolchain = modules.toolchain();
  std::vector<Recipe> known = toolchain.strategies;
  known.insert(known.end(), modules.storages().begin(), modules.storages().end());
  choice.present = present_storage(profile, known, catalogue);
  std::vector<Recipe> strategies = choose_strategies(known, catalogue, choice);
  check_memory(profile, strategies, !choice.named.empty());
  Answer answer = Session(profile, toolchain, catalogue, options, std::move(strategies), choice).answer();
  const std::string rates = doctor::quoted_rates(runs_directory, "recommend", describe_environment());
  if (!rates.empty()) answer.reasons.push_back(rates);
  return answer;
}

/// Answers from stored results. Options that concern measuring are refused.
Answer decide_again(const RecommendOptions& options, const Profile& profile, const Catalogue& catalogue) {
  for (const auto& [flag, is_given] :
       {std::pair("--quick", options.quick), std::pair("--out", options.out.has_value()),
        std::pair("--strategies", options.strategies.has_value()), std::pair("--require", !options.required.empty()),
        std::pair("--storage", !options.storages.empty()), std::pair("--search", options.search_s.has_value()),
        std::pair("--cpus", options.cpus.has_value())}) {
    if (is_given) throw UserError("--from measures nothing, so {} has no meaning beside it", flag);
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
  static_cast<void>(required_cards(options.required));  // a mistake there is reported before one in the profile
  const Profile profile = read_profile(*options.profile);
  std::optional<Lock> lock;
  if (options.out && !options.from) {
    prepare_answer_directory(*options.out);
    lock.emplace(*options.out, "name another directory with --out");
  }
  const Answer answer = options.from ? decide_again(options, profile, catalogue)
                                     : measure(options, profile, catalogue, modules, add_storages);
  const std::string text = answer_json(answer);
  if (options.format == "json") {
    std::cout << text << std::flush;
  } else {
    print_by_python({.module = "stowage_report.recommendation", .what = "the figures"}, text, {}, "JSON");
  }
  if (!options.out) return std::nullopt;
  const fs::path file = answer_file(*options.out);
  replace_file(file, text);
  return file.string();
}

}  // namespace stowage::harness
