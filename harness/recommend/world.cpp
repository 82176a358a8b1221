// Turns a profile into the workloads of a world: which work it has, on which components, and which modules are built.
#include "harness/recommend/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <tuple>
#include <utility>

#include "harness/build/modules.hpp"
#include "harness/locations.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/recommend/compile_game.hpp"
#include "harness/recommend/generate.hpp"
#include "workloads/game/work_cards.hpp"
#include "workloads/support/workers.hpp"

namespace stowage::harness {
namespace {

using workloads::Axis;
using workloads::game::Work;

/// The share of the entities that have all of these components.
double share_with(const std::vector<std::size_t>& components, const Profile& profile) {
  return entities_with(profile, components) / static_cast<double>(profile.entities);
}

/// Words that live as long as the program, because cards and axes hold views.
std::string_view kept(std::string text) {
  static std::deque<std::string> words;
  return words.emplace_back(std::move(text));
}

/// Whether the world has such work.
bool has_work(Work work, const Profile& profile, const WorldPlan& plan) {
  switch (work) {
    case Work::frame:
    case Work::spike:
      return true;
    case Work::iterate_dense:
      return plan.dense.has_value();
    case Work::threads:
      return plan.dense && !profile.systems[*plan.dense].writes.empty();
    case Work::iterate_sparse:
      return plan.sparse.has_value();
    case Work::join:
      return plan.joined.has_value();
    case Work::lookup:
      return !plan.looked_up.empty();
    case Work::churn:
      return profile.creations_per_frame > 0 ||
             std::ranges::any_of(profile.kinds, [](const ProfileKind& kind) { return kind.created_per_frame > 0; });
    case Work::structural:
      return !profile.changes.empty();
    case Work::hierarchy:
      return profile.hierarchy.has_value();
    case Work::save:
    case Work::load:
      return profile.saves_per_minute > 0;
  }
  return false;
}

/// Single frames are timed in aged worlds that are not too large: a thousand frames of larger ones take half a minute.
bool has_frames_in_time(const workloads::Parameters& parameters) {
  constexpr std::size_t most = 64 * 1024;
  return workloads::game::is_aged(parameters) && parameters.entities <= most;
}

std::string population_of(const workloads::Parameters& parameters) {
  return fmt::format("{} {}", parameters.entities, workloads::game::is_aged(parameters) ? "aged" : "fresh");
}

/// The axes of a kind of work. `quick` has both ages for loops, where the age is what matters.
std::vector<Axis> axes_of(Work work, const WorldPlan& plan, std::string_view name) {
  std::vector<Axis> axes{{"world", {name}, {name}}};
  const bool is_loop = work == Work::iterate_dense || work == Work::iterate_sparse || work == Work::join;
  if (is_loop) axes.push_back({"age", {"fresh", "aged"}, {"fresh", "aged"}});
  if (work == Work::frame || work == Work::lookup) axes.push_back({"age", {"fresh", "aged"}, {"aged"}});
  if (work == Work::lookup) {
    Axis counts{"components", {}, {}};
    for (const std::string_view count : {"1", "2", "4"}) {
      if (plan.looked_up.size() >= static_cast<std::size_t>(count.front() - '0')) counts.values.push_back(count);
    }
    counts.quick_values = counts.values;
    axes.push_back(std::move(counts));
  }
  if (work == Work::threads) {
    const std::string_view most = kept(std::to_string(workloads::Workers::most()));
    Axis threads{"threads", {"1"}, {}};
    if (most != "1") threads.values.push_back(most);
    threads.quick_values = threads.values;
    axes.push_back(std::move(threads));
  }
  return axes;
}

}  // namespace

WorldPlan plan_world(const Profile& profile) {
  WorldPlan plan;
  double most = 0;
  double fewest = 2;
  std::pair<std::size_t, double> largest{};
  for (std::size_t i = 0; i < profile.systems.size(); ++i) {
    const ProfileSystem& system = profile.systems[i];
    const std::vector<std::size_t> named = touched_by(system);
    const double share = share_with(named, profile);
    if (system.changed_only || named.empty() || share <= 0) continue;
    if (share > most && !system.writes.empty()) std::tie(plan.dense, most) = std::pair(i, share);
    if (share < fewest) std::tie(plan.sparse, fewest) = std::pair(i, share);
    if (std::pair(named.size(), share) > largest)
      std::tie(plan.joined, largest) = std::pair(i, std::pair(named.size(), share));
  }
  for (std::size_t i = 0; i < profile.components.size(); ++i) {
    const ProfileComponent& component = profile.components[i];
    if (component.type.empty() && component.bytes == 0) continue;
    plan.looked_up.push_back(i);
  }
  std::ranges::stable_sort(plan.looked_up, std::ranges::greater{},
                           [&](std::size_t component) { return share_with({component}, profile); });
  while (plan.looked_up.size() > 4 || share_with(plan.looked_up, profile) <= 0) plan.looked_up.pop_back();
  return plan;
}

std::string world_name(const Profile& profile) {
  std::string name = profile.name.empty() ? "world" : profile.name;
  std::ranges::replace_if(name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return fmt::format("{}-{}", name, fingerprint(game_header(profile)).substr(0, 8));
}

std::filesystem::path usual_world() { return shared_files() / "profiles" / fmt::format("{}.toml", usual_world_name); }

std::vector<WorkloadEntry> workloads_of_world(const Profile& profile) {
  constexpr std::size_t larger = 16;
  std::vector<WorkloadEntry> workloads;
  const WorldPlan plan = plan_world(profile);
  const std::string_view name = kept(world_name(profile));
  const bool is_usual = profile.name == usual_world_name;  // no other world may be called so
  for (std::size_t number = 0; number < workloads::game::work_cards.size(); ++number) {
    const auto work = static_cast<Work>(number);
    if (!has_work(work, profile, plan)) continue;
    WorkloadEntry entry{workloads::game::card_of(work), axes_of(work, plan, name),
                        [](const workloads::Parameters&, workloads::Lines) { return workloads::Floor{}; }};
    entry.card.sizes = {profile.entities};
    if (is_usual && work != Work::save && work != Work::load) entry.card.sizes[1] = larger * profile.entities;
    entry.unit = world_unit;
    entry.has_types_of_user = std::ranges::any_of(
        profile.components, [](const ProfileComponent& component) { return !component.type.empty(); });
    entry.least_bytes_per_entity = handle_bytes + component_bytes(profile) / static_cast<double>(profile.entities);
    entry.population = population_of;
    // Yardsticks do this work in a second storage, which they make from the population as it is before any work.
    entry.is_verified_first = work == Work::structural;
    entry.repeats_memory = work != Work::frame && work != Work::load;
    if (work == Work::frame) entry.framed = is_usual ? has_frames_in_time : workloads::game::is_aged;
    if (work == Work::threads) {
      entry.why_uncounted = [](const workloads::Parameters& parameters) {
        return parameters.get("threads") == "1" ? std::string() : workloads::game::counted_on_one_thread;
      };
    }
    if (work == Work::frame && profile.threads > 1) {
      entry.why_uncounted = [](const workloads::Parameters&) {
        return std::string(workloads::game::counted_on_one_thread);
      };
    }
    workloads.push_back(std::move(entry));
  }
  return workloads;
}

std::vector<Recipe> yardsticks_of_worlds() {
  const auto yardstick = [](const char* name, const char* type, const char* summary) {
    return Recipe{.name = name,
                  .header = "workloads/game/plain_tables.hpp",
                  .template_name = type,
                  .source = "hand-written",
                  .summary = summary};
  };
  return {yardstick("reference", "stowage::workloads::game::PlainReference", ""),
          yardstick("reference.contract", "stowage::workloads::game::ContractReference",
                    "the contract floor of a world: tables by hand, and generations")};
}

std::filesystem::path packaged_world(const Profile& profile, const Toolchain& toolchain) {
  return toolchain.modules / "worlds" / world_name(profile);
}

BuildPlan world_build_plan(const Profile& profile, const Toolchain& toolchain, const std::vector<Recipe>& strategies) {
  BuildPlan plan = game_build_plan(profile, toolchain, "bind_world");
  if (toolchain.modules_are_prebuilt) plan.prebuilt = packaged_world(profile, toolchain);
  std::vector<Recipe> all = yardsticks_of_worlds();
  all.insert(all.end(), strategies.begin(), strategies.end());
  for (const Recipe& strategy : all) {
    if (!strategy.plays_games) continue;
    plan.modules.push_back({.name = module_of(strategy.name, world_unit),
                            .text = works_source(strategy),
                            .compile_flags = strategy.compile_flags,
                            .link_flags = strategy.link_flags});
  }
  return plan;
}

}  // namespace stowage::harness
