#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/profile/profile.hpp"
#include "harness/recommend/toolchain.hpp"

namespace stowage::harness {

/// A game that was compiled for some strategies.
struct GameProgram {
  std::filesystem::path executable;
  std::vector<std::string> strategies;
  struct Failure {
    std::string strategy;
    std::string reason;  ///< the compiler's first complaint, and where all of them are
  };
  std::vector<Failure> failures;
  std::vector<std::string> too_late;  ///< variants that wait, in the order of the request
  std::size_t compiled = 0;  ///< files that were not in the cache
};

/// What compiling reports, and is stopped by.
struct CompileBench {
  std::size_t jobs = 1;  ///< compilers that run at the same time
  /// Whether there is time for another variant beside so many strategies; where there is not, none is begun any more.
  /// Null: there always is. The first strategy never waits.
  std::function<bool(std::size_t strategies)> has_time;
  std::function<bool()> stop;
  std::function<void(std::size_t done, std::size_t of)> progress;
};

/// Compiles what the cache does not have, each file whole or not at all, and links it. One directory of the cache has
/// the game of one profile, compiled by one toolchain for the sources of this binary, with the text of all headers that
/// the user's types need; a strategy whose headers have been written since is compiled again. Throws UserError where
/// the user's types cannot be components, or no strategy can be compiled with them; EnvironmentError where the compiler
/// cannot be run; Interrupted.
[[nodiscard]] GameProgram compile_game(const Profile& profile, const Toolchain& toolchain,
                                       const std::vector<ToolchainStrategy>& strategies, const CompileBench& bench);

/// "game.hpp:3:1: error: no such type" of what a compiler says; its first line where none has an error.
[[nodiscard]] std::string first_complaint(const std::string& log);

}  // namespace stowage::harness
