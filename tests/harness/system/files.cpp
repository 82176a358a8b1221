#include "harness/system/files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>

#include "harness/errors.hpp"
#include "harness/system/lock.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

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

TEST_CASE("a link in place of the temporary file is not followed") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "results.json";
  replace_file(directory.path() / "precious", "mine");
  for (const int attempt : {1, 2}) {
    fs::create_symlink("precious", path.string() + fmt::format(".{}-{}.tmp", getpid(), attempt));
  }
  replace_file(path, "a result");
  CHECK(system_text(path) == "a result");
  CHECK(system_text(directory.path() / "precious") == "mine");
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
  CHECK(system_text(path) == "what was measured");
  CHECK(files_in(directory.path()) == 1);
}

TEST_CASE("a place where nothing can be written, or a file where a directory should be, is the user's to change") {
  const TemporaryDirectory directory;
  CHECK_THROWS_AS(replace_file(directory.path() / "missing" / "results.json", "x"), UserError);
  CHECK_THROWS_AS(make_directory("/proc/stowage"), UserError);
  CHECK_THROWS_WITH(make_directory("/proc/stowage"), ContainsSubstring("/proc/stowage"));
  const fs::path path = directory.path() / "file";
  replace_file(path, "x");
  CHECK_THROWS_AS(make_directory(path), UserError);
  CHECK_THROWS_AS(make_directory(path / "below"), UserError);
  CHECK_THROWS_AS(check_writable(path), UserError);
  CHECK_THROWS_AS(check_writable(path / "below"), UserError);
  CHECK_NOTHROW(check_writable(directory.path() / "new" / "newer"));
  CHECK(files_in(directory.path()) == 1);
}

TEST_CASE("a directory has one lock, and the second is told what has it") {
  const TemporaryDirectory directory;
  {
    const Lock first(directory.path(), "wait");
    CHECK_THROWS_AS(Lock(directory.path(), "name another --out"), UserError);
    CHECK_THROWS_WITH(Lock(directory.path(), "name another --out"),
                      ContainsSubstring(std::to_string(getpid())) && ContainsSubstring("name another --out"));
  }
  CHECK_NOTHROW(Lock(directory.path(), "wait"));
  CHECK(files_in(directory.path()) == 0);
}

TEST_CASE("the lock of a file is waited for until the user has enough, and what is not there need not be locked") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "lock";
  const Lock first(file, [] { return false; });
  CHECK_THROWS_AS(Lock(file, [] { return true; }), Interrupted);
  CHECK_NOTHROW(Lock("/nowhere/at/all", "wait"));
}

TEST_CASE("a machine that lacks something is told from a mistake") {
  for (const int error : {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, EAGAIN, ENOMEM}) {
    CHECK_THROWS_AS(fail_with("cannot write x", error, ""), EnvironmentError);
  }
  CHECK_THROWS_AS(fail_with("cannot write x", EACCES, ""), UserError);
  CHECK_THROWS_WITH(fail_with("cannot write x", EMFILE, ""), ContainsSubstring("ulimit -n"));
}

}  // namespace
}  // namespace stowage::harness
