#pragma once

#include <algorithm>
#include <boost/core/noncopyable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// Children die with us, however we end: the kernel signals them when the thread that has started them is gone. Each
// throws EnvironmentError if the machine lacks processes, memory or open files for another child.
namespace stowage::harness {

struct ProcessResult {
  int exit_code = 0;   ///< 128 + n if signal n ended the process, as in a shell; 127 if it could not be started
  std::string output;  ///< of stdout, if it was captured
};

/// `NAME=value` pairs that a child process has beside, or instead of, the ones it inherits.
using ExtraEnvironment = std::vector<std::string>;

/// How a child ends if we die: one that is asked to can end its own children, as Ninja does.
enum class AtOurDeath { killed, asked_to_end };

/// Runs `command` (its first word is a path) and waits for it. It shares stdin, stdout and stderr with this process.
[[nodiscard]] int run_process(const std::vector<std::string>& command, const ExtraEnvironment& extra = {});

/// The same with stdout captured and stderr silent.
[[nodiscard]] ProcessResult capture_process(const std::vector<std::string>& command,
                                            const ExtraEnvironment& extra = {});

/// Runs `command` until it ends; its exit code. Once `stop` says so the process gets SIGINT, is waited for, and nothing
/// is returned. stdout and stderr go to `log` if there is one; throws UserError if that cannot be written. May be
/// called by several threads at a time.
[[nodiscard]] std::optional<int> run_until_stopped(const std::vector<std::string>& command,
                                                   const std::function<bool()>& stop,
                                                   const std::optional<std::filesystem::path>& log = std::nullopt,
                                                   AtOurDeath end = AtOurDeath::killed,
                                                   const ExtraEnvironment& extra = {});

/// A child process with which lines are exchanged over its stdin and stdout; its stderr is silent. It inherits nothing
/// of our environment, and has a process group of its own, which is killed with everything in it when this object goes.
class LineProcess : boost::noncopyable {
 public:
  /// Starts `command` (its first word is a path) in `directory`, with an `environment` of NAME=VALUE. Throws
  /// std::system_error if that fails.
  LineProcess(const std::vector<std::string>& command, const std::filesystem::path& directory,
              const std::vector<std::string>& environment = {});
  ~LineProcess();

  /// False if the process does not listen any more.
  [[nodiscard]] bool send(const std::string& line);
  /// The next line, if there is one whole; never waits.
  [[nodiscard]] std::optional<std::string> receive();
  /// Whether all of its output was read and there will be no more.
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  /// Waits for it; the exit code as in ProcessResult. Only after has_ended().
  [[nodiscard]] int exit_code();
  /// What becomes readable when receive() may have something new.
  [[nodiscard]] int descriptor() const noexcept { return socket_; }

 private:
  int socket_ = -1;
  int process_ = 0;  ///< 0 once it was waited for
  bool ended_ = false;
  std::string received_;
};

/// The words as one text, which the system's shell, or the C library of a started program, takes apart again.
[[nodiscard]] std::string command_line(const std::vector<std::string>& words);

#ifdef _WIN32
inline constexpr char path_separator = ';';  ///< between the directories of PATH and PYTHONPATH
inline constexpr const char* program_suffix = ".exe";
#else
inline constexpr char path_separator = ':';
inline constexpr const char* program_suffix = "";
#endif

/// The directories of PATH, in order, without those that depend on the working directory.
[[nodiscard]] inline std::vector<std::filesystem::path> search_path() {
  const char* variable = std::getenv("PATH");
  std::istringstream directories(variable == nullptr ? "" : variable);
  std::vector<std::filesystem::path> paths;
  for (std::string directory; std::getline(directories, directory, path_separator);) {
    if (std::filesystem::path(directory).is_absolute()) paths.emplace_back(directory);
  }
  return paths;
}

/// Whether `path` is a file that may be executed.
[[nodiscard]] bool is_executable(const std::filesystem::path& path);

/// The file that a program's name stands for in PATH, or its path for; none if there is none that may be executed.
[[nodiscard]] inline std::optional<std::filesystem::path> find_program(const std::filesystem::path& name) {
  std::filesystem::path file = name;
  if (!name.has_extension()) file += program_suffix;
  if (name.has_parent_path()) return is_executable(file) ? std::optional(file) : std::nullopt;
  for (const std::filesystem::path& directory : search_path()) {
    if (is_executable(directory / file)) return directory / file;
  }
  return std::nullopt;
}

/// How many threads this machine runs at once; 1 if it does not say.
[[nodiscard]] inline std::size_t processors() noexcept { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace stowage::harness
