#include "harness/results/run_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/errors.hpp"
#include "harness/results/json.hpp"
#include "harness/system/files.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// The file of a run directory that holds everything that was measured.
constexpr std::string_view results_file = "results.json";

/// "2026-11-20T19:00:00+01:00" -> "20261120-190000"
std::string compact(const std::string& date) {
  std::string digits;
  std::ranges::copy_if(date, std::back_inserter(digits),
                       [](unsigned char character) { return std::isdigit(character) != 0; });
  return digits.substr(0, 8) + "-" + digits.substr(8, 6);
}

/// A host may be called anything; a directory should not.
std::string fit_for_file_name(std::string name) {
  const auto is_odd = [](unsigned char character) { return std::isalnum(character) == 0 && character != '.'; };
  std::ranges::replace_if(name, is_odd, '_');
  return name;
}

/// When its results were written: a directory may have any name. Of two at once, the one whose name comes first.
std::pair<fs::file_time_type, fs::path> age_of(const fs::path& run) {
  const fs::path name = run.has_filename() ? run : run.parent_path();  // "results/before/"
  return {written_at(run), name.lexically_normal()};
}

/// Those below results/, the oldest first.
std::vector<fs::path> runs_by_age() {
  std::error_code ignored;
  std::vector<fs::path> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(runs_directory, ignored)) {
    if (holds_results(entry.path())) runs.push_back(entry.path());
  }
  std::ranges::sort(runs, {}, age_of);
  return runs;
}

}  // namespace

void save_run(const fs::path& directory, const Run& run) { replace_file(directory / results_file, to_json_text(run)); }

Run load_run(const fs::path& directory) {
  const fs::path path = directory / results_file;
  return parse_run(read_text_file(path, [] { return "; give a directory that `stowage run` wrote"; }), path.string());
}

fs::file_time_type written_at(const fs::path& directory) {
  std::error_code ignored;
  return fs::last_write_time(directory / results_file, ignored);
}

bool holds_results(const fs::path& directory) {
  std::error_code unreadable;
  return fs::exists(directory / results_file, unreadable);
}

fs::path new_run_directory(const Environment& environment, const std::string& preset) {
  const fs::path wanted = fs::path(runs_directory) / fmt::format("{}-{}-{}", compact(environment.host.date),
                                                                 fit_for_file_name(environment.host.host_name), preset);
  make_directory(runs_directory);
  fs::path free = wanted;
  std::error_code error;
  for (int attempt = 2; !fs::create_directory(free, error); ++attempt) {
    if (error && error != std::errc::file_exists) make_directory(free);  // says what is wrong
    free = fmt::format("{}-{}", wanted.string(), attempt);
  }
  return free;
}

std::optional<fs::path> find_newest_run_directory() {
  const std::vector<fs::path> runs = runs_by_age();
  return runs.empty() ? std::nullopt : std::optional(runs.back());
}

fs::path newest_run_directory() {
  std::optional<fs::path> newest = find_newest_run_directory();
  if (!newest) {
    throw UserError("no run in {}/; name a run directory, or start one with `stowage run`", runs_directory);
  }
  return *std::move(newest);
}

fs::path run_directory_before(const fs::path& directory) {
  const std::vector<fs::path> runs = runs_by_age();
  const auto newer = std::ranges::lower_bound(runs, age_of(directory), {}, age_of);
  if (newer == runs.begin()) {
    throw UserError("no run in {}/ is older than {}; name two runs, or make another one with `stowage run`",
                    runs_directory, directory.string());
  }
  return *std::prev(newer);
}

}  // namespace stowage::harness
