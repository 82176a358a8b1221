#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "harness/profile/read.hpp"
#include "harness/system/files.hpp"
#include "tests/harness/profile/broken_profiles.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using fake::complaint_about;
using fake::sound_profile;
using fake::with;

TEST_CASE("headers are looked for beside the profile, and types are told apart") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "profiles" / "game.toml";
  std::filesystem::create_directories(file.parent_path());
  const std::string text = with("bytes = 12", "type = \"Pair<int, int>\"\nheader = \"../pair.hpp\"");
  const std::string header = (directory.path() / "pair.hpp").string();
  CHECK_THROWS_WITH(parse_profile(text, file), file.string() + ":8:10: 'header' is '../pair.hpp', but " + header +
                                                   " is no file; it is looked for from the profile's directory");
  std::ofstream(header) << "template <class A, class B> struct Pair { A a; B b; };\n";
  const Profile profile = parse_profile(text, file);
  CHECK(profile.components[0].type == "Pair<int, int>");
  CHECK(profile.components[0].header == header);
  CHECK(profile.components[1].header.empty());
  const std::string twice =
      std::string(text).replace(text.find("bytes = 8"), 9, "type = \"Pair<int,int>\"\nheader = \"../pair.hpp\"");
  CHECK_THROWS_WITH(parse_profile(twice, file),
                    file.string() +
                        ":12:8: 'health' has the type of 'position' in line 5; a storage tells components by their "
                        "types, so give each a struct of its own");
}

TEST_CASE("what is not TOML is refused in the line where it stops being TOML") {
  const auto [text, line] = GENERATE(table<std::string, std::string>({
      {"[profile\n", "1"},
      {"[profile]\nname = \"game\nentities = 5\n", "2"},
      {"[profile]\nname = \n", "2"},
      {"[profile]\nname = 1\nname = 2\n", "3"},
      {"[profile]\nentities = 99999999999999999999\n", "2"},
      {"[profile]\nname = \"\xff\xfe\"\n", "2"},
      {std::string("[profile]\0", 10), "1"},
      {"\x7f\x45LF\x02\x01\x01", "1"},
      {std::string(1000, '['), "1"},
      {"a = " + std::string(1000, '['), "1"},
  }));
  const std::string complaint = complaint_about(text);
  CAPTURE(text, complaint);
  const std::regex one_line("game\\.toml:" + line +
                            ":[1-9][0-9]*: this is not TOML: [^\\x00-\\x1f]+; https://toml.io "
                            "explains it");
  CHECK(std::regex_match(complaint, one_line));
}

TEST_CASE("what is no file, no readable one or too long is refused by name") {
  const TemporaryDirectory directory;
  const std::string inside = directory.path().string() + "/";
  CHECK_THROWS_WITH(read_profile(directory.path()),
                    directory.path().string() +
                        " is a directory; give a profile, a TOML file: `stowage recommend --init` writes an example");
  CHECK_THROWS_WITH(read_profile(inside + "game.toml"),
                    "cannot read " + inside + "game.toml; `stowage recommend --init` writes an example");
  std::ofstream(inside + "gmae.toml") << sound_profile;
  CHECK_THROWS_WITH(read_profile(inside + "game.toml"),
                    "cannot read " + inside + "game.toml; did you mean '" + inside + "gmae.toml'?");
  CHECK(read_profile(inside + "gmae.toml").entities == 1000);
  std::ofstream(inside + "long.toml") << std::string(most_profile_bytes + 1, '#');
  CHECK_THROWS_WITH(read_profile(inside + "long.toml"),
                    inside +
                        "long.toml:1:1: this is longer than 1048576 bytes: no profile; `stowage recommend --init` "
                        "writes an example");
}

TEST_CASE("of a long string a message has the beginning, in whole characters") {
  const std::string complaint = complaint_about(with("1000", "\"" + std::string(59, 'x') + "äöü\""));
  CHECK_THAT(complaint, ContainsSubstring("'entities' is '" + std::string(59, 'x') + "...'; it says"));
}

TEST_CASE("there may be 28 components") {
  std::string text = sound_profile;
  for (int count = 3; count <= 28; ++count) {
    text += "[[component]]\nname = \"c" + std::to_string(count) + "\"\nbytes = 4\n";
  }
  CHECK(complaint_about(text).empty());
  text += "[[component]]\nname = \"c29\"\nbytes = 4\n";
  CHECK(complaint_about(text) == "game.toml:95:1: this is number 29 of [[component]]; there may be 28");
}

}  // namespace
}  // namespace stowage::harness
