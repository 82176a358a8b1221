#include <string>
#include <vector>

#include "tests/harness/profile/broken_profiles.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using fake::adding;
using fake::check_all;
using fake::sound_profile;
using fake::with;

TEST_CASE("tables and keys that nobody knows are refused with the nearest") {
  check_all({
      {with("entities", "entitys"), "game.toml:3:1: [profile] has no key 'entitys'; did you mean 'entities'?"},
      {with("share", "probability"),
       "game.toml:12:1: [[component]] has no key 'probability'; it has name, bytes, type, header, share, together"},
      {with("[[system]]", "[[sytem]]"), "game.toml:14:3: unknown table 'sytem'; did you mean 'system'?"},
      {"entities = 1000\n", "game.toml:1:1: unknown table 'entities'; it is a key of [profile]"},
      {adding("[physics]\n"),
       "game.toml:17:2: unknown table 'physics'; there are [profile], [budget], [[component]], [[system]], [[lookup]], "
       "[[change]], [turnover], [hierarchy], [saves]"},
      {with("[profile]", "[profile]\n\"a\\nb\" = 1"),
       "game.toml:2:1: [profile] has no key 'a\\x0ab'; it has name, entities, frames_per_second"},
  });
}

TEST_CASE("what is required is asked for where it is missing") {
  check_all({
      {"", "game.toml:1:1: the file is empty; `stowage recommend --init` writes an example"},
      {" \n\t\n", "game.toml:1:1: the file is empty; `stowage recommend --init` writes an example"},
      {"# nothing yet\n", "game.toml:1:1: there is no [profile]; give the game"},
      {"[profile]\nname = 'game'\nentities = 5\n",
       "game.toml:1:1: there is no [[component]]; give a plain struct that "
       "entities have"},
      {"component = []\n[profile]\nname = 'game'\nentities = 5\n",
       "game.toml:1:13: there is no [[component]]; give a plain struct that entities have"},
      {with("entities = 1000\n", ""),
       "game.toml:1:1: [profile] lacks 'entities'; it says how many entities are alive in a frame: a whole number from "
       "1 "
       "to 16777216 or a string such as \"40k\" (k is 1024, M is 1048576)"},
      {with("bytes = 8\n", ""),
       "game.toml:9:1: 'health' has no size; give 'bytes', or a 'type' and the 'header' that defines it"},
      {with("writes = [\"position\"]\n", ""),
       "game.toml:14:1: [[system]] touches nothing; name components in 'reads' or 'writes'"},
      {with("writes = [\"position\"]", "writes = []"),
       "game.toml:14:1: [[system]] touches nothing; name components in 'reads' or 'writes'"},
      {with("[[system]]\nname = \"move\"\nwrites = [\"position\"]\n", ""),
       "game.toml:1:1: nothing happens in a frame of this game; give it a [[system]], at least"},
      {adding("[hierarchy]\ndepth = 2\n"),
       "game.toml:17:1: [hierarchy] lacks 'fan_out'; it says how many children a parent has: a whole number from 1 to "
       "1000000"},
  });
}

TEST_CASE("values of the wrong type are refused with what they are and what they should be") {
  const std::string entities =
      "; it says how many entities are alive in a frame: a whole number from 1 to 16777216 or a string such as \"40k\" "
      "(k is 1024, M is 1048576)";
  const std::string share = "; it says the share of the entities that have it: a number above 0, at most 1";
  check_all({
      {with("1000", "1979-05-27"), "game.toml:3:12: 'entities' is a date" + entities},
      {with("1000", "07:32:00"), "game.toml:3:12: 'entities' is a time" + entities},
      {with("1000", "1979-05-27T07:32:00Z"), "game.toml:3:12: 'entities' is a date with a time" + entities},
      {with("1000", "true"), "game.toml:3:12: 'entities' is true" + entities},
      {with("1000", "[1000]"), "game.toml:3:12: 'entities' is a list" + entities},
      {with("1000", "{}"), "game.toml:3:12: 'entities' is a table" + entities},
      {with("1000", "1000.0"), "game.toml:3:12: 'entities' is 1000" + entities},
      {with("1000", "\"many\""), "game.toml:3:12: 'entities' is 'many'" + entities},
      {with("0.5", "\"half\""), "game.toml:12:9: 'share' is 'half'" + share},
      {with("\"game\"", "5"),
       "game.toml:2:8: 'name' is 5; it says what the game is called in headings: a string on one line, of at most 200 "
       "bytes"},
      {with("[\"position\"]", "\"position\""),
       "game.toml:16:10: 'writes' is 'position'; it says the components it changes, which it reads too: a list of "
       "strings"},
      {with("[\"position\"]", "[\"position\", 3]"),
       "game.toml:16:23: 'writes' contains 3; it says the components it changes, which it reads too: a list of "
       "strings"},
      {with("[[system]]", "[system]"),
       "game.toml:14:1: 'system' is a table; there may be several, so give each as [[system]]"},
      {with("[profile]", "[[profile]]"), "game.toml:1:1: 'profile' is a list; give it once, as [profile]"},
      {adding("[saves]\nper_minute = 1\n[turnover.creations_per_frame]\n"),
       "game.toml:19:1: 'creations_per_frame' is a table; it says how many entities are created in a frame; as many "
       "die: "
       "a number of at least 0"},
      {"saves = 5\n" + std::string(sound_profile),
       "game.toml:1:9: 'saves' is 5; give a table [saves], saving all entities"},
      {"lookup = [5]\n" + std::string(sound_profile),
       "game.toml:1:11: 'lookup' is 5; give a table [[lookup]], components of single entities that something else "
       "names: "
       "targets, owners, hits"},
  });
}

TEST_CASE("numbers outside what can be are refused with the range") {
  const std::string entities =
      "; it says how many entities are alive in a frame: a whole number from 1 to 16777216 or a string such as \"40k\" "
      "(k is 1024, M is 1048576)";
  const std::string share = "; it says the share of the entities that have it: a number above 0, at most 1";
  check_all({
      {with("1000", "0"), "game.toml:3:12: 'entities' is 0" + entities},
      {with("1000", "-5"), "game.toml:3:12: 'entities' is -5" + entities},
      {with("1000", "\"17M\""), "game.toml:3:12: 'entities' is '17M'" + entities},
      {with("1000", "\"99999999999999999999k\""), "game.toml:3:12: 'entities' is '99999999999999999999k'" + entities},
      {with("0.5", "0"), "game.toml:12:9: 'share' is 0" + share},
      {with("0.5", "1.01"), "game.toml:12:9: 'share' is 1.01" + share},
      {with("0.5", "nan"), "game.toml:12:9: 'share' is nan" + share},
      {with("0.5", "-inf"), "game.toml:12:9: 'share' is -inf" + share},
      {with("0.5", "0.0009"),
       "game.toml:12:9: 'share' is 0.0009, less than one of 1000 entities; at least 0.001 is one"},
      {with("12\n", "4097\n"),
       "game.toml:7:9: 'bytes' is 4097; it says how large it is; 0: a tag: a whole number from 0 to 4096"},
      {with("writes = [\"position\"]", "runs_per_frame = 0.02\nwrites = [\"position\"]"),
       "game.toml:16:18: 'runs_per_frame' is 0.02; it says how often it runs; below 1: in some frames only: a number "
       "from 0.0625 to 100"},
      {adding("[budget]\nframe_ms = 0\n"),
       "game.toml:18:12: 'frame_ms' is 0; it says how long the storage may keep a usual frame, in milliseconds: a "
       "number "
       "above 0, at most 10000"},
      {adding("[budget]\nmemory = 0\n"),
       "game.toml:18:10: 'memory' is 0; it says how many bytes the storage may hold: a whole number from 1 to "
       "1125899906842624 or a string such as \"64MB\" (a kB is 1024 bytes)"},
      {adding("[turnover]\ncreations_per_frame = -1\n"),
       "game.toml:18:23: 'creations_per_frame' is -1; it says how many entities are created in a frame; as many die: a "
       "number of at least 0"},
  });
}

TEST_CASE("names are words, and each belongs to one") {
  check_all({
      {with("\"health\"", "\"hit points\""),
       "game.toml:10:8: 'name' is 'hit points'; it says what the other tables call it by: a string of letters, digits, "
       "_ "
       "and -, a letter first, at most 40"},
      {with("\"game\"", "\"two\\nlines\""),
       "game.toml:2:8: 'name' is 'two\\x0alines'; it says what the game is called in headings: a string on one line, "
       "of "
       "at most 200 bytes"},
      {with("\"health\"", "\"position\""),
       "game.toml:10:8: 'position' is the name of the component in line 5 too; give each its own"},
      {adding("[[system]]\nname = \"move\"\nreads = [\"health\"]\n"),
       "game.toml:18:8: 'move' is the name of the system in line 14 too; give each its own"},
      {with("[\"position\"]", "[\"health\", \"positon\"]"),
       "game.toml:16:21: unknown component 'positon'; did you mean 'position'?"},
      {with("[\"position\"]", "[\"mana\"]"), "game.toml:16:11: unknown component 'mana'; name one of a [[component]]"},
      {with("[\"position\"]", "[\"health\", \"health\"]"),
       "game.toml:16:21: 'writes' names 'health' twice; once says it"},
      {adding("[[change]]\ncomponent = \"helth\"\nper_frame = 1\n"),
       "game.toml:18:13: unknown component 'helth'; did you mean 'health'?"},
      {adding("[[lookup]]\nreads = [\"health\"]\nper_frame = 1\norder = \"scattered\"\n"),
       "game.toml:20:9: 'order' is 'scattered'; it says whether they are scattered, or were created one after the "
       "other: "
       "\"random\" or \"local\""},
  });
}

}  // namespace
}  // namespace stowage::harness
