#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/build/toolchain.hpp"
#include "harness/catalogue.hpp"
#include "harness/recommend/answer.hpp"
#include "harness/recommend/profile/profile.hpp"

namespace stowage::harness {

struct RecommendRequest {
  bool quick = false;
  std::vector<Recipe> strategies = {};            ///< see choose_strategies()
  std::optional<double> search_s = {};            ///< for placements; what is left of the usual time if not given
  bool without_variants = false;                  ///< because of --quick, which the answer says
  bool variants_may_wait = false;                 ///< if time is short, because the user has not named them
  std::optional<std::filesystem::path> out = {};  ///< where results of each process are kept, if they are
};

/// Compiles the game, measures it in several processes and answers. Throws what compile_game() does, and Interrupted.
[[nodiscard]] Answer measure_and_decide(const Profile& profile, const Toolchain& toolchain, const Catalogue& catalogue,
                                        const RecommendRequest& request);

}  // namespace stowage::harness
