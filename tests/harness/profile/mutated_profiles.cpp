#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "harness/build_info.hpp"
#include "tests/harness/profile/broken_profiles.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// One of each type of TOML, and of each those that are easily forgotten.
const std::vector<std::string> values = {
    "\"text\"",
    "\"\"",
    "\"position\"",
    "'''a\nb'''",
    "7",
    "0",
    "-1",
    "1.5",
    "0.0",
    "1e300",
    "nan",
    "-inf",
    "true",
    "9223372036854775807",
    "\"40k\"",
    "[]",
    "[1, 'a']",
    "[[]]",
    "['position']",
    "{}",
    "{ a = 1 }",
    "1979-05-27",
    "07:32:00",
    "1979-05-27T07:32:00",
    "\"1000000000GB\"",
    "\"\\u0000\"",
};

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(std::string(build_info::source_dir) + "/profiles/" + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  REQUIRE(lines.size() > 10);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

struct Verdicts {
  std::size_t profiles = 0;
  std::size_t complaints = 0;
};

/// Reads `text`: it is a profile, or there is one line that says where it is not, and what would be right.
void judge(const std::string& text, Verdicts& verdicts) {
  static const std::regex one_line(R"(game\.toml:[1-9][0-9]*:[1-9][0-9]*: [^\x00-\x1f]+; [^\x00-\x1f]+)");
  const std::string complaint = fake::complaint_about(text);
  ++(complaint.empty() ? verdicts.profiles : verdicts.complaints);
  if (complaint.empty() || std::regex_match(complaint, one_line)) return;
  CAPTURE(text, complaint);
  FAIL_CHECK("this is not one clear line");
}

TEST_CASE("a profile without any one line is a profile, or there is one clear line") {
  Verdicts verdicts;
  for (const char* file : {"example.toml", "bullet_hell.toml", "rts_units.toml", "open_world_scene.toml"}) {
    const std::vector<std::string> lines = lines_of(file);
    for (std::size_t line = 0; line < lines.size(); ++line) {
      std::vector<std::string> others = lines;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(line));
      judge(joined(others), verdicts);
    }
  }
  CHECK(verdicts.profiles > 50);
  CHECK(verdicts.complaints > 50);
}

TEST_CASE("a profile with any value replaced is a profile, or there is one clear line") {
  Verdicts verdicts;
  const std::vector<std::string> lines = lines_of("example.toml");
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::size_t equals = lines[line].find(" = ");
    if (lines[line].starts_with("#") || equals == std::string::npos) continue;
    for (const std::string& value : values) {
      std::vector<std::string> changed = lines;
      changed[line] = lines[line].substr(0, equals) + " = " + value;
      judge(joined(changed), verdicts);
    }
  }
  CHECK(verdicts.profiles > 40);
  CHECK(verdicts.complaints > 500);
}

TEST_CASE("a profile that ends anywhere is a profile, or there is one clear line") {
  Verdicts verdicts;
  const std::string text = joined(lines_of("example.toml"));
  for (std::size_t length = 0; length < text.size(); length += 3) judge(text.substr(0, length), verdicts);
  CHECK(verdicts.profiles > 10);
  CHECK(verdicts.complaints > 100);
}

}  // namespace
}  // namespace stowage::harness
