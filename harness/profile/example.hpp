#pragma once

#include <filesystem>
#include <string>

namespace stowage::harness {

/// The profile that shows every key, with comments: profiles/example.toml as it was when this program was built. Its
/// first line names to editors the schema that came with this program; where that is gone it is left out.
[[nodiscard]] std::string recommend_example();

/// Writes recommend_example() to `path`. Throws UserError where something is there already, or cannot be written.
void write_example(const std::filesystem::path& path);

}  // namespace stowage::harness
