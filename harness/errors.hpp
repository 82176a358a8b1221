#pragma once

#include <stdexcept>
#include <string>

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

/// The command did its work, and the answer is "no".
class NegativeAnswer : public CommandError {
 public:
  explicit NegativeAnswer(const std::string& message) : CommandError(ExitCode::answer_is_no, message) {}
};

/// A flag, a name or a file that the user gave cannot be used.
class UserError : public CommandError {
 public:
  explicit UserError(const std::string& message) : CommandError(ExitCode::wrong_input, message) {}
};

/// The machine lacks something: a program, a module, room on a disk.
class EnvironmentError : public CommandError {
 public:
  explicit EnvironmentError(const std::string& message) : CommandError(ExitCode::environment_lacks, message) {}
};

/// The user stopped the command; what was measured is on disk.
class Interrupted : public CommandError {
 public:
  explicit Interrupted(const std::string& message) : CommandError(ExitCode::interrupted, message) {}
};

}  // namespace stowage::harness
