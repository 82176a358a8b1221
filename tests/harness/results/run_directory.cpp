#include "harness/results/run_directory.hpp"

#include <chrono>
#include <filesystem>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

/// Runs are looked for below the current directory.
class WorkingDirectory {
 public:
  WorkingDirectory() { fs::current_path(directory_.path()); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;
  ~WorkingDirectory() { fs::current_path(former_); }

 private:
  fs::path former_ = fs::current_path();
  TemporaryDirectory directory_;
};

void save_sample(const fs::path& directory) {
  fs::create_directories(directory);
  save_run(directory, fake::sample_run());
}

TEST_CASE("a saved run is loaded again") {
  const TemporaryDirectory directory;
  save_run(directory.path(), fake::sample_run());
  CHECK(holds_results(directory.path()));
  CHECK(load_run(directory.path()).blocks.size() == 2);
}

TEST_CASE("a directory without results, and results that are a directory, are refused with the reason") {
  CHECK_THROWS_WITH(load_run("/nowhere/at/all"),
                    "cannot read /nowhere/at/all/results.json: No such file or directory; give a directory that "
                    "`stowage run` wrote");
  const TemporaryDirectory directory;
  fs::create_directory(directory.path() / "results.json");
  CHECK_THROWS_AS(load_run(directory.path()), UserError);
  CHECK_THROWS_WITH(load_run(directory.path()),
                    ContainsSubstring("results.json: Is a directory; give a directory that"));
}

TEST_CASE("a new run is named by date, host and preset, and never takes the place of another") {
  const WorkingDirectory somewhere;
  const Run run = fake::sample_run();
  const fs::path first = new_run_directory(run.environment, "quick");
  CHECK(first == "results/20261120-190000-a_host_with_odd_characters-quick");
  CHECK(fs::is_directory(first));
  CHECK(new_run_directory(run.environment, "quick") == first.string() + "-2");
}

TEST_CASE("the newest run is the last one that has results, the run before another the last that is older") {
  const WorkingDirectory somewhere;
  CHECK_THROWS_AS(newest_run_directory(), UserError);
  const fs::path older = "results/20250101-000000-a-quick";
  const fs::path newer = "results/20260101-000000-a-quick";
  save_sample(older);
  save_sample(newer);
  for (const char* empty : {"results/20250601-000000-empty", "results/20270101-000000-empty"}) {
    fs::create_directories(empty);
  }
  CHECK(newest_run_directory() == newer);
  CHECK(run_directory_before(newer) == older);
  CHECK_THROWS_WITH(run_directory_before(older), ContainsSubstring("is older than"));
  save_sample("results/before");
  fs::last_write_time("results/before/results.json",
                      fs::last_write_time(newer / "results.json") - std::chrono::hours(1));
  CHECK(newest_run_directory() == newer);
  CHECK(run_directory_before(older / "") == "results/before");
}

}  // namespace
}  // namespace stowage::harness
