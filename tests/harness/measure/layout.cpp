#include "harness/build/layout.hpp"

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Any ELF file will do: this program.
const std::filesystem::path object = "/proc/self/exe";

std::vector<std::string> sections_in(const std::string& script) {
  std::vector<std::string> names;
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    *(")) names.push_back(line);
  }
  return names;
}

TEST_CASE("each layout but the compiler's has all functions, in an order of its own") {
  const std::vector<std::string> first = sections_in(layout_script(object, 1));
  const std::vector<std::string> second = sections_in(layout_script(object, 2));
  CHECK(std::ranges::find(first, "    *(.text)") != first.end());
  CHECK(std::ranges::is_permutation(first, second));
  CHECK(layout_script(object, 1) != layout_script(object, 2));
  CHECK(layout_script(object, 1) == layout_script(object, 1));
  CHECK(layout_script(object, 1).ends_with("INSERT BEFORE .text;\n"));
  CHECK(layout_script(object, 0).empty());
}

TEST_CASE("a file that is no object has no layout") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "text.o";
  for (const char* text : {"", "no object",
                           "\x7f"
                           "ELF, but nothing behind it"}) {
    replace_file(file, text);
    CHECK_THROWS_AS(layout_script(file, 1), EnvironmentError);
  }
}

}  // namespace
}  // namespace stowage::harness
