#include "harness/locations.hpp"

#include <system_error>

#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/system/platform.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// A directory may be there without the package: it is asked for a file that every version has.
bool are_in(const fs::path& directory) {
  std::error_code ignored;
  return fs::exists(directory / "reports/stowage_report/__main__.py", ignored);
}

}  // namespace

std::optional<fs::path> search_shared_files(const fs::path& executable, const fs::path& source) {
  if (!executable.empty()) {
    fs::path installed = (executable.parent_path() / build_info::programs_to_shared).lexically_normal();
    if (are_in(installed)) return installed;
  }
  return are_in(source) ? std::optional(source) : std::nullopt;
}

std::optional<fs::path> find_shared_files() { return search_shared_files(own_executable(), build_info::source_dir); }

fs::path shared_files() {
  if (auto found = find_shared_files()) return *found;
  const fs::path executable = own_executable();
  throw EnvironmentError("the report package is neither installed with {} nor in {}; install stowage again",
                         executable.empty() ? "this program" : executable.string(), build_info::source_dir);
}

}  // namespace stowage::harness
