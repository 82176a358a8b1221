#include "harness/system/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/system/progress.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// Some network file systems lock only what is open for writing.
int open_file(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
  return descriptor >= 0 ? descriptor : open(path.c_str(), O_RDONLY | O_NOFOLLOW);
}

/// The process that has locked the file, by a line of /proc/locks such as
/// "1: FLOCK  ADVISORY  WRITE 12191 fe:00:10953073 0 EOF".
std::optional<int> holder_of(int descriptor) {
  struct stat file{};
  if (fstat(descriptor, &file) != 0) return std::nullopt;
  const std::string inode = fmt::format(":{}", file.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream fields(line);
    std::string number;
    std::string kind;
    std::string advisory;
    std::string access;
    std::string place;
    int process = 0;
    fields >> number >> kind >> advisory >> access >> process >> place;
    if (kind == "FLOCK" && process > 0 && place.ends_with(inode)) return process;
  }
  return std::nullopt;
}

/// "process 12191 (stowage run --out same)"
std::string description_of(std::optional<int> process) {
  if (!process) return "another process";
  std::string command = system_text(fmt::format("/proc/{}/cmdline", *process));
  while (command.ends_with('\0')) command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  constexpr std::size_t most = 120;
  if (command.size() > most) command = command.substr(0, most) + "...";
  return fmt::format("process {} of this machine ({})", *process, command);
}

}  // namespace

Lock::Lock(const fs::path& directory, const std::string& remedy)
    : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY)) {
  if (!is_taken()) return;
  const std::string holder = description_of(holder_of(descriptor_));
  close(descriptor_);
  throw UserError("{} is in use by {}; {}", directory.string(), holder, remedy);
}

Lock::Lock(const fs::path& file, const std::function<bool()>& stop) : descriptor_(open_file(file)) {
  for (bool is_first = true; is_taken(); is_first = false) {
    if (is_first) {
      say("waiting for {}, which has locked {}", description_of(holder_of(descriptor_)), file.string());
    }
    if (stop()) {
      close(descriptor_);
      throw Interrupted("interrupted while another stowage was at work");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

Lock::~Lock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool Lock::is_taken() const {
  return descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace stowage::harness
