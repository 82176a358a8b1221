#include "tests/harness/profile/broken_profiles.hpp"

#include "harness/errors.hpp"
#include "harness/profile/read.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::fake {

std::string with(const std::string& from, const std::string& to) {
  std::string text = sound_profile;
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

std::string adding(const std::string& text) { return sound_profile + text; }

std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(parse_profile(text, "game.toml"));
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

void check_all(const std::vector<Broken>& profiles) {
  REQUIRE(complaint_about(sound_profile).empty());
  for (const Broken& broken : profiles) {
    CAPTURE(broken.text);
    CHECK(complaint_about(broken.text) == broken.complaint);
  }
}

}  // namespace stowage::harness::fake
