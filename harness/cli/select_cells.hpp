#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/build/modules.hpp"
#include "harness/cli/commands.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

/// Says what is compiled, and how far that is, on stderr.
class CompileProgress {
 public:
  CompileProgress() = default;
  CompileProgress(const CompileProgress&) = delete;
  CompileProgress& operator=(const CompileProgress&) = delete;
  ~CompileProgress();

  [[nodiscard]] ModuleBench bench();

 private:
  bool line_is_open_ = false;
};

/// Compiles and loads the storages that `request` names by file (--storage), and adds their names to it.
void add_storages(SelectionRequest& request, const CommandContext& context);

/// add_storages(), and checks each beside the reference model: what is wrong is not measured. Throws NegativeAnswer.
void add_checked_storages(SelectionRequest& request, const CommandContext& context);

/// The first argument of the command by which a package compiles its modules: those named, or all.
inline constexpr std::string_view modules_argument = "__modules";
void build_modules(std::vector<std::string> names, const CommandContext& context);

/// resolve(), then compiles and loads the modules of what was selected. Throws what both throw.
[[nodiscard]] Selection select_cells(const SelectionRequest& request, const CommandContext& context);

}  // namespace stowage::harness
