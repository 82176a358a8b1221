#pragma once

#include <filesystem>
#include <string_view>

namespace stowage::harness {

/// Replaces `path` by `text`, whole or not at all, even when the machine loses power: a temporary file in the same
/// directory, flushed to the disk, then renamed. Throws UserError where the user may not write there, EnvironmentError
/// where the disk is full or broken; what was at `path` is then still there, and no temporary file is.
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Makes `path` and what is above it, unless it is there. Throws UserError where that cannot be.
void make_directory(const std::filesystem::path& path);

}  // namespace stowage::harness
