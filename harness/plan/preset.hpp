#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// How much is measured, and how precisely.
struct Preset {
  std::string_view name;
  std::string_view precision;  ///< what it measures, and what it leaves out
  std::vector<std::size_t> entities;
  bool quick_values_only = false;  ///< the axes' quick_values instead of all
  /// Variants of strategies take part up to this size; at all sizes if they are named.
  std::size_t most_entities_of_variants = std::numeric_limits<std::size_t>::max();
  /// Variants that are measured wherever base forms are: the rivals by which a base form was chosen.
  std::vector<std::string_view> like_base = {};
  /// Base forms that differ from another base form in these workloads alone; they take part in others if named.
  std::map<std::string_view, std::vector<std::string_view>> only_in = {};
  std::vector<std::string_view> without = {};  ///< workloads that take part only if they are named
  std::size_t repetitions = 0;
  std::size_t fewest_repetitions = 0;                 ///< if the budget is short
  std::size_t visits = 1;                             ///< to each block, each in a process of its own, with equal parts
  std::size_t layouts = 1;                            ///< of each strategy's code, where modules are linked anyway
  double min_time_s = 0;                              ///< of one repetition
  std::optional<double> budget_s = {};                ///< for the time pass
  std::optional<std::size_t> largest_simulated = {};  ///< entities; larger cells are left out of the cache pass
  std::optional<double> cache_budget_s = {};          ///< for the cache pass
  std::size_t frames = 0;                             ///< of each cell that has some
  double most_frames_s = 0;                           ///< for the frames of one cell
};

[[nodiscard]] const std::vector<Preset>& presets();

/// Throws UserError if there is none of that name.
[[nodiscard]] const Preset& find_preset(std::string_view name);

}  // namespace stowage::harness
