#include "harness/measure/system/process.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("a process is waited for, and its output and exit code come back") {
  const ProcessResult result = capture_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"});
  CHECK(result.output == "out\n");
  CHECK(result.exit_code == 7);
}

TEST_CASE("more output than a pipe holds is read to its end") {
  const ProcessResult result =
      capture_process({"/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo 1234567; i=$((i+1)); done"});
  CHECK(result.output.size() == 160'000);
}

TEST_CASE("a signal ends a process with 128 and its number, as in a shell") {
  CHECK(run_process({"/bin/sh", "-c", "kill -TERM $$"}) == 128 + 15);
}

TEST_CASE("a program that is not there ends with 127") {
  CHECK(run_process({"/nowhere/at/all"}) == 127);
  CHECK(capture_process({"/nowhere/at/all"}).exit_code == 127);
}

TEST_CASE("extra variables replace inherited ones and leave the others") {
  const ProcessResult result = capture_process({"/bin/sh", "-c", "echo \"$PATH|$EXTRA\""}, {"PATH=/bin", "EXTRA=1"});
  CHECK(result.output == "/bin|1\n");
}

TEST_CASE("the search path finds a shell") {
  const std::vector<std::filesystem::path> directories = search_path();
  CHECK(std::ranges::any_of(directories, [](const auto& directory) { return is_executable(directory / "sh"); }));
  CHECK_FALSE(is_executable("/"));
}

}  // namespace
}  // namespace stowage::harness
