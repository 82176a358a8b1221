#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/build/service.hpp"
#include "harness/build/toolchain.hpp"
#include "harness/catalogue.hpp"

namespace stowage::harness {

/// Loads a module and adds what it has to the catalogue. It stays loaded until the process ends: Valgrind forgets the
/// debug information of a library that is unloaded. Throws EnvironmentError if the file cannot be loaded, or was built
/// from another version of stowage or by another compiler, or if another user may have written it (trust.hpp).
void load_module(const std::filesystem::path& file, Catalogue& catalogue);

/// The same for a file that this user has loaded before, by another process.
void load_trusted_module(const std::filesystem::path& file, Catalogue& catalogue);

/// The name of the module that has what a strategy does in one unit of workloads. No name of a strategy has a '-'.
[[nodiscard]] std::string module_of(const std::string& strategy, const std::string& unit);

/// The strategies of a catalogue as modules: builds and loads those that a command needs. A module has the cells of one
/// strategy, or of all hand-written references, in the workloads of one unit (workloads/CMakeLists.txt). What builds
/// says on stderr what is compiled and how far that is, and stops when the user asks for it: not while an
/// InterruptGuard lives.
class Modules {
 public:
  /// Adds the strategies that only toolchain.json lists (see stowage_add_benchmark) to the catalogue, without cells.
  explicit Modules(Catalogue& catalogue);

  /// Adds a storage that the user names as `FILE:TYPE` or `NAME=FILE:TYPE`, builds and loads it. The default name is
  /// that of the type in lower case with underscores: `mine::MyStorage` is `my_storage`. Returns its name. Throws
  /// UserError if the file, the type or a part of the contract is missing, or the name is taken.
  std::string add_storage(std::string_view text);

  /// Adds workloads of no list, the yardsticks that come with them, and how the modules of both are built.
  void add_workloads(std::vector<WorkloadEntry> workloads, const std::vector<Recipe>& yardsticks, BuildPlan plan);

  /// From here on takes modules as another process has built them, the newest at `newest`, whatever their headers say
  /// now. Loading one that was built since throws EnvironmentError.
  void freeze_at(std::filesystem::file_time_type newest) { frozen_at_ = newest; }
  /// When the newest module that was loaded was built.
  [[nodiscard]] std::filesystem::file_time_type newest() const noexcept { return newest_; }

  /// As Catalogue::add_copy.
  void add_copy(std::string_view strategy, const std::string& name) { catalogue_.add_copy(strategy, name); }

  /// Makes the cells of these strategies and references in workloads of these units available; builds what is missing
  /// or stale. What was compiled into this program has its cells. Throws EnvironmentError if that fails, Interrupted.
  void require(const std::vector<std::string>& strategies, const std::vector<std::string>& units);

  /// The same cells in so many layouts of their code (layout.hpp), that of the compiler included.
  void require_layouts(const std::vector<std::string>& strategies, const std::vector<std::string>& units,
                       std::size_t layouts);

  /// The same for what compares these strategies with the reference model, which is a module of its own.
  void require_models(const std::vector<std::string>& strategies);

  /// Loads the modules of other projects' storages that are up to date, because only they have the storages' cards.
  /// Compiles nothing, and ignores modules that cannot be loaded.
  void load_ready();

  /// The units of the list of workloads.
  [[nodiscard]] std::vector<std::string> units() const;
  /// Whether strategies are compiled here, and not only if a module is missing. Another layout is cheap then.
  [[nodiscard]] bool compiles() const noexcept { return toolchain_ && !toolchain_->modules_are_prebuilt; }
  [[nodiscard]] bool has_toolchain() const noexcept { return toolchain_.has_value(); }
  /// How strategies are compiled. Throws EnvironmentError if this program has no toolchain.json.
  [[nodiscard]] const Toolchain& toolchain() const;
  /// How the user's storages are compiled, beside those of the toolchain.
  [[nodiscard]] const std::vector<Recipe>& storages() const noexcept { return storages_; }

 private:
  /// The failures, by unit.
  std::map<std::string, std::string> build_modules(const BuildPlan& plan, const std::vector<std::string>& names) const;
  /// What Ninja builds: a plan for each directory of modules.
  [[nodiscard]] std::vector<BuildPlan> plans() const;
  /// The module that has a strategy's cells of a unit; empty if this program has them.
  [[nodiscard]] std::string module_with(const std::string& strategy, const std::string& unit) const;
  /// Builds those of the modules that are neither loaded nor prebuilt, and loads them all. Ignores unknown names.
  void load(const std::vector<std::string>& modules);
  /// Loads a module, and notes when it was built.
  void take(const std::filesystem::path& file, Catalogue& catalogue);
  /// Loads what Ninja has built, and builds it again if it cannot be loaded.
  void load_built(const BuildPlan& plan, const std::string& unit);

  Catalogue& catalogue_;
  std::optional<Toolchain> toolchain_;
  std::vector<Recipe> storages_;
  std::vector<BuildPlan> others_;  ///< of units that are of no list
  std::set<std::string> units_of_others_;
  std::map<std::string, std::filesystem::path> loaded_;  ///< the files of modules
  std::filesystem::file_time_type newest_ = std::filesystem::file_time_type::min();
  std::optional<std::filesystem::file_time_type> frozen_at_;
};

}  // namespace stowage::harness
