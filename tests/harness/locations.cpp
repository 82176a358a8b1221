#include "harness/locations.hpp"

#include <filesystem>
#include <fstream>

#include "harness/build_info.hpp"
#include "harness/system/files.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

void make_file(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "\n";
}
/// What `cmake --install` leaves that is looked for.
fs::path installed_in(const fs::path& prefix) {
  make_file(prefix / "share/stowage/reports/stowage_report/__main__.py");
  return prefix / "bin/stowage";
}
fs::path tree_in(const fs::path& root) {
  make_file(root / "reports/stowage_report/__main__.py");
  return root;
}

}  // namespace

TEST_CASE("an installed program finds what was installed with it, and one of the tree the tree") {
  const TemporaryDirectory directory;
  const fs::path program = installed_in(directory.path() / "moved");
  const fs::path tree = tree_in(directory.path() / "tree");
  CHECK(search_shared_files(program, tree) == directory.path() / "moved/share/stowage");
  CHECK(search_shared_files(directory.path() / "build/mine", tree) == tree);
  CHECK(search_shared_files({}, tree) == tree);
  CHECK(shared_files() == fs::path(std::string_view(build_info::source_dir)));  // of these tests
}

TEST_CASE("a directory without the files is none") {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "share/stowage/reports");
  CHECK_FALSE(search_shared_files(directory.path() / "bin/stowage", directory.path() / "tree"));
}

}  // namespace stowage::harness
