#include "harness/system/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves the declaration to us

namespace stowage::harness {
namespace {

constexpr int could_not_start = 127;

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Our environment with every variable of `extra` replaced or added.
std::vector<std::string> environment_with(const ExtraEnvironment& extra) {
  const auto is_replaced = [&extra](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    return std::ranges::any_of(extra, [name](const std::string& pair) { return pair.starts_with(name); });
  };
  std::vector<std::string> environment = extra;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_replaced(*variable)) environment.emplace_back(*variable);
  }
  return environment;
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  posix_spawn_file_actions_t* get() noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Makes a child the leader of a process group of its own.
class OwnGroup {
 public:
  OwnGroup() {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  OwnGroup(const OwnGroup&) = delete;
  OwnGroup& operator=(const OwnGroup&) = delete;
  ~OwnGroup() { posix_spawnattr_destroy(&attributes_); }

  [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::optional<pid_t> spawn(const std::vector<std::string>& command, const ExtraEnvironment& extra,
                           FileActions& actions) {
  const std::vector<std::string> environment = environment_with(extra);
  pid_t child = 0;
  const int error = posix_spawn(&child, command.at(0).c_str(), actions.get(), nullptr, pointers_to(command).data(),
                                pointers_to(environment).data());
  return error == 0 ? std::optional(child) : std::nullopt;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code_of(status);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

int run_process(const std::vector<std::string>& command, const ExtraEnvironment& extra) {
  FileActions actions;
  const std::optional<pid_t> child = spawn(command, extra, actions);
  return child ? wait_for(*child) : could_not_start;
}

std::optional<int> run_until_stopped(const std::vector<std::string>& command, const std::function<bool()>& stop,
                                     const std::optional<std::filesystem::path>& log) {
  FileActions actions;
  if (log) {
    posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, log->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(actions.get(), STDOUT_FILENO, STDERR_FILENO);
  }
  const std::optional<pid_t> child = spawn(command, {}, actions);
  if (!child) return could_not_start;
  int status = 0;
  while (waitpid(*child, &status, WNOHANG) == 0) {
    if (stop()) {
      kill(*child, SIGINT);
      wait_for(*child);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return stop() ? std::nullopt : std::optional(exit_code_of(status));
}

ProcessResult capture_process(const std::vector<std::string>& command, const ExtraEnvironment& extra) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const auto [reader, writer] = ends;
  FileActions actions;
  posix_spawn_file_actions_adddup2(actions.get(), writer, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(actions.get(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const std::optional<pid_t> child = spawn(command, extra, actions);
  close(writer);
  std::string output = read_all(reader);
  close(reader);
  return {child ? wait_for(*child) : could_not_start, std::move(output)};
}

LineProcess::LineProcess(const std::vector<std::string>& command, const std::filesystem::path& directory,
                         const std::vector<std::string>& environment) {
  // A socket and no pipes, because writing to a pipe without a reader would end this process.
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  const auto [ours, theirs] = ends;
  FileActions actions;
  posix_spawn_file_actions_adddup2(actions.get(), theirs, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), theirs, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(actions.get(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(actions.get(), directory.c_str());
  const OwnGroup group;
  const int error = posix_spawn(&process_, command.at(0).c_str(), actions.get(), group.get(),
                                pointers_to(command).data(), pointers_to(environment).data());
  close(theirs);
  socket_ = ours;
  if (error == 0) return;
  close(socket_);
  throw std::system_error(error, std::generic_category(), command[0]);
}

LineProcess::~LineProcess() {
  close(socket_);
  if (process_ == 0) return;
  kill(-process_, SIGKILL);
  wait_for(process_);
}

bool LineProcess::send(const std::string& line) {
  const std::string text = line + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t count = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::string> LineProcess::receive() {
  std::array<char, 4096> buffer{};
  while (!ended_ && received_.find('\n') == std::string::npos) {
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return std::nullopt;
    } else if (count == 0 || errno != EINTR) {
      ended_ = true;
    }
  }
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

int LineProcess::exit_code() { return wait_for(std::exchange(process_, 0)); }

std::vector<std::filesystem::path> search_path() {
  const char* variable = std::getenv("PATH");
  std::istringstream directories(variable == nullptr ? "" : variable);
  std::vector<std::filesystem::path> paths;
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (directory.starts_with('/')) paths.emplace_back(directory);  // not found from the working directory
  }
  return paths;
}

bool is_executable(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace stowage::harness
