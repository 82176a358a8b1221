#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/build/modules.hpp"
#include "harness/build/toolchain.hpp"
#include "harness/catalogue.hpp"

namespace stowage::harness {

// ---- which strategies a recommendation looks at

struct ChoiceRequest {
  std::vector<std::string> named;     ///< strategies; all if empty
  std::vector<std::string> required;  ///< cards of semantics, in full
  bool plain_only = false;            ///< the plain form of each family alone, if nothing is named or required
};

/// Whether variants take part.
[[nodiscard]] bool takes_variants(const ChoiceRequest& request);

/// The cards that `name` means: the one of that name, or all that begin with it (`pointer_stability`). If there is
/// none, throws UserError that names the nearest.
[[nodiscard]] std::vector<std::string> cards_named(const std::string& name);

/// Those of `known` that can play a game, were asked for and keep all that is required, as far as `catalogue` knows
/// their promises. Throws UserError for a name of none; EnvironmentError for one that this binary was built without;
/// NegativeAnswer if none is left.
[[nodiscard]] std::vector<Recipe> choose_strategies(const std::vector<Recipe>& known, const Catalogue& catalogue,
                                                    const ChoiceRequest& request);

// ---- the command

/// What the user asked of `stowage recommend`.
struct RecommendOptions {
  std::optional<std::string> profile;
  std::optional<std::string> strategies;  ///< a list of names
  std::vector<std::string> required;      ///< lists of cards
  std::vector<std::string> storages;      ///< as FILE:TYPE
  std::optional<std::string> from;
  std::string format = "table";
  std::optional<std::string> out;
  std::optional<double> search_s;
  bool quick = false;
  bool init = false;
};

/// Compiles and checks the storages that the user names by file; returns their names.
using AddStorages = std::function<std::vector<std::string>()>;

/// The whole command: reads the profile, measures its game (or reads what was measured), and prints the answer. With
/// `--out` it also writes recommendation.json there, and returns its path, from which the page is made. Throws what
/// errors.hpp has.
[[nodiscard]] std::optional<std::string> run_recommend(const RecommendOptions& options, const Catalogue& catalogue,
                                                       Modules& modules, const AddStorages& add_storages);

}  // namespace stowage::harness
