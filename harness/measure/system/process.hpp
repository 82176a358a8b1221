#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stowage::harness {

struct ProcessResult {
  int exit_code = 0;   ///< 128 + n where signal n ended the process, as in a shell; 127 where it could not be started
  std::string output;  ///< of stdout, where it was captured
};

/// `NAME=value` pairs that a child process has beside, or instead of, the ones it inherits.
using ExtraEnvironment = std::vector<std::string>;

/// Runs `command` (its first word is a path) and waits for it. It shares stdin, stdout and stderr with this process.
[[nodiscard]] int run_process(const std::vector<std::string>& command, const ExtraEnvironment& extra = {});

/// The same with stdout captured and stderr silent.
[[nodiscard]] ProcessResult capture_process(const std::vector<std::string>& command,
                                            const ExtraEnvironment& extra = {});

/// The directories of PATH, in order.
[[nodiscard]] std::vector<std::filesystem::path> search_path();

/// Whether `path` is a file that may be executed.
[[nodiscard]] bool is_executable(const std::filesystem::path& path);

}  // namespace stowage::harness
