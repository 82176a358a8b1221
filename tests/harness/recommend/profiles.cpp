// Profiles: each key is read; the shipped ones, the schema, the docs and the example agree; and every mistake is
// refused in one line: its place, what is wrong, and what to write instead.
#include <filesystem>
#include <fstream>
#include <regex>

#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/recommend/profile/embedded.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;

/// A profile without a mistake. What the tests break, they break in lines of this; what they add begins in line 17.
constexpr const char* sound_profile = R"([profile]
name = 'game'
entities = 1000

[[component]]
name = 'position'
bytes = 12

[[component]]
name = 'health'
bytes = 8
share = 0.5

[[system]]
name = 'move'
writes = ['position']
)";

/// With `to` in place of the first `from`, which must be there.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}
std::string with(const std::string& from, const std::string& to) { return replaced(sound_profile, from, to); }

/// With more at its end.
std::string adding(const std::string& text) { return sound_profile + text; }
/// With lookups that have these keys, too.
std::string looking_up(const std::string& keys) { return adding("[[lookup]]\nreads = ['health']\n" + keys); }

/// What the reader says of `text` in a file game.toml; empty if that is a profile.
std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(parse_profile(text, "game.toml"));
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

const fs::path sources = fs::path(build_info::source_dir);

TEST_CASE("what a profile leaves out has a default") {
  const Profile profile = parse_profile(sound_profile, "game.toml");
  CHECK(profile.file == "game.toml");
  CHECK(profile.frames_per_second == 60);
  CHECK(profile.components.at(0).share == 1);
  CHECK(profile.systems.at(0).runs_per_frame == 1);
  CHECK(profile.creations_per_frame == 0);
  CHECK(profile.saves_per_minute == 0);
  CHECK_FALSE(profile.hierarchy);
  CHECK_FALSE((profile.budget.frame_ms || profile.budget.worst_frame_ms || profile.budget.memory_bytes));
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
  CHECK(profile.systems[0].parts == 2);
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
  const auto lookup = [](const std::string& text) { return parse_profile(text, "game.toml").lookups.at(0); };
  const std::string both = "[[lookup]]\nreads = ['position', 'health']\nwrites = ['position']\nper_frame = 0.5\n";
  CHECK(lookup(adding(both)).reads == std::vector<std::size_t>{1});
  CHECK(lookup(adding(both)).writes == std::vector<std::size_t>{0});
  CHECK(lookup(adding(both + "order = 'local'\n")).order == LookupOrder::local);
  CHECK(lookup(looking_up("per_frame = 1\norder = 'space'\n")).order == LookupOrder::space);
}

TEST_CASE("systems share a stage until one of them touches what another one writes, or needs all entities") {
  const std::vector<ProfileSystem> systems{{.name = "move", .reads = {1}, .writes = {0}},
                                           {.name = "burn", .reads = {1}, .writes = {2}},
                                           {.name = "aim", .reads = {3}, .optional = {0}},
                                           {.name = "heal", .reads = {3}, .deferred = {3}},
                                           {.name = "draw", .reads = {0}},
                                           {.name = "bars", .reads = {2}, .writes = {4}, .changed_only = true}};
  CHECK(stages_of(systems) == std::vector<std::size_t>{0, 0, 1, 2, 3, 4});
  CHECK(stages_of({}).empty());
}

TEST_CASE("every profile that is shipped is one with a whole budget, and names the schema beside it") {
  std::size_t profiles = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(sources / "profiles")) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path());
    const ProfileBudget budget = read_profile(entry.path()).budget;
    CHECK((budget.frame_ms && budget.worst_frame_ms && budget.memory_bytes));
    CHECK(system_text(entry.path()).starts_with("#:schema schema.json\n"));
    ++profiles;
  }
  CHECK(profiles >= 4);
  CHECK(profile_schema_text == system_text(sources / "profiles" / "schema.json"));  // by which the reader goes
}

/// Each key of the schema with the header of its table.
std::vector<std::pair<std::string, std::string>> all_keys() {
  std::vector<std::pair<std::string, std::string>> keys;
  const auto root = nlohmann::json::parse(profile_schema_text);
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
  const std::string text = system_text(sources / "docs" / "profiles.md");
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
  const std::string text = system_text(path);
  CHECK(text == example_profile());
  CHECK(text.substr(text.find('\n')) ==
        system_text(sources / "profiles" / "example.toml").substr(std::string("#:schema schema.json").size()));
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
  CHECK(system_text(path) == "mine");
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

// ---- mistakes

/// A profile with kinds. What the tests break, they break in lines of this; what they add begins in line 33.
const std::string sound_kinds = R"([profile]
name = 'game'
entities = 1000

[[component]]
name = 'position'
bytes = 12

[[component]]
name = 'fire'
bytes = 8

[[entity_kind]]
name = 'rock'
count = 600
components = ['position']

[[entity_kind]]
name = 'tank'
count = 100
components = ['position']
created_per_frame = 1
children = [{kind = 'torch', count = 3}]

[[entity_kind]]
name = 'torch'
count = 300
components = ['position', 'fire']

[[change]]
component = 'fire'
per_frame = 5
)";

/// The complaint about `text` begins with this line and column, and has the key or value and the suggestion.
void refuses(const std::string& text, const std::string& place, const std::vector<std::string>& words) {
  const std::string complaint = complaint_about(text);
  CAPTURE(text, complaint);
  CHECK(complaint.starts_with("game.toml:" + place + ": "));
  for (const std::string& word : words) CHECK_THAT(complaint, ContainsSubstring(word));
}

TEST_CASE("unknown tables and keys are refused with the nearest, or with all there are") {
  refuses(with("entities", "entitys"), "3:1", {"[profile]", "'entitys'", "did you mean 'entities'?"});
  refuses(with("share", "probability"), "12:1",
          {"'probability'", "name, bytes, type, header, share, together, toggled_per_frame"});
  refuses(with("[[system]]", "[[sytem]]"), "14:3", {"unknown table 'sytem'", "did you mean 'system'?"});
  refuses(adding("[physics]\n"), "17:2", {"unknown table 'physics'", "[profile], [budget], [[component]]", "[saves]"});
  refuses(with("[profile]", "[profile]\n\"a\\nb\" = 1"), "2:1", {"'a\\x0ab'"});
}

TEST_CASE("a key outside all tables is no table, and belongs to one") {
  refuses("entities = 1000\n", "1:1", {"key 'entities' is outside all tables", "move it below [profile]"});
  refuses("per_minute = 5\n", "1:1", {"move it below [saves]"});
  refuses("speed = [1, 2]\n", "1:1", {"unknown key 'speed'", "there are [profile]"});
  CHECK_THAT(complaint_about("entities = 1000\n"), !ContainsSubstring("unknown table"));
}

TEST_CASE("a missing key is asked for") {
  const std::string header = "[profile]\nname = 'game'\nentities = 5\n";
  refuses("", "1:1", {"empty", "--init"});
  refuses(" \n\t\n", "1:1", {"empty", "--init"});
  refuses("# nothing yet\n", "1:1", {"no [profile]"});
  refuses(header, "1:1", {"no [[component]]"});
  refuses("component = []\n" + header, "1:13", {"no [[component]]"});
  refuses(with("entities = 1000\n", ""), "1:1", {"'entities'", "from 1 to 16777216", "\"40k\"", "k is 1024"});
  refuses(with("bytes = 8\n", ""), "9:1", {"'health'", "'bytes'", "'type'", "'header'"});
  refuses(with("writes = ['position']\n", ""), "14:1", {"[[system]]", "'reads' or 'writes'"});
  refuses(with("writes = ['position']", "writes = []"), "14:1", {"[[system]]", "'reads' or 'writes'"});
  refuses(with("[[system]]\nname = 'move'\nwrites = ['position']\n", ""), "1:1", {"[[system]]"});
  refuses(adding("[hierarchy]\ndepth = 2\n"), "17:1", {"[hierarchy] lacks 'fan_out'", "from 1 to 1000000"});
}

TEST_CASE("a value of the wrong type is refused with what it is and what it should be") {
  const std::map<std::string, std::string> values{
      {"1979-05-27", "a date"}, {"07:32:00", "a time"}, {"1979-05-27T07:32:00Z", "a date with a time"},
      {"true", "true"},         {"[1000]", "a list"},   {"{}", "a table"},
      {"1000.0", "1000"},       {"'many'", "'many'"}};
  for (const auto& [value, what] : values) {
    refuses(with("1000", value), "3:12", {"'entities' is " + what + ";", "a whole number from 1 to"});
  }
  refuses(with("0.5", "'half'"), "12:9", {"'share' is 'half'", "above 0, at most 1"});
  refuses(with("'game'", "5"), "2:8", {"'name' is 5", "a string"});
  refuses(with("['position']", "'position'"), "16:10", {"'writes' is 'position'", "a list of strings"});
  refuses(with("['position']", "['position', 3]"), "16:23", {"'writes' contains 3", "a list of strings"});
  refuses(with("[[system]]", "[system]"), "14:1", {"'system' is a table", "[[system]]"});
  refuses(with("[profile]", "[[profile]]"), "1:1", {"'profile' is a list", "as [profile]"});
  refuses(adding("[turnover.creations_per_frame]\n"), "17:1", {"'creations_per_frame' is a table", "at least 0"});
  refuses("saves = 5\n" + std::string(sound_profile), "1:9", {"'saves' is 5", "[saves]"});
  refuses("lookup = [5]\n" + std::string(sound_profile), "1:11", {"'lookup' is 5", "[[lookup]]"});
}

TEST_CASE("a number outside its range is refused with the range") {
  for (const char* value : {"0", "-5", "'17M'", "'99999999999999999999k'", "'4kB'", "' 5'"}) {
    refuses(with("1000", value), "3:12", {"'entities' is", "from 1 to 16777216"});
  }
  for (const char* value : {"0", "1.01", "nan", "-inf"}) {
    refuses(with("0.5", value), "12:9", {"'share' is " + std::string(value), "above 0, at most 1"});
  }
  refuses(with("1000", "'" + std::string(500'000, '9') + "'"), "3:12", {"'entities' is '999", "from 1 to 16777216"});
  // of a long string a message has the beginning, in whole characters
  refuses(with("1000", "'" + std::string(59, 'x') + "äöü'"), "3:12", {"'" + std::string(59, 'x') + "...'"});
  refuses(with("0.5", "0.0009"), "12:9", {"'share' is 0.0009", "at least 0.001"});
  refuses(with("12\n", "4097\n"), "7:9", {"'bytes' is 4097", "from 0 to 4096"});
  refuses(adding("[budget]\nframe_ms = 0\n"), "18:12", {"'frame_ms' is 0", "milliseconds", "above 0, at most 10000"});
  refuses(adding("[budget]\nmemory = 0\n"), "18:10", {"'memory' is 0", "from 1 to 1125899906842624", "\"64MB\""});
}

TEST_CASE("names are words, and unique") {
  refuses(with("'health'", "'hit points'"), "10:8", {"'hit points'", "letters, digits, _ and -"});
  refuses(with("'health'", "'" + std::string(41, 'a') + "'"), "10:8", {"at most 40"});
  refuses(with("'game'", "\"two\\nlines\""), "2:8", {"'two\\x0alines'", "one line"});
  refuses(with("'game'", "' '"), "2:8", {"' '", "a string"});
  refuses(with("'game'", "'" + std::string(201, 'a') + "'"), "2:8", {"200 bytes"});
  refuses(with("'health'", "'position'"), "10:8", {"'position'", "line 5"});
  refuses(adding("[[system]]\nname = 'move'\nreads = ['health']\n"), "18:8", {"'move'", "line 14"});
  refuses(with("['position']", "['health', 'positon']"), "16:21", {"'positon'", "did you mean 'position'?"});
  refuses(with("['position']", "['mana']"), "16:11", {"unknown component 'mana'", "[[component]]"});
  refuses(with("['position']", "['health', 'health']"), "16:21", {"'health' twice"});
  refuses(adding("[[change]]\ncomponent = 'helth'\nper_frame = 1\n"), "18:13", {"did you mean 'health'?"});
  refuses(looking_up("per_frame = 1\norder = 'scattered'\n"), "20:9",
          {"'order' is 'scattered'", "\"random\" or \"local\""});
}

TEST_CASE("only what follows from one component may be made anew where that has changed") {
  const std::string bar = "[[component]]\nname = 'bar'\nbytes = 8\n";
  const auto draw = [&bar](const std::string& keys) {
    return bar + "[[system]]\nname = 'draw'\nchanged_only = true\n" + keys;
  };
  CHECK(complaint_about(adding(draw("reads = ['position']\nwrites = ['bar']\n"))).empty());
  refuses(adding(draw("reads = ['position', 'health']\nwrites = ['bar']\n")), "22:16", {"one in 'reads'"});
  refuses(adding(draw("reads = ['position']\n")), "22:16", {"some in 'writes'"});
  refuses(adding(draw("reads = ['position']\nwrites = ['bar']\nwithout = ['health']\n")), "22:16",
          {"none in 'without'"});
  refuses(adding(draw("reads = ['health']\nwrites = ['bar']\n") + "[[lookup]]\nwrites = ['bar']\nper_frame = 1\n"),
          "22:16", {"'bar' is written elsewhere too", "take out 'changed_only'"});
  refuses(
      adding(draw("reads = ['position']\nwrites = ['health']\n") + "[[change]]\ncomponent = 'health'\nper_frame = 1\n"),
      "22:16", {"'health' is added and removed"});
  refuses(adding("[[system]]\nname = 'draw'\nreads = ['health']\nchanged_only = 1\n"), "20:16", {"true or false"});
}

TEST_CASE("rates that the entities do not allow are refused") {
  const std::string change = "[[change]]\ncomponent = 'health'\nper_frame = ";
  const std::string rare = "[[component]]\nname = 'rare'\nbytes = 4\nshare = 0.001\n";
  refuses(adding("[turnover]\ncreations_per_frame = 1001\n"), "18:23", {"1001", "at most 1000"});
  refuses(adding(change + "501\n"), "19:13", {"501", "'health'", "at most 500"});
  refuses(adding("[[change]]\ncomponent = 'position'\nper_frame = 0.1\n"), "19:13", {"0.1", "'position'", "at most 0"});
  refuses(adding(change + "1\n" + change + "2\n"), "21:13", {"'health' has a [[change]] already"});
  refuses(with("share = 0.5", "share = 0.5\ntoggled_per_frame = 501"), "13:21", {"501", "'health'", "at most 500"});
  refuses(with("share = 0.5", "share = 0.5\ntoggled_per_frame = 1") + change + "1\n", "19:13",
          {"'health' has 'toggled_per_frame'", "remove one of the two"});
  refuses(looking_up("per_frame = 1e6\n"), "19:13", {"1000000", "at most 100000"});
  refuses(looking_up("per_frame = 1\nhot_share = 1.1\n"), "20:13", {"'hot_share' is 1.1", "above 0, at most 1"});
  refuses(looking_up("per_frame = 1\norder = 'local'\nhot_share = 0.1\n"), "21:13",
          {"'hot_share' is for lookups in random order"});
  refuses(adding("[[system]]\nname = 'watch'\nreads = ['health']\npart = 0.5\n"), "20:8",
          {"'part'", "this one only reads"});
  refuses(adding("[saves]\nper_minute = 3601\n"), "18:14", {"3601", "3600"});
  refuses(adding("[hierarchy]\ndepth = 10\nfan_out = 2\n"), "18:9", {"1000 nodes", "enough for 9"});
  refuses(adding("[hierarchy]\nshare = 0.1\ndepth = 2\nfan_out = 100\n"), "19:9", {"100 nodes", "lower 'fan_out'"});
  refuses(adding("[hierarchy]\ndepth = 10000\nfan_out = 1000000\n"), "18:9", {"1000 nodes", "lower 'fan_out'"});
  refuses(adding("[turnover]\ncreations_per_frame = 335\n[hierarchy]\ndepth = 3\nfan_out = 1\n"), "21:11",
          {"only 334", "is 335", "raise 'fan_out' or lower 'depth'"});
  refuses(adding(rare + "[[system]]\nname = 'seldom'\nreads = ['health', 'rare']\n"), "21:1",
          {"0.5 of 1000", "'together'"});
  refuses(adding("[budget]\nframe_ms = 5\nworst_frame_ms = 4\n"), "19:18", {"'worst_frame_ms' is 4", "'frame_ms'"});
  refuses(adding("[budget]\nmemory = 64\n"), "18:10", {"64 bytes", "16000", "\"64MB\""});
}

TEST_CASE("recorded times are of one recording, and no longer than its frame") {
  const std::string timed = with("entities = 1000\n",
                                 "entities = 1000\nstorage = 'entt'\nframe_ms_measured = 2\nyardstick_ms = 4\n"
                                 "debug_build = true\n");
  const std::string other = "ms = 1.5\n[[system]]\nname = 'think'\nreads = ['health']\n";
  const Profile profile = parse_profile(timed + other + "ms = 0.5\n", "game.toml");
  CHECK(profile.recorded.storage == "entt");
  CHECK(profile.recorded.storage_line == 4);
  CHECK(profile.recorded.frame_ms == 2);
  CHECK(profile.recorded.yardstick_ms == 4);
  CHECK(profile.recorded.is_debug_build);
  CHECK(profile.recorded.debug_build_line == 7);
  CHECK(profile.systems.at(0).ms == 1.5);
  refuses(timed + other + "ms = 0.6\n", "25:6",
          {"take 2.1 ms, longer than the whole frame, 2 ms", "line 5", "the same recording"});
  refuses(timed + "ms = 2.1\n", "21:6", {"longer than the whole frame"});
  refuses(adding("ms = 0.1\n"), "17:6", {"the frame has none", "'frame_ms_measured' in [profile]"});
  refuses(with("entities", "frame_ms_measured = 0\nentities"), "3:21", {"'frame_ms_measured' is 0", "above 0"});
  refuses(with("entities", "storage = 'my own'\nentities"), "3:11", {"'my own'", "entt, flecs"});
}

TEST_CASE("a system says one thing of a component, and leaves some entities to visit") {
  const std::string system = "writes = ['position']\n";
  refuses(with(system, system + "without = ['position']\n"), "17:12", {"'without' names 'position'", "one thing"});
  refuses(with(system, system + "without = ['health']\noptional = ['health']\n"), "18:13", {"'health'"});
  refuses(with(system, system + "deferred = ['health']\n"), "17:13", {"'health' does not change", "[[change]]"});
  refuses(with(system, system + "optional = ['helth']\n"), "17:13", {"did you mean 'health'?"});
  refuses(with("share = 0.5\n", "") + "without = ['health']\n", "16:11", {"0 of 1000 entities", "all entities have"});
  const std::string both =
      replaced(with("0.5", "0.98\ntogether = 'pair'"), "[[system]]",
               "[[component]]\nname = 'mana'\nbytes = 4\nshare = 0.98\ntogether = 'pair'\n\n[[system]]");
  CHECK(complaint_about(both + "without = ['health', 'mana']\n").empty());  // 20 entities
  refuses(replaced(both, "['position']", "['mana']") + "without = ['health']\n", "24:11", {"0 of 1000 entities"});
}

TEST_CASE("a share is as many entities as the game makes of it") {
  const std::string few = with("1000", "49");
  CHECK(complaint_about(replaced(few, "0.5", "0.0204")).empty());  // as the reader says: "at least 0.0204 is one"
  const std::string changing = replaced(with("1000", "100"), "0.5", "0.29") + "[[change]]\ncomponent = 'health'\n";
  CHECK(complaint_about(changing + "per_frame = 29\n").empty());
  refuses(changing + "per_frame = 30\n", "19:13", {"29 entities have 'health'"});
}

TEST_CASE("components that are together are together in everything") {
  const std::string mana = "[[component]]\nname = 'mana'\nbytes = 8\n";
  const std::string pair =
      with("share = 0.5", "together = 'magic'\nshare = 0.5") + mana + "together = 'magic'\nshare = ";
  refuses(adding(mana + "together = 'magic'\n"), "20:12", {"'magic'", "remove it"});
  refuses(with("share = 0.5", "together = 'magic'") + mana + "together = 'magics'\n", "12:12",
          {"did you mean 'magics'?"});
  refuses(pair + "0.4\n", "22:9", {"'mana' has share 0.4", "'health'", "0.5"});
  refuses(pair + "0.5\n[[change]]\ncomponent = 'mana'\nper_frame = 1\n", "24:13", {"'mana'", "take 'together' out"});
}

std::string with_kinds(const std::string& from, const std::string& to) { return replaced(sound_kinds, from, to); }

TEST_CASE("a kind of entities has a number, a name of its own, and components") {
  CHECK(complaint_about(sound_kinds).empty());
  const std::string torches = "['position', 'fire']";
  refuses(with_kinds("components = ['position']\n", ""), "13:1", {"[[entity_kind]] lacks 'components'"});
  refuses(with_kinds("['position']", "[]"), "16:14", {"'components' is empty"});
  refuses(with_kinds("['position']", "['positon']"), "16:15", {"'positon'", "did you mean 'position'?"});
  refuses(with_kinds(torches, "['position', 'position']"), "28:27", {"'position' twice"});
  refuses(with_kinds(torches, "['position']"), "9:1", {"no [[entity_kind]] has 'fire'", "or remove it"});
  refuses(with_kinds("'tank'", "'rock'"), "19:8", {"'rock'", "line 13"});
  refuses(with_kinds("count = 600", "count = 0"), "15:9", {"'count' is 0", "from 1 to 16777216"});
  refuses(with_kinds("count = 600", "share = 0.0001"), "15:9", {"'share' is 0.0001", "at least 0.001"});
  refuses(with_kinds("count = 600\n", ""), "13:1", {"'rock'", "neither 'count' nor 'share'"});
  refuses(with_kinds("count = 600", "count = 600\nshare = 0.6"), "13:1", {"'rock'", "'count' and 'share'", "one"});
  refuses(with_kinds("created_per_frame = 1", "created_per_frame = 101"), "22:21", {"101", "100 of 'tank'"});
  refuses(sound_kinds + "[[change]]\ncomponent = 'position'\nper_frame = 1\n", "35:13",
          {"'position' and 0 are of a kind", "at most 0: add such an [[entity_kind]]"});
}

TEST_CASE("kinds and shares do not contradict each other") {
  refuses(with_kinds("bytes = 8", "bytes = 8\nshare = 0.3"), "12:9", {"[[entity_kind]]", "remove 'share'"});
  refuses(sound_kinds + "[turnover]\ncreations_per_frame = 1\n", "33:1", {"'created_per_frame'", "remove [turnover]"});
  for (const std::string key : {"depth", "share", "fan_out"}) {
    const std::string value = key == "share" ? "0.5" : "2";
    refuses(sound_kinds + "[hierarchy]\n" + key + " = " + value + "\n", "34:" + std::to_string(key.size() + 4),
            {"'children'", "remove '" + key + "'"});
  }
  refuses(with_kinds("children = [{kind = 'torch', count = 3}]\n", "") + "[hierarchy]\n", "32:1", {"'children'"});
  refuses(with_kinds("count = 600", "count = 599"), "25:1", {"999 entities", "is 1000", "by 1"});
  refuses(with_kinds("count = 600", "share = 0.7"), "25:1", {"1100 entities", "is 1000", "by 100"});
  refuses(replaced(with_kinds("bytes = 12", "bytes = 12\ntogether = 'a'"), "bytes = 8", "bytes = 8\ntogether = 'a'"),
          "13:12", {"'rock'", "'fire'", "'position'"});
  refuses(with_kinds("per_frame = 5", "per_frame = 301"), "32:13", {"301", "'fire'", "at most 300"});
}

TEST_CASE("what hangs on entities exists, in number, and not on itself") {
  const std::string children = "children = [{kind = 'torch', count = 3}]";
  const std::string torches = "components = ['position', 'fire']";
  const auto of_torch = [&](const std::string& more) { return with_kinds(torches, torches + "\nchildren = " + more); };
  refuses(with_kinds("kind = 'torch'", "kind = 'torhc'"), "23:21", {"'torhc'", "did you mean 'torch'?"});
  refuses(with_kinds("count = 3}", "count = 4}"), "23:38", {"400 of 'torch'", "there are 300"});
  refuses(with_kinds("count = 3}", "count = 0}"), "23:38", {"'count' is 0"});
  refuses(with_kinds("count = 3}", "number = 3}"), "23:30", {"no key 'number'", "kind, count"});
  refuses(with_kinds("count = 3}", "count = 1}, {kind = 'torch'}"), "23:50", {"'torch' twice", "the sum"});
  refuses(with_kinds(children, "children = ['torch']"), "23:13", {"'torch'"});
  refuses(of_torch("[{kind = 'torch', count = 0.5}]"), "29:12", {"'torch' would be its own descendant"});
  refuses(of_torch("[{kind = 'tank', count = 0.1}]"), "23:12", {"'tank' would be its own descendant"});
  // the first kind is none of the circle, it hangs on it
  refuses(replaced(of_torch("[{kind = 'tank', count = 0.1}]"), "count = 3}", "count = 1}, {kind = 'rock'}"), "23:12",
          {"'tank' would be its own descendant"});
}

TEST_CASE("kinds and their states make 10,000 component sets at most") {
  std::string components = "[[component]]\nname = 'position'\nbytes = 4\n";
  std::string names = "'position'";
  for (int number = 0; number < 14; ++number) {
    const std::string name = "'state" + std::to_string(number) + "'";
    components += "[[component]]\nname = " + name + "\nbytes = 4\ntoggled_per_frame = 1\n";
    names += ", " + name;
  }
  const auto complaint_of = [&](const std::string& entities) {
    return complaint_about("[profile]\nname = 'game'\nentities = " + entities + "\n" + components +
                           "[[entity_kind]]\nname = 'all'\nshare = 0.5\ncomponents = [" + names +
                           "]\n[[entity_kind]]\nname = 'none'\nshare = 0.5\ncomponents = ['position']\n");
  };
  CHECK_THAT(complaint_of("20000"), ContainsSubstring("16384 component sets") && ContainsSubstring("at most 10000"));
  CHECK(complaint_of("10000").empty());  // no more sets than entities
}

TEST_CASE("a component has a size or a type, a type its header, and a tag nothing to write") {
  const auto of_type = [](const std::string& type) { return with("bytes = 12", "type = " + type); };
  refuses(with("bytes = 12", "bytes = 12\ntype = 'A'\nheader = 'a.hpp'"), "7:9", {"'bytes'", "'type'", "give one"});
  refuses(of_type("'A'"), "7:8", {"'type' without 'header'"});
  refuses(with("bytes = 12", "bytes = 12\nheader = 'a.hpp'"), "8:10", {"'header' without 'type'"});
  refuses(of_type("'struct A;'\nheader = 'a.hpp'"), "7:8", {"'struct A;'", "such as game::Health"});
  refuses(of_type("'std::array<int'\nheader = 'a.hpp'"), "7:8", {"'std::array<int'", "such as game::Health"});
  refuses(of_type("'A'\nheader = 'a\".hpp'"), "8:10", {"'a\".hpp'", "quotation mark"});
  refuses(with("bytes = 12", "bytes = 0"), "16:11", {"'position' is a tag", "'reads'"});
}

TEST_CASE("headers are looked for beside the profile, and two components need two types") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "profiles" / "game.toml";
  std::filesystem::create_directories(file.parent_path());
  const std::string text = with("bytes = 12", "type = 'Pair<int, int>'\nheader = '../pair.hpp'");
  const std::string header = (directory.path() / "pair.hpp").string();
  CHECK_THROWS_WITH(parse_profile(text, file),
                    Catch::Matchers::StartsWith(file.string() + ":8:10: ") && ContainsSubstring(header));
  std::ofstream(header) << "template <class A, class B> struct Pair { A a; B b; };\n";
  const Profile profile = parse_profile(text, file);
  CHECK(profile.components[0].type == "Pair<int, int>");
  CHECK(profile.components[0].header == header);
  CHECK(profile.components[1].header.empty());
  const std::string twice = replaced(text, "bytes = 8", "type = 'Pair<int,int>'\nheader = '../pair.hpp'");
  CHECK_THROWS_WITH(parse_profile(twice, file), Catch::Matchers::StartsWith(file.string() + ":12:8: 'health'") &&
                                                    ContainsSubstring("'position' in line 5"));
}

TEST_CASE("what is not TOML is refused in the line where it stops being TOML") {
  const auto [text, line] = GENERATE(table<std::string, std::string>({
      {"[profile\n", "1"},
      {"[profile]\nname = 'game\nentities = 5\n", "2"},
      {"[profile]\nname = \n", "2"},
      {"[profile]\nname = 1\nname = 2\n", "3"},
      {"[profile]\nentities = 99999999999999999999\n", "2"},
      {"[profile]\nname = '\xff\xfe'\n", "2"},
      {std::string("[profile]\0", 10), "1"},
      {"\x7f\x45LF\x02\x01\x01", "1"},
      {std::string(1000, '['), "1"},
      {"a = " + std::string(1000, '['), "1"},
  }));
  const std::string complaint = complaint_about(text);
  CAPTURE(text, complaint);
  const std::regex one_line("game\\.toml:" + line +
                            ":[1-9][0-9]*: [^\\x00-\\x1f]*not TOML[^\\x00-\\x1f]+https://toml.io[^\\x00-\\x1f]*");
  CHECK(std::regex_match(complaint, one_line));
}

TEST_CASE("a missing, unreadable or overlong file is refused by name") {
  const TemporaryDirectory directory;
  const std::string inside = directory.path().string() + "/";
  const auto refused = [](const std::string& path, const std::string& suggestion) {
    CHECK_THROWS_WITH(read_profile(path), ContainsSubstring(path) && ContainsSubstring(suggestion));
  };
  refused(directory.path().string(), "is a directory");
  refused(inside + "game.toml", "--init");
  std::ofstream(inside + "gmae.toml") << sound_profile;
  refused(inside + "game.toml", "did you mean '" + inside + "gmae.toml'?");
  refused(inside + "shooter.toml", "--init");  // the directory that both share does not make the names alike
  CHECK(read_profile(inside + "gmae.toml").entities == 1000);
  std::ofstream(inside + "long.toml") << std::string(most_profile_bytes + 1, '#');
  refused(inside + "long.toml", std::to_string(most_profile_bytes) + " bytes");
}

TEST_CASE("there may be 300 components") {
  std::string text = sound_profile;
  for (int count = 3; count <= 300; ++count) {
    text += "[[component]]\nname = 'c" + std::to_string(count) + "'\nbytes = 4\n";
  }
  CHECK(complaint_about(text).empty());
  refuses(text + "[[component]]\nname = 'c301'\nbytes = 4\n", "911:1", {"number 301", "[[component]]", "300"});
}

// ---- whatever is done to a profile, it is one, or there is one clear line

struct Verdicts {
  std::size_t profiles = 0;
  std::size_t complaints = 0;
};

void judge(const std::string& text, Verdicts& verdicts) {
  static const std::regex one_line(R"(game\.toml:[1-9][0-9]*:[1-9][0-9]*: [^\x00-\x1f]+; [^\x00-\x1f]+)");
  const std::string complaint = complaint_about(text);
  ++(complaint.empty() ? verdicts.profiles : verdicts.complaints);
  if (complaint.empty() || std::regex_match(complaint, one_line)) return;
  CAPTURE(text, complaint);
  FAIL_CHECK("this is not one clear line");
}

std::string shipped(const std::string& name) { return system_text(sources / "profiles" / (name + ".toml")); }

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  REQUIRE(lines.size() > 10);
  return lines;
}

/// With another line in place of one.
std::string joined(const std::vector<std::string>& lines, std::size_t replaced, const std::string& by) {
  std::string text;
  for (std::size_t line = 0; line < lines.size(); ++line) text += line == replaced ? by : lines[line];
  return text;
}

TEST_CASE("a profile without a line, with another value, or that ends anywhere is one, or there is one clear line") {
  Verdicts verdicts;
  const std::vector<std::string> lines = lines_of(shipped("example"));
  SECTION("without any one line") {
    for (const std::string& text : {shipped("example"), shipped("bullet_hell"), shipped("rts_units"),
                                    shipped("open_world_scene"), shipped("typical"), sound_kinds}) {
      const std::vector<std::string> of_file = lines_of(text);
      for (std::size_t line = 0; line < of_file.size(); ++line) judge(joined(of_file, line, ""), verdicts);
    }
  }
  SECTION("with any value replaced by one of each type of TOML, and of each those that are easily forgotten") {
    std::istringstream values(R"("text"|""|"position"|'''a
b'''|7|0|-1|1.5|0.0|1e300|nan|-inf|true|9223372036854775807|"40k"|[]|[1, 'a']|[[]]|['position']|{}|{ a = 1 })"
                              R"(|1979-05-27|07:32:00|1979-05-27T07:32:00|"1000000000GB"|"\u0000")");
    for (std::string value; std::getline(values, value, '|');) {
      for (std::size_t line = 0; line < lines.size(); ++line) {
        const std::size_t equals = lines[line].find(" = ");
        if (lines[line].starts_with("#") || equals == std::string::npos) continue;
        judge(joined(lines, line, lines[line].substr(0, equals) + " = " + value + "\n"), verdicts);
      }
    }
    CHECK(verdicts.complaints > 500);
  }
  SECTION("cut off anywhere") {
    const std::string text = joined(lines, ~std::size_t{0}, "");
    for (std::size_t length = 0; length < text.size(); length += 3) judge(text.substr(0, length), verdicts);
    CHECK(verdicts.complaints > 100);
  }
  CHECK(verdicts.profiles > 10);
  CHECK(verdicts.complaints > 50);
}

}  // namespace
}  // namespace stowage::harness
