#include <string>
#include <vector>

#include "tests/harness/profile/broken_profiles.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using fake::adding;
using fake::check_all;
using fake::with;

TEST_CASE("more cannot happen than the entities allow") {
  check_all({
      {adding("[turnover]\ncreations_per_frame = 1001\n"),
       "game.toml:18:23: 'creations_per_frame' is 1001, but as many die, and there are 1000 entities; at most 1000"},
      {adding("[[change]]\ncomponent = \"health\"\nper_frame = 501\n"),
       "game.toml:19:13: 'per_frame' is 501, but 500 entities have 'health' and 500 do not; at most 500"},
      {adding("[[change]]\ncomponent = \"position\"\nper_frame = 0.1\n"),
       "game.toml:19:13: 'per_frame' is 0.1, but 1000 entities have 'position' and 0 do not; at most 0"},
      {adding("[[change]]\ncomponent = \"health\"\nper_frame = 1\n[[change]]\ncomponent = \"health\"\nper_frame = 2\n"),
       "game.toml:21:13: 'health' has a [[change]] already; add the two up"},
      {adding("[[lookup]]\nreads = [\"health\"]\nper_frame = 1e6\n"),
       "game.toml:19:13: 'per_frame' is 1000000, more than 100 for each of 1000 entities; at most 100000"},
      {adding("[saves]\nper_minute = 3601\n"),
       "game.toml:18:14: 'per_minute' is 3601, but a minute has 3600 frames; at most one save in each"},
      {adding("[hierarchy]\ndepth = 10\nfan_out = 2\n"),
       "game.toml:18:9: a tree with 'depth' 10 and 'fan_out' 2 has more than the 1000 nodes there are; there are "
       "enough "
       "for 9"},
      {adding("[hierarchy]\nshare = 0.1\ndepth = 2\nfan_out = 100\n"),
       "game.toml:19:9: a tree with 'depth' 2 and 'fan_out' 100 has more than the 100 nodes there are; lower "
       "'fan_out'"},
      {adding("[hierarchy]\ndepth = 10000\nfan_out = 1000000\n"),
       "game.toml:18:9: a tree with 'depth' 10000 and 'fan_out' 1000000 has more than the 1000 nodes there are; lower "
       "'fan_out'"},
      {adding("[turnover]\ncreations_per_frame = 335\n[hierarchy]\ndepth = 3\nfan_out = 1\n"),
       "game.toml:21:11: only 334 entities would have no children, and none else may die, but 'creations_per_frame' of "
       "[turnover] is 335; raise 'fan_out' or lower 'depth'"},
      {adding("[[component]]\nname = \"rare\"\nbytes = 4\nshare = 0.001\n[[system]]\nname = \"seldom\"\nreads = "
              "[\"health\", \"rare\"]\n"),
       "game.toml:21:1: 0.5 of 1000 entities have all of these components; raise their shares, or say which are "
       "'together'"},
      {adding("[budget]\nframe_ms = 5\nworst_frame_ms = 4\n"),
       "game.toml:19:18: 'worst_frame_ms' is 4, less than 'frame_ms', 5; the worst frame is given at least as much"},
      {adding("[budget]\nmemory = 64\n"),
       "game.toml:18:10: 'memory' is 64 bytes, but the components themselves take 16000; give more, or a unit, such as "
       "\"64MB\""},
  });
}

TEST_CASE("components that are together are together in everything") {
  const std::string mana = "[[component]]\nname = \"mana\"\nbytes = 8\n";
  check_all({
      {adding(mana + "together = \"magic\"\n"),
       "game.toml:20:12: no other component is together by 'magic'; give a second one, or leave it out"},
      {with("share = 0.5", "together = \"magic\"") + mana + "together = \"magics\"\n",
       "game.toml:12:12: no other component is together by 'magic'; did you mean 'magics'?"},
      {with("share = 0.5", "together = \"magic\"\nshare = 0.5") + mana + "together = \"magic\"\nshare = 0.4\n",
       "game.toml:22:9: 'mana' has share 0.4, but 'health', which it is together with, has 0.5; the same entities have "
       "both, so give the same share"},
      {with("share = 0.5", "together = \"magic\"\nshare = 0.5") + mana +
           "together = \"magic\"\nshare = 0.5\n[[change]]\ncomponent = \"mana\"\nper_frame = 1\n",
       "game.toml:24:13: 'mana' is together with others, so it cannot come and go alone; take 'together' out of its "
       "[[component]]"},
  });
}

TEST_CASE("a component has a size or a type, a type its header, and a tag nothing to write") {
  check_all({
      {with("bytes = 12", "bytes = 12\ntype = \"A\"\nheader = \"a.hpp\""),
       "game.toml:7:9: 'position' has 'bytes' and a 'type'; give one, a type has a size"},
      {with("bytes = 12", "type = \"A\""),
       "game.toml:7:8: 'position' has a 'type' without 'header'; name the file that defines it, from the profile's "
       "directory"},
      {with("bytes = 12", "bytes = 12\nheader = \"a.hpp\""),
       "game.toml:8:10: 'position' has a 'header' without 'type'; name the type in it"},
      {with("bytes = 12", "type = \"struct A;\"\nheader = \"a.hpp\""),
       "game.toml:7:8: 'type' is 'struct A;'; it is the name of a C++ type, such as game::Health"},
      {with("bytes = 12", "type = \"std::array<int\"\nheader = \"a.hpp\""),
       "game.toml:7:8: 'type' is 'std::array<int'; it is the name of a C++ type, such as game::Health"},
      {with("bytes = 12", "type = \"A\"\nheader = 'a\".hpp'"),
       "game.toml:8:10: 'header' is 'a\".hpp'; C++ includes no file with a quotation mark in its path"},
      {with("bytes = 12", "bytes = 0"),
       "game.toml:16:11: 'position' is a tag, it has no bytes to write; name it in "
       "'reads'"},
  });
}

}  // namespace
}  // namespace stowage::harness
