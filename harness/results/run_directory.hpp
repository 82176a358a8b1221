#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// Where runs go that were not given a place: below the current directory.
inline constexpr std::string_view runs_directory = "results";

/// Writes DIR/results.json whole or not at all; see replace_file for what it throws.
void save_run(const std::filesystem::path& directory, const Run& run);

/// Reads DIR/results.json. Throws UserError if there is none or it cannot be used.
[[nodiscard]] Run load_run(const std::filesystem::path& directory);

/// When DIR/results.json was written.
[[nodiscard]] std::filesystem::file_time_type written_at(const std::filesystem::path& directory);

[[nodiscard]] bool holds_results(const std::filesystem::path& directory);

/// Makes `results/20261120-190000-host-quick`, or the same with a number if another run has that name: sorted by time
/// when sorted by name. Throws what make_directory() does.
[[nodiscard]] std::filesystem::path new_run_directory(const Environment& environment, const std::string& preset);

/// The latest run below results/, if any.
[[nodiscard]] std::optional<std::filesystem::path> find_newest_run_directory();

/// The same. Throws UserError if there is none.
[[nodiscard]] std::filesystem::path newest_run_directory();

/// The latest run below results/ that is older than `directory`. Throws UserError if there is none.
[[nodiscard]] std::filesystem::path run_directory_before(const std::filesystem::path& directory);

}  // namespace stowage::harness
