#include "harness/recommend/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/errors.hpp"
#include "harness/recommend/generate.hpp"
#include "harness/recommend/samples.hpp"
#include "harness/recommend/variations.hpp"
#include "harness/results/metrics.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

std::string why_nobody(const Answer& answer) {
  if (answer.not_ranked.empty()) return "no strategy could be measured";
  const NotRanked& first = answer.not_ranked.front();
  return fmt::format("no strategy could be measured; {}: {}", first.strategy, first.reason);
}

void note_semantics(Answer& answer, const Catalogue& catalogue) {
  const auto known = std::ranges::find(catalogue.strategies(), answer.winner, &StrategyEntry::name);
  if (known == catalogue.strategies().end() || !known->semantics) return;
  for (const auto& [card, promise] : known->semantics->lines()) {
    if (!promise.kept) answer.winner_lacks.push_back({std::string(card), std::string(promise.reason)});
  }
}

/// The game as C++, which has everything that is measured, and no budget.
constexpr const char* game_file = "game.hpp";

void check_is_of(const Profile& profile, const fs::path& out) {
  const std::string noted = read_text_file(out / game_file, [&out] {
    return fmt::format("; {} has no answer, name a directory that `stowage recommend --out` was given", out.string());
  });
  if (noted != game_header(profile)) {
    throw UserError(fmt::format(
        "{} has the answer to another game than {}; only the budget may be another, so measure this one, too",
        out.string(), profile.file.string()));
  }
}

bool counted_misses(const Run& run) {
  const auto of_cache = [](const auto& record) { return record.pass == cache_pass; };
  return std::ranges::any_of(run.passes, of_cache) || std::ranges::any_of(run.omissions, of_cache);
}

}  // namespace

MeasuringPlan::Cells frame_cells(const Profile& profile) { return {.entities = profile.entities}; }
MeasuringPlan::Cells save_cells(const Profile& profile) { return frame_cells(profile).of_saves(); }

Answer rank_game(const Profile& profile, const std::vector<Run>& processes) {
  return rank_processes(profile, processes, frame_cells(profile).parameters(),
                        profile.saves_per_minute > 0 ? save_cells(profile).parameters() : std::string());
}

Answer decide(const Profile& profile, const MeasuredGame& game, const Catalogue& catalogue) {
  Answer answer = rank_game(profile, game.processes);
  if (answer.ranking.empty()) throw NegativeAnswer(why_nobody(answer));
  if (game.other_games) add_variations(answer, *game.other_games, variations_of(profile), saves_per_frame(profile));
  if (game.counted) {
    add_misses(answer, *game.counted, frame_cells(profile).parameters());
    for (const Omission& omission : game.counted->omissions) {
      answer.left_out.push_back(omission.pass + " of " + omission.cell + ": " + omission.reason);
    }
  }
  note_semantics(answer, catalogue);
  add_reasons(answer);
  return answer;
}

fs::path process_directory(const fs::path& out, std::size_t number) { return out / fmt::format("process-{}", number); }

std::vector<fs::path> process_directories(const fs::path& out) {
  constexpr std::size_t most = 16;  // more than an answer takes
  std::vector<fs::path> processes;
  for (std::size_t number = 1; number <= most; ++number) {
    const fs::path process = process_directory(out, number);
    if (holds_results(process)) processes.push_back(process);
  }
  return processes;
}

void note_game(const Profile& profile, const fs::path& out) { replace_file(out / game_file, game_header(profile)); }

MeasuredGame read_measured_game(const Profile& profile, const fs::path& out) {
  MeasuredGame game;
  check_is_of(profile, out);
  for (const fs::path& directory : process_directories(out)) {
    Run run = load_run(directory);
    if (counted_misses(run)) {
      game.counted = std::move(run);
    } else if (find_block(run, frame_cells(profile).parameters()) != nullptr) {
      game.processes.push_back(std::move(run));
    } else {
      game.other_games = std::move(run);
    }
  }
  if (game.processes.empty()) {
    throw UserError(
        fmt::format("{} has no results of {}; name the directory that `stowage recommend {} --out` was given",
                    out.string(), profile.file.string(), profile.file.string()));
  }
  return game;
}

}  // namespace stowage::harness
