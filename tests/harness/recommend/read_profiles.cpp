// Profiles that are sound: each key is read, and the shipped profiles, the schema, the docs and the example agree.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/recommend/profile/embedded.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"
#include "tests/harness/recommend/broken_profiles.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

const fs::path sources = fs::path(build_info::source_dir);

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("what a profile leaves out has a default") {
  const Profile profile = parse_profile(fake::sound_profile, "game.toml");
  CHECK(profile.name == "game");
  CHECK(profile.file == "game.toml");
  CHECK(profile.entities == 1000);
  CHECK(profile.frames_per_second == 60);
  CHECK(profile.components.at(0).share == 1);
  CHECK(profile.components[0].together.empty());
  CHECK(profile.systems.at(0).runs_per_frame == 1);
  CHECK(profile.systems[0].reads.empty());
  CHECK(profile.lookups.empty());
  CHECK(profile.changes.empty());
  CHECK(profile.creations_per_frame == 0);
  CHECK(profile.saves_per_minute == 0);
  CHECK_FALSE(profile.hierarchy);
  CHECK_FALSE(profile.budget.frame_ms);
  CHECK_FALSE(profile.budget.worst_frame_ms);
  CHECK_FALSE(profile.budget.memory_bytes);
}

TEST_CASE("what a profile says is what is read") {
  const Profile profile = read_profile(sources / "profiles" / "example.toml");
  CHECK(profile.name == "a small shooter");
  CHECK(profile.entities == 16 * 1024);
  REQUIRE(profile.components.size() == 6);
  CHECK(profile.components[1].name == "velocity");
  CHECK(profile.components[1].bytes == 12);
  CHECK(profile.components[1].together == profile.components[0].together);
  CHECK(profile.components[3].share == 0.02);
  REQUIRE(profile.systems.size() == 3);
  CHECK(profile.systems[0].name == "move");
  CHECK(profile.systems[0].reads == std::vector<std::size_t>{1});
  CHECK(profile.systems[0].writes == std::vector<std::size_t>{0});
  REQUIRE(profile.lookups.size() == 1);
  CHECK(profile.systems[1].without == std::vector<std::size_t>{4});
  CHECK(profile.systems[1].optional == std::vector<std::size_t>{1});
  CHECK(profile.systems[1].deferred == std::vector<std::size_t>{3});
  CHECK(profile.components[4].toggled_per_frame == 30);
  CHECK_FALSE(profile.systems[1].changed_only);
  CHECK(profile.systems[2].changed_only);
  CHECK(profile.lookups[0].reads == std::vector<std::size_t>{0});
  CHECK(profile.lookups[0].writes == std::vector<std::size_t>{2});
  CHECK(profile.lookups[0].per_frame == 200);
  CHECK(profile.lookups[0].order == LookupOrder::random);
  REQUIRE(profile.changes.size() == 2);
  CHECK(profile.changes[0].component == 4);  // toggled
  CHECK(profile.changes[0].per_frame == 30);
  CHECK(profile.changes[1].component == 3);
  CHECK(profile.changes[1].per_frame == 20);
  CHECK(profile.creations_per_frame == 100);
  REQUIRE(profile.hierarchy);
  CHECK(profile.hierarchy->share == 0.1);
  CHECK(profile.hierarchy->depth == 3);
  CHECK(profile.hierarchy->fan_out == 3);
  CHECK(profile.hierarchy->dirty_share == 0.2);
  CHECK(profile.saves_per_minute == 1);
  CHECK(*profile.budget.frame_ms == 2);
  CHECK(*profile.budget.worst_frame_ms == 6);
  CHECK(*profile.budget.memory_bytes == 32 * 1024 * 1024);
}

TEST_CASE("order can be local, and a component that is written is read whether or not that is said") {
  const Profile profile = parse_profile(std::string(fake::sound_profile) +
                                            "[[lookup]]\nreads = [\"position\", \"health\"]\nwrites = [\"position\"]\n"
                                            "per_frame = 0.5\norder = \"local\"\n",
                                        "game.toml");
  CHECK(profile.lookups.at(0).order == LookupOrder::local);
  CHECK(profile.lookups[0].reads == std::vector<std::size_t>{1});
  CHECK(profile.lookups[0].writes == std::vector<std::size_t>{0});
}

TEST_CASE("every profile that is shipped is one with a whole budget, and names the schema beside it") {
  std::size_t profiles = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(sources / "profiles")) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path());
    const ProfileBudget budget = read_profile(entry.path()).budget;
    CHECK((budget.frame_ms && budget.worst_frame_ms && budget.memory_bytes));
    CHECK(text_of(entry.path()).starts_with("#:schema schema.json\n"));
    ++profiles;
  }
  CHECK(profiles >= 4);
  CHECK(schema_text == text_of(sources / "profiles" / "schema.json"));  // by which the reader goes
}

/// Each key of the schema with the header of its table.
std::vector<std::pair<std::string, std::string>> all_keys() {
  std::vector<std::pair<std::string, std::string>> keys;
  const auto root = nlohmann::json::parse(schema_text);
  for (const auto& [name, schema] : root["properties"].items()) {
    const bool is_list = schema.contains("items");
    const std::string header = is_list ? "[[" + name + "]]" : "[" + name + "]";
    for (const auto& [key, value] : (is_list ? schema["items"] : schema)["properties"].items()) {
      keys.emplace_back(header, key);
    }
  }
  REQUIRE(keys.size() > 20);
  return keys;
}

TEST_CASE("docs/profiles.md explains every key under its table, and no other") {
  const std::string text = text_of(sources / "docs" / "profiles.md");
  std::size_t rows = 0;
  for (const auto& [header, key] : all_keys()) {
    CAPTURE(header, key);
    const std::size_t start = text.find("\n### `" + header + "`\n");
    REQUIRE(start != std::string::npos);
    CHECK_THAT(text.substr(start, text.find("\n##", start + 1) - start), ContainsSubstring("\n| `" + key + "` |"));
  }
  for (std::size_t at = text.find("\n| `"); at != std::string::npos; at = text.find("\n| `", at + 1)) ++rows;
  CHECK(rows == all_keys().size());
}

TEST_CASE("the example that is written has every key, comes whole or not at all, and replaces no file") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "game.toml";
  write_example_profile(path);
  const std::string text = text_of(path);
  CHECK(text == example_profile());
  CHECK(text.substr(text.find('\n')) ==
        text_of(sources / "profiles" / "example.toml").substr(std::string("#:schema schema.json").size()));
  CHECK(text.starts_with("#:schema " + (sources / "profiles" / "schema.json").string() + "\n"));
  CHECK(read_profile(path).entities == 16 * 1024);
  for (const auto& [header, key] : all_keys()) {
    CAPTURE(header, key);
    CHECK_THAT(text, ContainsSubstring("\n" + header + "\n") || ContainsSubstring("\n# " + header + "\n"));
    CHECK_THAT(text, ContainsSubstring("\n" + key + " = ") || ContainsSubstring("\n#   " + key + " = ") ||
                         ContainsSubstring("\n# " + key + " = "));
  }
  std::ofstream(path) << "mine";
  CHECK_THROWS_WITH(write_example_profile(path), ContainsSubstring(path.string() + " exists already") &&
                                                     ContainsSubstring("`stowage recommend --init OTHER.toml`"));
  CHECK(text_of(path) == "mine");
  CHECK_THROWS_AS(write_example_profile(directory.path() / "nowhere" / "game.toml"), UserError);
  CHECK_FALSE(fs::exists(directory.path() / "nowhere"));
}

TEST_CASE("the struct in the comments of the example is a component when it is uncommented") {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "profiles");
  fs::create_directories(directory.path() / "src" / "game");
  std::ofstream(directory.path() / "src" / "game" / "weapon.hpp")
      << "namespace game { struct Weapon { int shots; }; }\n";
  std::string text = example_profile();
  for (std::size_t place = text.find("\n#   "); place != std::string::npos; place = text.find("\n#   ")) {
    text.erase(place + 1, 4);
  }
  const Profile profile = parse_profile(text, directory.path() / "profiles" / "game.toml");
  REQUIRE(profile.components.size() == 7);
  CHECK(profile.components[3].type == "game::Weapon");
  CHECK(profile.components[3].header == directory.path() / "src" / "game" / "weapon.hpp");
}

}  // namespace
}  // namespace stowage::harness
