#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/build/service.hpp"
#include "harness/build/toolchain.hpp"
#include "harness/catalogue.hpp"
#include "harness/recommend/profile/profile.hpp"

namespace stowage::harness {

/// The unit of the workloads `world.*`.
inline constexpr const char* world_unit = "world";

/// What the kinds of work in a world (workloads/game/work_cards.hpp) are done with, chosen from its profile.
struct WorldPlan {
  std::optional<std::size_t> dense;    ///< the system that visits most entities, and writes something
  std::optional<std::size_t> sparse;   ///< the one that visits fewest, but any
  std::optional<std::size_t> joined;   ///< the one that names most components; of several that visits most entities
  std::vector<std::size_t> looked_up;  ///< the components that most entities have, tags apart: four at most
};
[[nodiscard]] WorldPlan plan_world(const Profile& profile);

/// The name of a world and eight digits that say which: of what its profile says, not of how. It stands in names of
/// cells and files, so all but letters and digits is `_`.
[[nodiscard]] std::string world_name(const Profile& profile);

/// The profile of the world that `run` measures in if nothing else is said: its name is `usual_world_name`. Throws
/// EnvironmentError if the files of stowage are gone.
[[nodiscard]] std::filesystem::path usual_world();

/// The kinds of work that a world has, at the size of its profile; of the usual world also at 16 times that, where that
/// is not too slow.
[[nodiscard]] std::vector<WorkloadEntry> workloads_of_world(const Profile& profile);

/// What is measured beside the strategies in every world: hand-written tables (workloads/game/plain_tables.hpp).
[[nodiscard]] std::vector<Recipe> yardsticks_of_worlds();

/// Where a package has the modules of a world. It has those of the usual one.
[[nodiscard]] std::filesystem::path packaged_world(const Profile& profile, const Toolchain& toolchain);

/// How the cells of a world are compiled, for all of these strategies and the yardsticks.
[[nodiscard]] BuildPlan world_build_plan(const Profile& profile, const Toolchain& toolchain,
                                         const std::vector<Recipe>& strategies);

}  // namespace stowage::harness
