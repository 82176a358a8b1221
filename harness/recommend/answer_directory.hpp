#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/recommend/decide.hpp"
#include "harness/recommend/profile/profile.hpp"

// The directory that `--out` names: recommendation.json, the game as C++, and a run directory for each process.

namespace stowage::harness {

/// `out`/recommendation.json.
[[nodiscard]] std::filesystem::path answer_file(const std::filesystem::path& out);

/// Makes `out`. Throws UserError if it is not new, empty, or of an earlier answer, whole or interrupted, or if it is
/// read-only.
void prepare_answer_directory(const std::filesystem::path& out);

/// Removes what processes have measured there, and nothing else.
void remove_earlier_results(const std::filesystem::path& out);

/// What a process has measured: the game, designs of the search, or what that has found beside the winner.
inline constexpr std::string_view of_game = "process", of_search = "search", of_confirmation = "confirmation";

/// Where the results of one process are kept; counted from 1, whatever it has measured.
[[nodiscard]] std::filesystem::path process_directory(const std::filesystem::path& out, std::size_t number,
                                                      std::string_view kind = of_game);
/// Those that hold results of processes, in their order; no others of such a name.
[[nodiscard]] std::vector<std::filesystem::path> process_directories(const std::filesystem::path& out,
                                                                     std::string_view kind = of_game);

/// Says in `out` which game is measured there, so that results of one are not taken for those of another.
void note_game(const Profile& profile, const std::filesystem::path& out);

/// What is kept there. Budgets may be others than they were then. Throws UserError if that is not of this game.
[[nodiscard]] MeasuredGame read_measured_game(const Profile& profile, const std::filesystem::path& out);

}  // namespace stowage::harness
