#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// A part of the Python package stowage_report that can be run by itself.
struct PythonTool {
  std::string module = "stowage_report";
  std::string what;                      ///< it is, in a message: "the report"
  std::vector<std::string> needs = {};   ///< modules beside Python's own, each in a package of its name
  bool may_answer_no = false;            ///< its exit code 1 is an answer, and no failure
  std::function<bool()> stop = nullptr;  ///< asked while it runs; if so it is ended. Null: it is never stopped

  /// Those of Debian and Ubuntu that have an interpreter with these modules.
  [[nodiscard]] std::string packages() const;
};

/// The one behind `stowage report`.
[[nodiscard]] PythonTool report_tool();

/// The same for text, which needs no modules.
[[nodiscard]] PythonTool text_tool();

/// The first Python that has all that `tool` needs. Throws EnvironmentError if none has.
[[nodiscard]] std::filesystem::path find_python(const PythonTool& tool);

/// Runs `tool` with `arguments`; what it prints goes where this program's output goes. Throws EnvironmentError if no
/// Python has all that it needs, or if it fails, Interrupted if it was stopped, and a CommandError with the exit code
/// if the tool has reported an error itself.
void run_python_tool(const PythonTool& tool, const std::vector<std::string>& arguments);

/// What `tool` prints. Throws EnvironmentError if no Python has all that it needs, or if it fails.
[[nodiscard]] std::string answer_of_python_tool(const PythonTool& tool, const std::vector<std::string>& arguments);

/// Prints what `tool` makes of `text`, a file that is on no disk. If no Python can, says so and prints the text itself,
/// which is `known_as`.
void print_by_python(const PythonTool& tool, std::string_view text, std::vector<std::string> options,
                     std::string_view known_as);

/// Prints all figures of a run that no file has, or if no Python can the text of results.json.
void print_unsaved(const Run& run);

}  // namespace stowage::harness
