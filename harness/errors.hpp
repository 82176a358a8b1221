#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace stowage::harness {

/// What a process of ours ends with; scripts and checks rely on the numbers.
enum class ExitCode : int { done = 0, answer_is_no = 1, wrong_input = 2, environment_lacks = 3, interrupted = 130 };

/// Ends the command with one line on stderr, `stowage: <message>`, and `exit_code`. Caught once, in harness_main.
/// A message says what is wrong, where, and after a semicolon what would be right. It is empty if a program that was
/// run for this one has said so already.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitCode exit_code, const std::string& message) : std::runtime_error(message), exit_code_(exit_code) {}

  [[nodiscard]] ExitCode exit_code() const noexcept { return exit_code_; }

 private:
  ExitCode exit_code_;
};

/// The same with one exit code. A message is a text, or a format of fmt and what it is filled with.
template <ExitCode code>
class ErrorWith : public CommandError {
 public:
  explicit ErrorWith(const std::string& message) : CommandError(code, message) {}
  template <class First, class... Rest>
  explicit ErrorWith(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
      : CommandError(code, fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// The command did its work, and the answer is "no".
using NegativeAnswer = ErrorWith<ExitCode::answer_is_no>;
/// A flag, a name or a file that the user gave cannot be used.
using UserError = ErrorWith<ExitCode::wrong_input>;
/// The machine lacks something: a program, a module, room on a disk.
using EnvironmentError = ErrorWith<ExitCode::environment_lacks>;
/// The user stopped the command; what was measured is on disk.
using Interrupted = ErrorWith<ExitCode::interrupted>;

}  // namespace stowage::harness
