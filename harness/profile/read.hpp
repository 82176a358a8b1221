#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/profile/profile.hpp"

namespace stowage::harness {

/// Reads a profile: a TOML file with the tables and keys of rules.hpp, which docs/profiles.md explains. What comes back
/// can be measured: names are resolved, shares and rates are such that the entities can have them, headers are there.
/// Throws UserError with one line, `FILE:LINE:COLUMN: what is wrong; what is accepted`, for the first mistake.
[[nodiscard]] Profile read_profile(const std::filesystem::path& path);

/// The same for the text of a file that may not be there: `path` is what messages and Profile::file name, and where
/// headers are looked for.
[[nodiscard]] Profile parse_profile(std::string_view text, const std::filesystem::path& path);

/// A larger file is no profile.
inline constexpr std::size_t most_profile_bytes = 1024UL * 1024;

}  // namespace stowage::harness
