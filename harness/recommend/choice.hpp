#pragma once

#include <string>
#include <vector>

#include "harness/build/toolchain.hpp"
#include "harness/catalogue.hpp"

// Which strategies a recommendation looks at.

namespace stowage::harness {

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

}  // namespace stowage::harness
