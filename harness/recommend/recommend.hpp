#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/build/modules.hpp"
#include "harness/catalogue.hpp"

namespace stowage::harness {

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
  std::optional<std::string> cpus;
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
