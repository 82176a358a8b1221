#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/build/service.hpp"
#include "harness/build/toolchain.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/system/process.hpp"

namespace stowage::harness {

/// A game that was compiled for some strategies: a module each.
struct GameProgram {
  std::vector<std::string> strategies;
  std::map<std::string, std::string> modules;  ///< files, by strategy
  struct Failure {
    std::string strategy;
    std::string reason;  ///< the compiler's first error, and where all of them are
  };
  std::vector<Failure> failures;
  std::vector<std::string> too_late;  ///< variants that wait, in the order of the request
  std::size_t compiled = 0;           ///< modules that were missing or stale
};

/// What compiling reports, and is stopped by.
struct CompileBench {
  /// Whether there is time for another variant beside so many strategies; if not, no more are begun. Null: there always
  /// is. The first strategy never waits.
  std::function<bool(std::size_t strategies)> has_time = nullptr;
  std::function<bool()> stop;
  std::function<void(std::size_t done, std::size_t of)> progress;  ///< in modules
  std::size_t together = processors();                             ///< variants that are begun at once
};

/// The plan of all that is compiled for a profile, still without modules: these call what harness/recommend/`bind`.hpp
/// has.
[[nodiscard]] BuildPlan game_build_plan(const Profile& profile, const Toolchain& toolchain, std::string_view bind);

/// Compiles what the cache does not have. One directory of the cache has the game of one profile, compiled by one
/// toolchain for one version of stowage. Throws UserError if the user's types cannot be components, or no strategy can
/// be compiled with them; EnvironmentError if there is no compiler; Interrupted.
[[nodiscard]] GameProgram compile_game(const Profile& profile, const Toolchain& toolchain,
                                       const std::vector<Recipe>& strategies, const CompileBench& bench);

}  // namespace stowage::harness
