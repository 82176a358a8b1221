#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <boost/core/noncopyable.hpp>
#include <filesystem>

// What is compiled, loaded or executed from a directory must not be another user's: it could be anything.
namespace stowage::harness {

/// Throws EnvironmentError, which names `path` and a remedy, unless it belongs to this user or to root and no other
/// user may write to it; nothing is wrong with what does not exist. Links are followed: their target is looked at.
void check_is_trusted(const std::filesystem::path& path);

/// The same for a file to be loaded, the directory that has it and, if it is a link, the directory of its target.
void check_file_is_trusted(const std::filesystem::path& file);

/// Makes `directory` and what is above it, for this user alone, if it is not there. Then checks the same of it, of all
/// that is in it and of the directories above it up to `root`, if that is not empty.
void make_trusted_directory(const std::filesystem::path& directory, const std::filesystem::path& root);

/// While it lives, what this process and its children make has none of the permissions `without`.
class Umask : boost::noncopyable {
 public:
  explicit Umask(mode_t without) : former_(umask(without)) { umask(former_ | without); }
  ~Umask() { umask(former_); }

 private:
  mode_t former_;
};

}  // namespace stowage::harness
