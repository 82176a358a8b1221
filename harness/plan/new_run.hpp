#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/plan/selection.hpp"
#include "harness/results/run.hpp"

// A run before anything is measured: what it was asked for, on which machine, of which strategies and workloads.
namespace stowage::harness {

/// The options that a run of `selection` records. Those that are not given are the preset's.
[[nodiscard]] RunOptions options_of(const Selection& selection, std::optional<std::size_t> repetitions = {},
                                    std::optional<double> min_time_s = {});

/// Whether a run with these options is as long as the preset has it.
[[nodiscard]] bool times_as(const Preset& preset, const RunOptions& options);

/// The profile in which `quick` measures, without its `.toml`.
inline constexpr std::string_view usual_world_name = "typical";
/// Whether that is what RunOptions::world names: then --resume finds the profile by itself.
[[nodiscard]] inline bool is_usual_world(std::string_view world) {
  return world.substr(0, world.rfind('-')) == usual_world_name;
}

/// What to type to go on with the run in `directory`, with all that --resume does not take from a file. Without the
/// path of the `profile` it has the one that was typed for the run.
[[nodiscard]] std::string command_to_resume(const std::filesystem::path& directory, const Run& run,
                                            const std::string& profile = "");

/// A run of that on this machine, without results.
[[nodiscard]] Run new_run(const RunOptions& options, const Selection& selection, std::string command);

/// Of the orders in which cells are built and measured. Each run has others: if all of them built a strategy after the
/// same one, its figures would repeat from run to run, and its place in memory would look like a property of it.
[[nodiscard]] std::uint64_t order_seed(const Run& run);

}  // namespace stowage::harness
