#pragma once

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <CLI/Option.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/build/modules.hpp"
#include "harness/catalogue.hpp"
#include "harness/plan/selection.hpp"

namespace stowage::harness {

/// What every command is given beside its own options.
struct CommandContext {
  const Catalogue& catalogue;
  Modules& modules;                          ///< that add the cells of strategies to the catalogue
  std::vector<std::string> arguments;        ///< the whole command line, to be repeated by the record of a run
  std::vector<std::string> benchmark_flags;  ///< what came after `--`

  /// The command line, to be typed again.
  [[nodiscard]] std::string command() const;
};

// Each adds one command with its options to `app`. The command runs while the command line is parsed. It throws one of
// the errors of errors.hpp unless it ends with exit code 0.
void add_list_command(CLI::App& app, const CommandContext& context);
void add_run_command(CLI::App& app, const CommandContext& context);
void add_cache_command(CLI::App& app, const CommandContext& context);
void add_verify_command(CLI::App& app, const CommandContext& context);
/// `merge`, `report`, `claims`, `compare` and `gallery`.
void add_report_commands(CLI::App& app, const CommandContext& context);
void add_recommend_command(CLI::App& app, const CommandContext& context);
void add_adopt_command(CLI::App& app, const CommandContext& context);
void add_doctor_command(CLI::App& app, const CommandContext& context);
void add_submit_command(CLI::App& app, const CommandContext& context);
void add_build_cost_command(CLI::App& app, const CommandContext& context);

/// Adds the flags that say which cells a command works on.
void add_selection_options(CLI::App& command, SelectionRequest& request);

/// Adds --cpus, for pin_to_cpus().
void add_cpus_option(CLI::App& command, std::optional<std::string>& cpus);

/// Adds --storage FILE:TYPE.
void add_storage_option(CLI::App& command, std::vector<std::string>& storages);

/// States that `option` takes one of `choices`, in its help and in the message for a missing value.
void set_choices(CLI::Option& option, const std::vector<std::string>& choices);

/// Adds an option such as `--format`, whose value is refused with a UserError if it is none of `choices`.
void add_choice_option(CLI::App& command, const std::string& name, std::string& value,
                       const std::vector<std::string>& choices, const std::string& description);

/// Runs `action` when `command` was given, after its leftovers turned out to be empty, as did what came after `--`, for
/// which `run` alone has a use.
void set_action(CLI::App& command, const CommandContext& context, const std::function<void()>& action);

/// Throws UserError that names the first of `unexpected`, words that `command` has no use for.
void refuse_leftovers(const CLI::App& command, const std::vector<std::string>& unexpected);

/// What is wrong with a command line that CLI11 could not parse, and whose help says what is right.
[[nodiscard]] std::string message_for(const CLI::App& app, const CLI::ParseError& error);

/// Compiles and loads the storages that `request` names by file (--storage), and adds their names to it.
void add_storages(SelectionRequest& request, const CommandContext& context);

/// add_storages(), and checks each beside the reference model: what is wrong is not measured. Throws NegativeAnswer.
void add_checked_storages(SelectionRequest& request, const CommandContext& context);

/// Makes one visit of the time pass for the `run` that started it: DIRECTORY VISIT SECONDS VERBOSITY
/// world=[PROFILE] STORAGE...
inline constexpr std::string_view visit_argument = "__visit";
void make_visit(const std::vector<std::string>& arguments, const CommandContext& context);

/// The first argument of the command by which a package compiles its modules: those named, or all.
inline constexpr std::string_view modules_argument = "__modules";
void build_modules(std::vector<std::string> names, const CommandContext& context);

/// Makes one run of `stowage doctor --calibrate`: DIRECTORY NUMBER MINUTES, see doctor/calibration.hpp.
void make_calibration_run(const std::vector<std::string>& arguments, const CommandContext& context);

/// Compiles and loads the modules of what was selected.
void add_cells(const Selection& selection, const CommandContext& context);

/// resolve() and add_cells(). Throws what both throw.
[[nodiscard]] Selection select_cells(const SelectionRequest& request, const CommandContext& context);

/// Says which selected strategies have no cell in `blocks`, and why none can exist.
void say_left_out(const Selection& selection, const std::vector<Block>& blocks, const Catalogue& catalogue);

/// Links and loads so many layouts of the code of what was selected, those of the modules themselves included.
void add_layouts(const Selection& selection, std::size_t layouts, const CommandContext& context);

}  // namespace stowage::harness
