// Starts processes that end when this one does: to wait for, to watch, to capture, or to talk to line by line.
#include "harness/system/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/system/files.hpp"
#include "harness/text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves the declaration to us

#ifdef __APPLE__  // has none of these: a child inherits both ends, and uses one
constexpr int SOCK_CLOEXEC = 0;
#ifndef MSG_NOSIGNAL
constexpr int MSG_NOSIGNAL = 0;
#endif
static int pipe2(int* ends, int) { return pipe(ends); }
#endif

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

/// A descriptor that children do not inherit under its own number.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const char* path, int flags) : number_(open(path, flags | O_CLOEXEC, 0644)) {
    if (number_ < 0) fail_with(fmt::format("cannot open {}", path), errno, "; choose a place that you may write to");
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

constexpr int inherited = -1;

/// A child that is to be started. It gets `death_signal` when the thread that has started it ends, killed or not.
struct Launch {
  const std::vector<std::string>& command;
  std::vector<std::string> environment;
  int input = inherited;
  int output = inherited;
  int errors = inherited;
  const char* directory = nullptr;
  bool leads_a_group = false;
  int death_signal = SIGKILL;
};

/// What a child does until it is another program: system calls alone, because it shares our memory until then. Returns
/// only the reason why it could not become `path`.
int become(const Launch& launch, pid_t parent, char* const* words, char* const* environment) noexcept {
  const auto put = [](int from, int to) { return from == inherited || dup2(from, to) >= 0; };
#ifdef __linux__  // elsewhere a child ends when it has nothing left to do
  if (prctl(PR_SET_PDEATHSIG, launch.death_signal) != 0) return errno;
#endif
  if (getppid() != parent) _exit(could_not_start);  // it has died since
  if (launch.leads_a_group) {
    if (setpgid(0, 0) != 0) return errno;
    std::signal(SIGTTOU, SIG_IGN);  // a terminal may stop what writes to it from the background (`stty tostop`)
  }
  if (!put(launch.input, STDIN_FILENO) || !put(launch.output, STDOUT_FILENO) || !put(launch.errors, STDERR_FILENO)) {
    return errno;
  }
  if (launch.directory != nullptr && chdir(launch.directory) != 0) return errno;
  execve(words[0], words, environment);
  return errno;
}

int wait_for(pid_t child);

struct Started {
  pid_t process = 0;
  int error = 0;  ///< why there is no such process
};

/// vfork() instead of posix_spawn(), which cannot ask for a signal at our death; fork() would copy the page tables of
/// what is being measured.
Started start(const Launch& launch) {
  const std::vector<char*> words = pointers_to(launch.command);
  const std::vector<char*> environment = pointers_to(launch.environment);
  const pid_t parent = getpid();
  volatile int error = 0;
  const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (child == 0) {
    error = become(launch, parent, words.data(), environment.data());
    _exit(could_not_start);
  }
  if (child < 0) fail_with(fmt::format("cannot start {}", launch.command.at(0)), errno, "");
  if (error != 0) wait_for(child);
  return {child, error};
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
  const Started child = start({.command = command, .environment = environment_with(extra)});
  return child.error == 0 ? wait_for(child.process) : could_not_start;
}

std::optional<int> run_until_stopped(const std::vector<std::string>& command, const std::function<bool()>& stop,
                                     const std::optional<std::filesystem::path>& log, AtOurDeath end,
                                     const ExtraEnvironment& extra) {
  Descriptor file(inherited);
  if (log) file = Descriptor(log->c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  const Started child = start({.command = command,
                               .environment = environment_with(extra),
                               .output = file.number(),
                               .errors = file.number(),
                               .leads_a_group = true,  // Ctrl-C reaches us alone: a second signal would kill it
                               .death_signal = end == AtOurDeath::killed ? SIGKILL : SIGTERM});
  if (child.error != 0) return could_not_start;
  int status = 0;
  while (waitpid(child.process, &status, WNOHANG) == 0) {
    if (stop()) {
      kill(child.process, SIGINT);
      wait_for(child.process);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return stop() ? std::nullopt : std::optional(exit_code_of(status));
}

ProcessResult capture_process(const std::vector<std::string>& command, const ExtraEnvironment& extra) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_with(fmt::format("cannot start {}", command.at(0)), errno, "");
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  const Descriptor nothing("/dev/null", O_WRONLY);
  const Started child = start({.command = command,
                               .environment = environment_with(extra),
                               .output = writer.number(),
                               .errors = nothing.number()});
  writer.close();
  std::string output = read_all(reader.number());
  return {child.error == 0 ? wait_for(child.process) : could_not_start, std::move(output)};
}

LineProcess::LineProcess(const std::vector<std::string>& command, const std::filesystem::path& directory,
                         const std::vector<std::string>& environment) {
  // A socket and no pipes, because writing to a pipe without a reader would end this process.
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail_with(fmt::format("cannot start {}", command.at(0)), errno, "");
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const Descriptor nothing("/dev/null", O_WRONLY);
  const Started child = start({.command = command,
                               .environment = environment,
                               .input = theirs.number(),
                               .output = theirs.number(),
                               .errors = nothing.number(),
                               .directory = directory.c_str(),
                               .leads_a_group = true});
  if (child.error != 0) throw std::system_error(child.error, std::generic_category(), command[0]);
  process_ = child.process;
  socket_ = ours.release();
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

std::string command_line(const std::vector<std::string>& words) { return shell_line(words); }

bool is_executable(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace stowage::harness
