#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace stowage::harness {

/// The prefix of the package that this program was built with, outside of stowage's own tree: defined by the catalogue
/// that stowage_add_benchmark() generates. Empty for all others.
[[nodiscard]] std::string_view package_prefix() noexcept;

/// The directory that has reports/, harness/ and workloads/, as the repository has them. What is searched, the first
/// that has them first: what `executable` was installed with, wherever the prefix was moved to; `prefix`, unless it is
/// empty; and `source`, the root of the tree. Nothing where none has them.
[[nodiscard]] std::optional<std::filesystem::path> search_shared_files(const std::filesystem::path& executable,
                                                                       const std::filesystem::path& prefix,
                                                                       const std::filesystem::path& source);

/// The same for the program that runs.
[[nodiscard]] std::optional<std::filesystem::path> find_shared_files();

/// The same. Throws EnvironmentError where the files are gone.
[[nodiscard]] std::filesystem::path shared_files();

}  // namespace stowage::harness
