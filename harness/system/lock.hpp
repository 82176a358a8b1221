#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace stowage::harness {

/// While it lives, no other process has the lock of a directory, in which nothing is left, or of a file, which is made
/// if it is missing. Whatever ends this process gives the lock back, once its children have ended too: they inherit it.
/// What cannot be opened (it is missing, or another user's and closed) or locked (some file systems have no locks) is
/// left alone: the command says so when it reads or writes there. On a network file system the lock of a file holds for
/// all machines, and that of a directory for the processes of one.
class Lock {
 public:
  /// Throws UserError if another process has it: with its number and command as far as the system tells, and with
  /// `remedy`, such as "name another --out".
  Lock(const std::filesystem::path& directory, const std::string& remedy);
  /// Waits if another process has it, and says so on stderr. Throws Interrupted when `stop` says so.
  Lock(const std::filesystem::path& file, const std::function<bool()>& stop);
  Lock(Lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~Lock();

 private:
  /// False if another process has it.
  [[nodiscard]] bool is_taken() const;

  std::intptr_t descriptor_;  ///< a handle on Windows
};

}  // namespace stowage::harness
