#include "harness/build/trust.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;

#ifdef _WIN32
void check_is_trusted(const fs::path&) {}  // rights are lists of access there, which are not read
#else
void check_is_trusted(const fs::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;  // another process that compiles there has removed it
    throw EnvironmentError("cannot use {}: {}", path.string(), std::strerror(errno));
  }
  if (status.st_uid != geteuid() && status.st_uid != 0) {
    throw EnvironmentError(
        "cannot use {}: it belongs to another user, and what is in it is executed; remove it, or name a directory of "
        "yours by STOWAGE_CACHE_DIR",
        path.string());
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw EnvironmentError(
        "cannot use {}: other users may write to it, and what is in it is executed; if none of them has, `chmod -R "
        "go-w {}`",
        path.string(), shell_path(path));
  }
}
#endif

void check_file_is_trusted(const fs::path& file) {
  check_is_trusted(file);
  std::error_code unresolved;
  for (const fs::path& path : {fs::absolute(file), fs::canonical(file, unresolved)}) {
    if (!path.empty()) check_is_trusted(path.parent_path());
  }
}

void make_trusted_directory(const fs::path& directory, const fs::path& root) {
  {
    const Umask this_user_alone(S_IRWXG | S_IRWXO);
    make_directory(directory);
  }
  for (fs::path above = directory;; above = above.parent_path()) {
    check_is_trusted(above);
    if (root.empty() || above == root || above == above.parent_path()) break;
  }
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) check_is_trusted(entry.path());
  if (error) throw EnvironmentError("cannot use {}: {}", directory.string(), error.message());
}

}  // namespace stowage::harness
