#include "harness/recommend/answer_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "harness/errors.hpp"
#include "harness/recommend/generate.hpp"
#include "harness/recommend/ranking.hpp"
#include "harness/results/metrics.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/system/platform.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// The game as C++, which has everything that is measured, and no budget.
constexpr const char* game_file = "game.hpp";

void check_is_of(const Profile& profile, const fs::path& out) {
  const std::string noted = read_text_file(out / game_file, [&out] {
    return fmt::format("; {} has no answer, name a directory that `stowage recommend --out` was given", out.string());
  });
  if (noted != game_header(profile)) {
    throw UserError(
        "{} has the answer to another game than {}; only the budget may be another, so measure this one, too",
        out.string(), profile.file.string());
  }
}

/// What only a killed process leaves: no answer, and nothing that could be the user's.
bool is_half_a_note(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with(std::string(game_file) + ".") && name.ends_with(".tmp");
}

bool has_files(const fs::path& directory) {
  std::error_code error;
  fs::directory_iterator files(directory, error);
  if (error) return fs::exists(directory);
  return std::ranges::any_of(files, [](const auto& entry) { return !is_half_a_note(entry.path()); });
}

bool counted_misses(const Run& run) {
  const auto of_cache = [](const Omission& omission) { return omission.pass == cache_pass; };
  const auto is_counted = [](const CellResult& cell) {
    return find_counter(cell, "instructions_per_item").has_value();
  };
  const auto has_counts = [&](const BlockResult& block) { return std::ranges::any_of(block.cells, is_counted); };
  return std::ranges::any_of(run.omissions, of_cache) || std::ranges::any_of(run.blocks, has_counts);
}

}  // namespace

fs::path answer_file(const fs::path& out) { return out / "recommendation.json"; }

void prepare_answer_directory(const fs::path& out) {
  std::error_code error;
  const bool is_ours = fs::exists(answer_file(out), error) || holds_results(process_directory(out, 1)) ||
                       is_game_header(system_text(out / game_file));
  if (has_files(out) && !is_ours) {
    throw UserError("--out {} holds something else; name a directory that is new or has an earlier answer",
                    out.string());
  }
  make_directory(out);
  check_writable(out);
}

void remove_earlier_results(const fs::path& out) {
  std::error_code error;
  for (const std::string_view kind : {of_confirmation, of_search, of_game}) {
    std::vector<fs::path> processes = process_directories(out, kind);
    std::ranges::reverse(processes);  // the first marks the directory as ours, so it goes last
    for (const fs::path& process : processes) fs::remove_all(process, error);
  }
}

fs::path process_directory(const fs::path& out, std::size_t number, std::string_view kind) {
  return out / fmt::format("{}-{}", kind, number);
}

std::vector<fs::path> process_directories(const fs::path& out, std::string_view kind) {
  constexpr std::size_t most = 100;  // more than an answer takes
  std::vector<fs::path> processes;
  for (std::size_t number = 1; number <= most; ++number) {
    const fs::path process = process_directory(out, number, kind);
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
    } else if (find_frames(run, frame_cells(profile).parameters()) != nullptr) {
      game.processes.push_back(std::move(run));
    } else {
      game.other_games = std::move(run);
    }
  }
  for (const fs::path& directory : process_directories(out, of_search)) game.search.push_back(load_run(directory));
  for (const fs::path& directory : process_directories(out, of_confirmation)) {
    game.confirmed.push_back(load_run(directory));
  }
  if (game.processes.empty()) {
    throw UserError("{} has no results of {}; name the directory that `stowage recommend {} --out` was given",
                    out.string(), profile.file.string(), shell_path(profile.file));
  }
  return game;
}

}  // namespace stowage::harness
