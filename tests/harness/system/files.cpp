#include "harness/system/files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/errors.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

/// What a full disk looks like to a process, without filling one.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &former_);
    const rlimit limit{bytes, former_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &former_); }

 private:
  rlimit former_{};
};

TEST_CASE("a file is replaced as a whole") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "results.json";
  replace_file(path, "a longer first version");
  replace_file(path, "second");
  CHECK(content_of(path) == "second");
  CHECK(files_in(directory.path()) == 1);
}

TEST_CASE("a link in place of the temporary file is not followed") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "results.json";
  replace_file(directory.path() / "precious", "mine");
  for (const int attempt : {1, 2}) {
    fs::create_symlink("precious", path.string() + fmt::format(".{}-{}.tmp", getpid(), attempt));
  }
  replace_file(path, "a result");
  CHECK(content_of(path) == "a result");
  CHECK(content_of(directory.path() / "precious") == "mine");
}

TEST_CASE("without room the former file stays, whole, and nothing else does") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "results.json";
  replace_file(path, "what was measured");
  {
    const FileSizeLimit limit(4096);
    CHECK_THROWS_AS(replace_file(path, std::string(100'000, 'x')), EnvironmentError);
    CHECK_THROWS_WITH(replace_file(path, std::string(100'000, 'x')), ContainsSubstring("File too large"));
  }
  CHECK(content_of(path) == "what was measured");
  CHECK(files_in(directory.path()) == 1);
}

TEST_CASE("a place where nothing can be written is the user's to change") {
  const TemporaryDirectory directory;
  CHECK_THROWS_AS(replace_file(directory.path() / "missing" / "results.json", "x"), UserError);
  CHECK_THROWS_AS(make_directory("/proc/stowage"), UserError);
  CHECK_THROWS_WITH(make_directory("/proc/stowage"), ContainsSubstring("/proc/stowage"));
}

TEST_CASE("a file where a directory should be is refused") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "file";
  replace_file(path, "x");
  CHECK_THROWS_AS(make_directory(path), UserError);
  CHECK_THROWS_AS(make_directory(path / "below"), UserError);
}

}  // namespace
}  // namespace stowage::harness
