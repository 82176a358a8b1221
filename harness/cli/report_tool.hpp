#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// Where the report of a run goes, below its directory.
inline constexpr std::string_view report_directory = "report";

/// Has the Python package stowage_report write plots and report.html of `runs` into `out`. Throws EnvironmentError
/// where no Python has all that it needs, naming the packages, or where it fails.
void write_report(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& out);

}  // namespace stowage::harness
