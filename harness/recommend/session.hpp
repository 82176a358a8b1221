#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/profile/profile.hpp"
#include "harness/recommend/answer.hpp"
#include "harness/build/toolchain.hpp"

namespace stowage::harness {

struct RecommendRequest {
  bool quick = false;
  std::vector<Recipe> strategies = {};  ///< see choose_strategies()
  bool without_variants = false;                   ///< because of --quick, which the answer says
  bool variants_may_wait = false;                  ///< where time is short: nobody has named them
  std::optional<std::filesystem::path> out = {};   ///< where what each process measured is kept; else it is not
  std::function<void()> before_measuring = [] {};  ///< when the game is compiled
};

/// What a recommendation needs of the outside; tests replace the clock.
struct RecommendBench {
  std::function<bool()> stop;
  std::function<double()> now_s;
  std::function<void(const std::string&)> progress;  ///< a line that replaces the one before
};

/// Compiles the game, measures it in several processes and answers. Throws what compile_game() does, and Interrupted.
[[nodiscard]] Answer recommend(const Profile& profile, const Toolchain& toolchain, const Catalogue& catalogue,
                               const RecommendRequest& request, const RecommendBench& bench);

}  // namespace stowage::harness
