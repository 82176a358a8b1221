#include "harness/recommend/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "harness/cli/simulate.hpp"
#include "harness/errors.hpp"
#include "harness/measure/simulated/callgrind.hpp"
#include "harness/measure/system/process.hpp"
#include "harness/measure/system/processors.hpp"
#include "harness/recommend/game_main.hpp"
#include "harness/recommend/game_program.hpp"
#include "harness/recommend/measuring_plan.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/selection/nearest_name.hpp"
#include "harness/statistics/median.hpp"

namespace stowage::harness {
namespace {

/// How long each step may take, and how much of it there is.
struct Pace {
  double until_ranked_s;     ///< of all time, from the start on
  double until_done_s;       ///< likewise, with misses and variations
  double least_measuring_s;  ///< however long compiling took
  std::size_t processes;
};
constexpr Pace usual_pace{.until_ranked_s = 125, .until_done_s = 165, .least_measuring_s = 45, .processes = 3};
constexpr Pace quick_pace{.until_ranked_s = 40, .until_done_s = 40, .least_measuring_s = 12, .processes = 2};

/// Who is slower than this in the first process does not take part in the others.
constexpr double out_of_reach = 1.6;
/// But never fewer than these stay.
constexpr std::size_t fewest_in_reach = 4;
/// Of how many the misses are counted, and the variations measured.
constexpr std::size_t most_counted = 4;
constexpr std::size_t most_varied = 6;

class Session {
 public:
  Session(const Profile& profile, const Toolchain& toolchain, const Catalogue& catalogue,
          const RecommendRequest& request, const RecommendBench& bench)
      : profile_(profile),
        catalogue_(catalogue),
        request_(request),
        bench_(bench),
        pace_(request.quick ? quick_pace : usual_pace),
        started_s_(bench.now_s()),
        chosen_(choose_strategies(toolchain, catalogue, request.required, request.quick)),
        program_(compile(toolchain)),
        compiled_s_(bench.now_s() - started_s_) {}

  Answer answer() {
    measure_frames();
    Answer answer = rank_processes(profile_, processes_, frame_.parameters(), save_parameters());
    for (const GameProgram::Failure& failure : program_.failures) {
      answer.not_ranked.push_back({failure.strategy, "cannot be compiled with these components: " + failure.reason});
    }
    if (answer.ranking.empty()) throw NegativeAnswer(why_nobody(answer));
    if (request_.quick) {
      const bool has_variants = !request_.required.empty();  // see choose_strategies
      answer.left_out.emplace_back(has_variants ? "misses and other games: --quick"
                                                : "variants of strategies, misses and other games: --quick");
    } else {
      attempt(answer, "other games", [&] { measure_variations(answer); });
      attempt(answer, "misses", [&] { count_misses(answer); });
    }
    note_semantics(answer);
    add_reasons(answer);
    answer.compiled_s = compiled_s_;
    answer.measured_s = bench_.now_s() - started_s_ - compiled_s_;
    answer.compiled_files = program_.compiled;
    return answer;
  }

 private:
  [[nodiscard]] GameProgram compile(const Toolchain& toolchain) const {
    const CompileBench compiling{
        .jobs = processors(), .stop = bench_.stop, .progress = [this](std::size_t done, std::size_t of) {
          bench_.progress(fmt::format("compiling the game: {} of {} files", done, of));
        }};
    return compile_game(profile_, toolchain, chosen_, compiling);
  }

  [[nodiscard]] static std::string why_nobody(const Answer& answer) {
    if (answer.not_ranked.empty()) return "no strategy could be measured";
    const NotRanked& first = answer.not_ranked.front();
    return fmt::format("no strategy could be measured; {}: {}", first.strategy, first.reason);
  }

  [[nodiscard]] std::string save_parameters() const {
    return profile_.saves_per_minute > 0 ? save_.parameters() : std::string();
  }

  [[nodiscard]] double elapsed_s() const { return bench_.now_s() - started_s_; }
  /// Until that time of the whole, or what has to be in any case.
  [[nodiscard]] double left_s(double until_s) const {
    return std::max(until_s - elapsed_s(), pace_.least_measuring_s - (elapsed_s() - compiled_s_));
  }

  /// Runs the program; what it measured.
  Run measure(MeasuringPlan plan, const std::string& what) {
    bench_.progress(what);
    const TemporaryDirectory scratch;
    plan.seed = ++seed_;
    const std::filesystem::path directory = request_.out ? process_directory(*request_.out, plan.seed) : scratch.path();
    plan.out = directory.string();
    const std::optional<int> code =
        run_until_stopped({program_.executable.string(), std::string(measure_argument), to_text(plan)}, bench_.stop);
    if (!code || *code == static_cast<int>(ExitCode::interrupted)) {
      throw Interrupted("interrupted; what was compiled is kept for the next time");
    }
    if (*code != 0) {
      throw EnvironmentError(
          fmt::format("measuring ended with {}; `{} run` shows more", *code, program_.executable.string()));
    }
    return load_run(directory);
  }

  /// The first process tells who is out of reach; the others measure who is left.
  void measure_frames() {
    MeasuringPlan plan{.strategies = program_.strategies, .blocks = {frame_}};
    if (profile_.saves_per_minute > 0) plan.blocks.push_back(save_);
    plan.memory = true;
    for (std::size_t process = 0; process < pace_.processes; ++process) {
      const auto processes_left = static_cast<double>(pace_.processes - process);
      // the first has more strategies, and counts bytes
      const double weight = process == 0 ? 1.5 / (processes_left + 0.5) : 1 / processes_left;
      const double share_s = left_s(pace_.until_ranked_s) * weight;
      plan.budget_s = 0.55 * share_s;
      plan.frames_s_per_cell = std::min(1.0, 0.2 * share_s / static_cast<double>(plan.strategies.size()));
      processes_.push_back(measure(plan, fmt::format("measuring {} strategies in process {} of {}",
                                                     plan.strategies.size(), process + 1, pace_.processes)));
      plan.memory = false;
      if (process == 0) plan.strategies = within_reach();
    }
  }

  [[nodiscard]] std::vector<std::string> within_reach() const {
    const Answer so_far = rank_processes(profile_, processes_, frame_.parameters(), save_parameters());
    std::vector<RankedStrategy> by_time = so_far.ranking;
    std::ranges::stable_sort(by_time, {}, [](const RankedStrategy& ranked) { return ranked.frame_ns.median; });
    std::vector<std::string> names;
    double best_ns = 0;  // of those that keep the budgets
    for (const RankedStrategy& ranked : by_time) {
      if (best_ns == 0 && ranked.broken_budgets.empty()) best_ns = ranked.frame_ns.median;
    }
    if (best_ns == 0 && !by_time.empty()) best_ns = by_time.front().frame_ns.median;
    for (const RankedStrategy& ranked : by_time) {
      if (ranked.frame_ns.median <= out_of_reach * best_ns || names.size() < fewest_in_reach) {
        names.push_back(ranked.strategy);
      }
    }
    return names;
  }

  [[nodiscard]] static std::vector<std::string> first_of(const Answer& answer, std::size_t count) {
    std::vector<std::string> names;
    for (const RankedStrategy& ranked : answer.ranking) {
      if (names.size() < count) names.push_back(ranked.strategy);
    }
    return names;
  }

  /// A step that an answer can do without: where this machine cannot take it, the answer stands, and says so.
  template <class Step>
  static void attempt(Answer& answer, const std::string& what, const Step& step) {
    try {
      step();
    } catch (const EnvironmentError& error) {
      answer.left_out.push_back(fmt::format("{}: {}", what, error.what()));
    }
  }

  /// One number of the game changed at a time, for the first of those that may win.
  void measure_variations(Answer& answer) {
    std::vector<std::string> strategies = competitors(answer);
    if (strategies.size() < 2) {
      answer.left_out.emplace_back("other games: no other strategy keeps the budgets");
      return;
    }
    strategies.resize(std::min(strategies.size(), most_varied));
    std::vector<VariationCells> variations;
    MeasuringPlan plan{.strategies = std::move(strategies), .blocks = {}};
    const auto add = [&](std::string what, const MeasuringPlan::Cells& cells) {
      variations.push_back({std::move(what), cells.parameters()});
      plan.blocks.push_back(cells);
    };
    const std::size_t n = profile_.entities;
    add("half the entities", {.entities = std::max<std::size_t>(1, n / 2), .weight = 0.7});
    add("twice the entities", {.entities = 2 * n, .weight = 1.6});
    if (profile_.creations_per_frame > 0 || !profile_.changes.empty()) {
      add("half the churn", {.entities = n, .rates = "50"});
      add("twice the churn", {.entities = n, .rates = "200"});
    }
    if (std::ranges::any_of(profile_.components, [](const auto& component) { return component.share < 1; })) {
      add("half the shares", {.entities = n, .shares = "50"});
      add("twice the shares", {.entities = n, .shares = "200"});
    }
    const double left = left_s(pace_.until_done_s);
    plan.repetitions = 15;
    plan.budget_s = 0.55 * left;
    add_variations(answer, measure(plan, fmt::format("measuring {} other games", variations.size())), variations);
  }

  void count_misses(Answer& answer) {
    const double left = left_s(pace_.until_done_s);
    MeasuringPlan plan{.strategies = first_of(answer, 1), .blocks = {frame_}};
    plan.simulated = first_of(answer, most_counted);
    plan.simulation_budget_s = std::clamp(0.8 * left, 5.0, 30.0);
    plan.repetitions = 1;
    plan.min_time_s = 1e-6;
    plan.budget_s = 1;
    const Run run = measure(plan, "counting misses");
    add_misses(answer, run, frame_.parameters());
    for (const Omission& omission : run.omissions)
      answer.left_out.push_back(omission.pass + " of " + omission.cell + ": " + omission.reason);
  }

  void note_semantics(Answer& answer) const {
    const auto known = std::ranges::find(catalogue_.strategies(), answer.winner, &StrategyEntry::name);
    if (known == catalogue_.strategies().end() || !known->semantics) return;
    for (const auto& [card, promise] : known->semantics->lines()) {
      if (!promise.kept) answer.winner_lacks.push_back({std::string(card), std::string(promise.reason)});
    }
  }

  const Profile& profile_;
  const Catalogue& catalogue_;
  const RecommendRequest& request_;
  const RecommendBench& bench_;
  Pace pace_;
  double started_s_;
  MeasuringPlan::Cells frame_{.entities = profile_.entities};
  MeasuringPlan::Cells save_{.entities = profile_.entities, .work = "save", .weight = 0.3};
  std::vector<ToolchainStrategy> chosen_;
  GameProgram program_;
  double compiled_s_;
  std::uint64_t seed_ = 0;
  std::vector<Run> processes_;
};

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

}  // namespace

std::filesystem::path process_directory(const std::filesystem::path& out, std::size_t number) {
  return out / fmt::format("process-{}", number);
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
                                                 const std::vector<std::string>& required, bool plain_only) {
  std::vector<ToolchainStrategy> chosen;
  for (const ToolchainStrategy& strategy : toolchain.strategies) {
    if (plain_only && strategy.is_variant() && required.empty()) continue;
    const auto known = std::ranges::find(catalogue.strategies(), strategy.name, &StrategyEntry::name);
    const bool is_known = known != catalogue.strategies().end() && known->semantics.has_value();
    if (!required.empty() && (!is_known || !keeps(*known->semantics, required))) continue;
    chosen.push_back(strategy);
  }
  if (!chosen.empty()) return chosen;
  if (required.empty())
    throw EnvironmentError(fmt::format("{} lists no strategy; build stowage again", toolchain.file.string()));
  throw NegativeAnswer(fmt::format("no strategy promises {}", fmt::join(required, " and ")));
}

Answer recommend(const Profile& profile, const Toolchain& toolchain, const Catalogue& catalogue,
                 const RecommendRequest& request, const RecommendBench& bench) {
  return Session(profile, toolchain, catalogue, request, bench).answer();
}

}  // namespace stowage::harness
