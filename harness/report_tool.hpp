#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// A part of the Python package stowage_report that can be run by itself.
struct PythonTool {
  std::string module;
  std::string what;                ///< it is, in a message: "the report"
  std::vector<std::string> needs;  ///< modules beside Python's own
  std::string packages;            ///< that have an interpreter with these modules
  bool may_answer_no = false;      ///< its exit code 1 is an answer, and no failure
};

/// The one behind `stowage report`.
[[nodiscard]] PythonTool report_tool();

/// The same for text, which needs no modules.
[[nodiscard]] PythonTool text_tool();

/// The first Python that has all that `tool` needs. Throws EnvironmentError if none has.
[[nodiscard]] std::filesystem::path find_python(const PythonTool& tool);

/// Runs `tool` with `arguments`; what it prints goes where this program's output goes. Throws EnvironmentError if no
/// Python has all that it needs, or if it fails, and a CommandError with the exit code if the tool has reported an
/// error itself.
void run_python_tool(const PythonTool& tool, const std::vector<std::string>& arguments);

/// What `tool` prints. Throws EnvironmentError if no Python has all that it needs, or if it fails.
[[nodiscard]] std::string answer_of_python_tool(const PythonTool& tool, const std::vector<std::string>& arguments);

// Each throws as run_python_tool does.

/// Writes report.html and data.csv of `runs` into `out`, by default below the first of them, and prints the page's
/// path. With `plots` each chart and each table is a file too.
void write_report(const std::vector<std::filesystem::path>& runs, const std::optional<std::filesystem::path>& out,
                  bool plots);

/// Writes the report of one run below it, and prints the summary: what to pick for which work, and the page's path.
void write_report_with_summary(const std::filesystem::path& run, bool plots);

/// Prints the summary (`terminal`) or all figures (`tables`) of each of `runs`; no file is written.
void print_report(const std::vector<std::filesystem::path>& runs, const std::string& format);

/// Prints all figures of a run that no file has. If no Python can, says so and prints the text of results.json instead.
void print_unsaved(const Run& run);

}  // namespace stowage::harness
