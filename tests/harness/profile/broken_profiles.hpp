#pragma once

#include <string>
#include <vector>

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
[[nodiscard]] std::string with(const std::string& from, const std::string& to);

/// With more at its end.
[[nodiscard]] std::string adding(const std::string& text);

/// What the reader says of `text` in a file game.toml; empty where that is a profile.
[[nodiscard]] std::string complaint_about(const std::string& text);

struct Broken {
  std::string text;
  std::string complaint;  ///< the whole line
};

/// That each is refused with that complaint, and the sound one is not.
void check_all(const std::vector<Broken>& profiles);

}  // namespace stowage::harness::fake
