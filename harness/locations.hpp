#pragma once

#include <filesystem>
#include <optional>

namespace stowage::harness {

/// The directory that has reports/, harness/ and workloads/, as the repository has them: what `executable` was
/// installed with, wherever the prefix was moved to, or else `source`, the root of the tree. None if neither has them.
[[nodiscard]] std::optional<std::filesystem::path> search_shared_files(const std::filesystem::path& executable,
                                                                       const std::filesystem::path& source);

/// The same for the program that runs.
[[nodiscard]] std::optional<std::filesystem::path> find_shared_files();

/// The same. Throws EnvironmentError if the files are gone.
[[nodiscard]] std::filesystem::path shared_files();

}  // namespace stowage::harness
