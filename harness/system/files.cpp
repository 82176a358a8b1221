// Reads files, replaces them whole or not at all, and turns errno into a message that says what to do.
#include "harness/system/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "harness/errors.hpp"
#include "harness/system/platform.hpp"

namespace stowage::harness {
namespace {

/// More than `limits` of files.schema.json allows for any file, so that its reader refuses it.
constexpr std::size_t most_bytes = std::size_t{1} << 29U;

/// Files are read by the C library: a directory, or a file on a broken disk, can be opened, and what goes wrong then
/// has a reason in errno.
struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

/// What to do if `error` of errno says that the machine lacks something; else empty.
std::string_view remedy_for(int error) {
  switch (error) {
    case ENOSPC:
#ifdef EDQUOT
    case EDQUOT:
#endif
      return "free some space or choose another disk";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f)";
    case EIO:
      return "check the disk";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n)";
    case EAGAIN:
      return "raise the limit on processes (ulimit -u)";
    case ENOMEM:
      return "end other programs";
    default:
      return "";
  }
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  fail_with(fmt::format("cannot write {}", path.string()), error, "; choose a directory that you may write to");
}

/// A file that is too large for the process's limit is an error code to us, not a deadly signal.
class IgnoreFileSizeSignal : boost::noncopyable {
#ifdef SIGXFSZ
 public:
  IgnoreFileSizeSignal() : former_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~IgnoreFileSizeSignal() { std::signal(SIGXFSZ, former_); }

 private:
  void (*former_)(int);
#endif
};

/// An open temporary file beside `target`, removed again unless it was renamed to it. It is always a new one: what has
/// its name, a link to another file too, may be there because a process was killed, or be a trap.
class TemporaryFile : boost::noncopyable {
 public:
  explicit TemporaryFile(const std::filesystem::path& target) : target_(target) {
    constexpr int most_attempts = 100;
    for (int attempt = 1; descriptor_ < 0; ++attempt) {
      path_ = target;
      path_ += fmt::format(".{}-{}.tmp", getpid(), attempt);
      descriptor_ = create_new_file(path_);
      if (descriptor_ < 0 && (errno != EEXIST || attempt == most_attempts)) fail(target_, errno);
    }
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    std::error_code ignored;
    if (!renamed_) std::filesystem::remove(path_, ignored);
  }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written >= 0) {
        text.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        fail(target_, errno);
      }
    }
  }

  /// Some file systems report a full disk only when they are asked to flush or to close.
  void rename_to_target() {
    if (!flush_file(descriptor_)) fail(target_, errno);
    if (close(std::exchange(descriptor_, -1)) != 0) fail(target_, errno);
    std::error_code error;
    std::filesystem::rename(path_, target_, error);
    if (error) fail(target_, error.value());
    renamed_ = true;
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace

void fail_with(const std::string& what, int error, const std::string& otherwise) {
  const std::string_view remedy = remedy_for(error);
  const std::string told = fmt::format("{}: {}", what, std::strerror(error));
  if (remedy.empty()) throw UserError(told + otherwise);
  throw EnvironmentError("{}; {}", told, remedy);
}

std::string read_text_file(const std::filesystem::path& path, const std::function<std::string()>& remedy) {
  const std::unique_ptr<std::FILE, Close> file(open_to_read(path));
  std::string text;
  std::array<char, std::size_t{1} << 16U> block{};
  while (file != nullptr) {
    const std::size_t count = std::fread(block.data(), 1, block.size(), file.get());
    text.append(block.data(), count);
    if (count == block.size() && text.size() <= most_bytes) continue;
    if (std::ferror(file.get()) == 0) return text;
    break;
  }
  const int error = errno;
  fail_with(fmt::format("cannot read {}", path.string()), error, remedy ? remedy() : "");
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  [[maybe_unused]] const IgnoreFileSizeSignal ignore{};
  TemporaryFile file(path);
  file.write(text);
  file.rename_to_target();
  flush_directory(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail(path, error.value());
  if (!std::filesystem::is_directory(path)) fail(path, ENOTDIR);
}

void check_writable(const std::filesystem::path& path) {
  std::filesystem::path there = std::filesystem::absolute(path);
  std::error_code error;
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  if (!std::filesystem::is_directory(there, error)) fail(path, ENOTDIR);
  if (!is_writable(there)) fail(path, errno);
}

void check_room(const std::filesystem::path& directory) {
  const std::filesystem::path probe = directory / "room";
  replace_file(probe, std::string(std::size_t{1} << 20U, ' '));
  std::error_code ignored;
  std::filesystem::remove(probe, ignored);
}

TemporaryDirectory::TemporaryDirectory() {
  const char* const chosen = std::getenv("TMPDIR");
  const std::filesystem::path parent = chosen == nullptr || *chosen == '\0' ? temporary_directories() : chosen;
  path_ = create_temporary_directory(parent);
  if (path_.empty()) {
    throw EnvironmentError("no temporary directory in {}: {}; set TMPDIR to one that has room and may be written",
                           parent.string(), std::strerror(errno));
  }
}

void TemporaryDirectory::check_room() const {
  try {
    harness::check_room(path_);
  } catch (const CommandError& error) {
    throw EnvironmentError("{}, or set TMPDIR to a directory that has room", error.what());
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

#ifndef __linux__
std::filesystem::path file_for_children(std::string_view text) {
  static const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "results.json";
  replace_file(file, text);
  return file;
}

bool is_whole_library(const std::filesystem::path&) { return true; }

#endif

}  // namespace stowage::harness
