#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace stowage::harness {

/// Has the Python package stowage_report write plots and report.html of `runs` into `out`, or where it chooses: below
/// the first of them. Throws EnvironmentError where no Python has all that it needs, naming the packages, or where it
/// fails; an error of the package, which says itself what is wrong, with its exit code.
void write_report(const std::vector<std::filesystem::path>& runs, const std::optional<std::filesystem::path>& out);

}  // namespace stowage::harness
