// The parts of the layer that differ between operating systems, for Linux, and untried for macOS.
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#include <sys/sysctl.h>

#include <climits>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/system/platform.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;

fs::path own_executable() {
  std::error_code unknown;
#ifdef __APPLE__
  std::array<char, PATH_MAX> path{};
  std::uint32_t size = path.size();
  return _NSGetExecutablePath(path.data(), &size) == 0 ? fs::canonical(path.data(), unknown) : fs::path();
#else
  return fs::read_symlink("/proc/self/exe", unknown);
#endif
}

void open_standard_streams() {
  while (true) {
    const int descriptor = open("/dev/null", O_RDONLY);
    if (descriptor > STDERR_FILENO) close(descriptor);
    if (descriptor < 0 || descriptor > STDERR_FILENO) return;
  }
}

void check_open_files() {
  constexpr rlim_t wanted = 1024;
  constexpr rlim_t least = 128;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= least) return;
  throw EnvironmentError("only {} files may be open at once here; raise the limit: ulimit -n {}", limit.rlim_cur,
                         wanted);
}

std::string owner_of(const fs::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return "another user";
  const passwd* const owner = getpwuid(status.st_uid);
  return owner == nullptr ? fmt::to_string(status.st_uid) : owner->pw_name;
}

bool is_writable(const fs::path& directory) { return access(directory.c_str(), W_OK | X_OK) == 0; }

std::FILE* open_to_read(const fs::path& path) { return std::fopen(path.c_str(), "re"); }

int create_new_file(const fs::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool flush_file(int descriptor) { return fsync(descriptor) == 0; }

void flush_directory(const fs::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

fs::path create_temporary_directory(const fs::path& parent) {
  std::string pattern = (parent / "stowage.XXXXXX").string();
  return mkdtemp(pattern.data()) == nullptr ? fs::path() : fs::path(pattern);
}

fs::path temporary_directories() { return "/tmp"; }

#ifdef __linux__

fs::path file_for_children(std::string_view text) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files holds for these too
  const int file = memfd_create("results", 0);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw EnvironmentError("no memory for the figures");
  }
  return fmt::format("/proc/self/fd/{}", file);
}

/// An ELF file ends with its section table. The dynamic linker trusts the sizes in a file, and crashes if it is cut.
bool is_whole_library(const fs::path& file) {
  ElfW(Ehdr) head{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(&head), sizeof(head))) return false;
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
         head.e_shoff + std::uint64_t{head.e_shnum} * head.e_shentsize <= fs::file_size(file);
}

#endif

const char* signal_name(int signal) noexcept {
#ifdef __linux__
  const char* const name = sigabbrev_np(signal);
#else
  const char* const name = strsignal(signal);
#endif
  return name == nullptr ? "signal" : name;
}

void handle_crashes(void (*handler)(int signal)) {
  static std::array<char, 64 * 1024> stack;  // the usual one may be what has overflowed
  stack_t own{};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

std::optional<std::size_t> stdout_columns() noexcept {
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return std::nullopt;
  return window.ws_col;
}

double own_processor_s() {
  double sum_s = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      sum_s += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    }
  }
  return sum_s;
}

double clock_ticks_per_s() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

std::string operating_system() {
  utsname kernel{};
  const std::string release = uname(&kernel) == 0 ? fmt::format("{} {}", kernel.sysname, kernel.release) : "";
  const std::string distribution = field_of("/etc/os-release", "PRETTY_NAME", '=');
  return distribution.empty() || release.empty() ? distribution + release
                                                 : fmt::format("{}, {}", distribution, release);
}

/// ARM processors have numbers in the place of a name; `lscpu` knows what they mean.
std::string processor_name() {
#ifdef __APPLE__
  std::array<char, 256> name{};
  std::size_t size = name.size() - 1;
  sysctlbyname("machdep.cpu.brand_string", name.data(), &size, nullptr, 0);
  return name.data();
#else
  constexpr const char* file = "/proc/cpuinfo";
  std::string model = field_of(file, "model name", ':');
  if (model.empty()) model = first_line_of("/proc/device-tree/model");
  const std::string part = field_of(file, "CPU part", ':');
  return model.empty() && !part.empty() ? fmt::format("ARM {}/{}", field_of(file, "CPU implementer", ':'), part)
                                        : model;
#endif
}

std::string instruction_set() {
  utsname kernel{};
  return uname(&kernel) == 0 ? kernel.machine : "";
}

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

std::uint64_t memory_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes(); }

}  // namespace stowage::harness
