#pragma once

#include <boost/core/noncopyable.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>

// Files: the small texts that describe the system (/proc, /sys, /etc), and those that users give and get.
namespace stowage::harness {

/// Empty if there is no such file.
[[nodiscard]] inline std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Empty if there is no such file, or if it is a directory, of which an istreambuf_iterator would throw.
[[nodiscard]] inline std::string system_text(const std::filesystem::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The value of the first line `key<separator>value` of a file; empty if there is none.
[[nodiscard]] inline std::string field_of(const std::string& path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t start = line.find_first_not_of(" \t\"", line.find(separator) + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return start == std::string::npos ? std::string() : line.substr(start, end - start + 1);
  }
  return {};
}

/// All that is in `path`, which may be a pipe. Throws UserError if it cannot be read to its end: with the reason,
/// and with what `remedy` returns, such as "; give another file", which is asked for only then. A file that is longer
/// than any of ours is read only as far as it takes to see that.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path, const std::function<std::string()>& remedy);

/// Throws "<what>: <reason>; <remedy>" for an `error` of errno: EnvironmentError if the machine lacks something (room
/// on a disk, open files, processes, memory), else UserError with `otherwise` in place of the remedy.
[[noreturn]] void fail_with(const std::string& what, int error, const std::string& otherwise);

/// Replaces `path` by `text`, whole or not at all, even when the machine loses power: a temporary file in the same
/// directory, flushed to the disk, then renamed. Throws UserError if the user may not write there, EnvironmentError
/// if the disk is full or broken; what was at `path` is then still there, and no temporary file is.
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Makes `path` and what is above it, unless it is there. Throws UserError if that fails.
void make_directory(const std::filesystem::path& path);

/// Throws UserError if this user may not write to the directory `path` or, if it is not there, to the next one above.
void check_writable(const std::filesystem::path& path);

/// Throws what replace_file() does if `directory` has no room for another MiB: for when a program of others has
/// failed there, and does not say why.
void check_room(const std::filesystem::path& directory);

/// An empty directory in TMPDIR, or in /tmp, that is removed with everything in it.
class TemporaryDirectory : boost::noncopyable {
 public:
  /// Throws EnvironmentError, which names TMPDIR, if none can be made.
  TemporaryDirectory();
  ~TemporaryDirectory();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The same as check_room(path()), with a message that names TMPDIR.
  void check_room() const;

 private:
  std::filesystem::path path_;
};

}  // namespace stowage::harness
