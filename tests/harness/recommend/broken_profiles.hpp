#pragma once

#include "harness/errors.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::fake {

/// A profile without a mistake. What the tests break, they break in lines of this; what they add begins in line 17.
inline constexpr const char* sound_profile = R"([profile]
name = "game"
entities = 1000

[[component]]
name = "position"
bytes = 12

[[component]]
name = "health"
bytes = 8
share = 0.5

[[system]]
name = "move"
writes = ["position"]
)";

/// With `to` in place of the first `from`, which must be there.
[[nodiscard]] inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}
[[nodiscard]] inline std::string with(const std::string& from, const std::string& to) {
  return replaced(sound_profile, from, to);
}

/// With more at its end.
[[nodiscard]] inline std::string adding(const std::string& text) { return sound_profile + text; }

/// What the reader says of `text` in a file game.toml; empty if that is a profile.
[[nodiscard]] inline std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(parse_profile(text, "game.toml"));
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

}  // namespace stowage::harness::fake
