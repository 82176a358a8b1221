#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/profile/profile.hpp"
#include "harness/recommend/answer.hpp"
#include "harness/recommend/toolchain.hpp"

namespace stowage::harness {

struct RecommendRequest {
  bool quick = false;
  std::vector<std::string> required;         ///< cards of semantics, in full
  std::optional<std::filesystem::path> out;  ///< where what each process measured is kept; else it is not
};

/// Where in `out` what one process measured is kept, as a run directory; counted from 1.
[[nodiscard]] std::filesystem::path process_directory(const std::filesystem::path& out, std::size_t number);

/// What a recommendation needs of the outside; tests replace the clock.
struct RecommendBench {
  std::function<bool()> stop;
  std::function<double()> now_s;
  std::function<void(const std::string&)> progress;  ///< a line that replaces the one before
};

/// The cards that `name` means: the one of that name, or all that begin with it (`pointer_stability`). Throws UserError
/// that names the nearest where there is none.
[[nodiscard]] std::vector<std::string> cards_named(const std::string& name);

/// The strategies of the toolchain that keep all of `required`, as far as `catalogue` knows their promises, and with
/// `plain_only` the plain form of each family alone. Throws NegativeAnswer where none is left.
[[nodiscard]] std::vector<ToolchainStrategy> choose_strategies(const Toolchain& toolchain, const Catalogue& catalogue,
                                                               const std::vector<std::string>& required,
                                                               bool plain_only);

/// Compiles the game, measures it in several processes and answers. Throws what compile_game() does, and Interrupted.
[[nodiscard]] Answer recommend(const Profile& profile, const Toolchain& toolchain, const Catalogue& catalogue,
                               const RecommendRequest& request, const RecommendBench& bench);

}  // namespace stowage::harness
