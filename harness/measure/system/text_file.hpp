#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace stowage::harness {

/// All that is in `path`, which may be a pipe. Throws UserError where it cannot be read to its end: with the reason,
/// and with what `remedy` returns, such as "; give another file", which is asked for only then.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path, const std::function<std::string()>& remedy);

}  // namespace stowage::harness
