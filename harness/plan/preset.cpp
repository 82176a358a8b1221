#include "harness/plan/preset.hpp"

#include "harness/text.hpp"

namespace stowage::harness {
namespace {

constexpr std::size_t k = 1024;
constexpr std::size_t m = k * k;

/// Without a component that the schema marks Sparse<>, hybrid is archetype_sections.
const std::map<std::string_view, std::vector<std::string_view>> where_forms_differ = {{"hybrid", {"toggle"}}};

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      {.name = "quick",
       .precision = "12 repetitions of about 3 ms in three processes (10 if time is short), only some parameter "
                    "values, and base forms only (--strategies names variants). Differences of a few percent stay "
                    "open: use --until-decided",
       .entities = {k, 16 * k, 256 * k},
       .quick_values_only = true,
       .most_entities_of_variants = 0,
       .like_base = {"hash_index.flat_map"},
       .only_in = where_forms_differ,
       .without = {"wide"},  // 300 types take the compiler 20 seconds and 2 GB for each strategy
       .repetitions = 12,
       .fewest_repetitions = 10,
       .visits = 3,
       .min_time_s = 0.003,
       .budget_s = 36,
       .largest_simulated = 16 * k,
       .cache_budget_s = 10,
       .frames = 1000,
       .most_frames_s = 0.5},
      {.name = "standard",
       .precision = "15 repetitions of about 16 ms (9 of 4 ms if there are many strategies, to finish in 20 minutes), "
                    "and variants of strategies up to 32k entities (--strategies names them for more): the summary "
                    "states how wide the intervals are; another run may differ by more",
       .entities = {k, 16 * k, 256 * k, m},
       .most_entities_of_variants = 32 * k,
       .like_base = {"hash_index.flat_map"},
       .only_in = where_forms_differ,
       .repetitions = 15,
       .fewest_repetitions = 9,
       .visits = 3,
       .layouts = 3,
       .min_time_s = 0.016,
       .budget_s = 480,
       .cache_budget_s = 180,
       .frames = 2000,
       .most_frames_s = 0.05},
      {.name = "full",
       .precision = "25 repetitions of about 100 ms: the most precise and the slowest",
       .entities = {k, 16 * k, 256 * k, m, 4 * m},
       .repetitions = 25,
       .fewest_repetitions = 25,
       .visits = 5,
       .min_time_s = 0.1,
       .frames = 10000,
       .most_frames_s = 4}};
  return all;
}

const Preset& find_preset(std::string_view name) {
  return find_named(presets(), name, &Preset::name, "preset", "there are quick, standard and full");
}

}  // namespace stowage::harness
