#include "harness/selection/nearest_name.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("the edit distance counts insertions, deletions, substitutions and swaps as one each") {
  CHECK(edit_distance("join", "join") == 0);
  CHECK(edit_distance("join", "joint") == 1);
  CHECK(edit_distance("join", "oin") == 1);
  CHECK(edit_distance("join", "jain") == 1);
  CHECK(edit_distance("join", "jion") == 1);
  CHECK(edit_distance("", "join") == 4);
  CHECK(edit_distance("ca", "abc") == 3);
}

TEST_CASE("the nearest name is suggested while it could be a slip") {
  const std::vector<std::string> names = {"point_mass", "join", "lookup"};
  CHECK(suggestion("jion", names, "see the list") == "; did you mean 'join'?");
  CHECK(suggestion("pointmass", names, "see the list") == "; did you mean 'point_mass'?");
  CHECK(suggestion("hierarchy", names, "see the list") == "; see the list");
  CHECK(suggestion("x", {}, "see the list") == "; see the list");
}

}  // namespace
}  // namespace stowage::harness
