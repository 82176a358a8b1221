// The parts of the layer that differ between operating systems, and how processes are started, for Windows. Texts are
// UTF-8 everywhere: stowage.manifest makes it the code page of this process.
#include <fmt/format.h>
#include <io.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cwchar>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/process.hpp"
#include "harness/system/progress.hpp"

#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <fcntl.h>
#include <sys/stat.h>
#include <windows.h>

#if defined(__MINGW32__) && !defined(_UCRT)
/// By which std::filesystem::path reads a text. The C library of old compilers for Windows knows no locale of UTF-8,
/// and its own version takes each byte for a letter. No letter outside of the first 65536: one call returns one
/// wchar_t.
extern "C" std::size_t mbrtowc(wchar_t* letter, const char* text, std::size_t room, std::mbstate_t*) {
  if (text == nullptr) return 0;
  if (room == 0) return static_cast<std::size_t>(-2);
  const auto first = static_cast<unsigned char>(*text);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 0;
  if (length == 0) return static_cast<std::size_t>(-1);
  if (room < length) return static_cast<std::size_t>(-2);
  unsigned value = length == 1 ? first : first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  if (letter != nullptr) *letter = static_cast<wchar_t>(value);
  return value == 0 ? 0 : length;
}
#endif

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

std::wstring wide(std::string_view text) {
  std::wstring letters(text.size(), L'\0');
  const int length = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), letters.data(),
                                         static_cast<int>(letters.size()));
  letters.resize(static_cast<std::size_t>(length));
  return letters;
}

}  // namespace

fs::path own_executable() {
  std::array<wchar_t, 32768> path{};
  const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  return fs::path(std::wstring_view(path.data(), length));
}

void open_standard_streams() {
  for (const int stream : {1, 2}) _setmode(stream, _O_BINARY);  // JSON and tables have the same bytes everywhere
  SetConsoleOutputCP(CP_UTF8);
}

void check_open_files() { _setmaxstdio(2048); }

std::string owner_of(const fs::path&) { return "another user"; }

/// By trying it: an attribute of a directory says nothing about what is made in it.
bool is_writable(const fs::path& directory) {
  const fs::path made = create_temporary_directory(directory);
  std::error_code ignored;
  return !made.empty() && fs::remove(made, ignored);
}

std::FILE* open_to_read(const fs::path& path) { return _wfopen(path.c_str(), L"rbN"); }

int create_new_file(const fs::path& path) {
  return _wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
}

bool flush_file(int descriptor) { return _commit(descriptor) == 0; }
void flush_directory(const fs::path&) {}

fs::path create_temporary_directory(const fs::path& parent) {
  static std::atomic<unsigned> made = 0;
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    const fs::path path = parent / fmt::format("stowage.{}-{}", GetCurrentProcessId(), made++);
    if (CreateDirectoryW(path.c_str(), nullptr) != 0) return path;
    if (GetLastError() == ERROR_ALREADY_EXISTS) continue;
    errno = GetLastError() == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
    return {};
  }
  errno = EEXIST;
  return {};
}

fs::path temporary_directories() {
  std::error_code ignored;
  return fs::temp_directory_path(ignored);
}

/// A named mutex that exists as long as a process has it: nothing is written to the disk, and directories have locks
/// too. None, which is -1, if the system has none for it.
static std::optional<std::intptr_t> try_to_lock(const fs::path& place) {
  std::error_code ignored;
  const std::wstring key = fs::weakly_canonical(fs::absolute(place, ignored), ignored).wstring();
  const std::wstring name = wide(fmt::format("stowage-{:016x}", std::hash<std::wstring>{}(key)));
  const HANDLE mutex = CreateMutexW(nullptr, FALSE, name.c_str());
  if (mutex == nullptr) return -1;
  if (GetLastError() != ERROR_ALREADY_EXISTS) return reinterpret_cast<std::intptr_t>(mutex);
  CloseHandle(mutex);
  return std::nullopt;
}

Lock::Lock(const fs::path& directory, const std::string& remedy) {
  const std::optional<std::intptr_t> taken = try_to_lock(directory);
  if (!taken) throw UserError("{} is in use by another process; {}", directory.string(), remedy);
  descriptor_ = *taken;
}

Lock::Lock(const fs::path& file, const std::function<bool()>& stop) {
  std::optional<std::intptr_t> taken = try_to_lock(file);
  if (!taken) say("waiting for another process, which has locked {}", file.string());
  for (; !taken; taken = try_to_lock(file)) {
    if (stop()) throw Interrupted("interrupted while another stowage was at work");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  descriptor_ = *taken;
}

Lock::~Lock() {
  if (descriptor_ != -1) CloseHandle(reinterpret_cast<HANDLE>(descriptor_));
}

const char* signal_name(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "SEGV";
    case SIGABRT:
      return "ABRT";
    default:
      return "signal";
  }
}

void handle_crashes(void (*handler)(int signal)) {
  for (const int signal : {SIGSEGV, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, handler);
}

std::optional<std::size_t> stdout_columns() noexcept { return std::nullopt; }

// Nothing counts the time of all processes, with which ours would be compared; in wine /proc/stat can be read.
double own_processor_s() { return 0; }
double clock_ticks_per_s() { return 0; }

std::string instruction_set() { return "x86_64"; }

static std::string registry_text(const wchar_t* key, const wchar_t* name) {
  std::array<wchar_t, 256> text{};
  DWORD bytes = sizeof(text) - sizeof(wchar_t);
  RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, nullptr, text.data(), &bytes);
  return fs::path(text.data()).string();
}

/// Version functions tell a program what its manifest says that it knows.
std::string operating_system() {
  constexpr const wchar_t* key = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
  const std::string name =
      fmt::format("{}, build {}", registry_text(key, L"ProductName"), registry_text(key, L"CurrentBuildNumber"));
  const bool is_wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
  return is_wine ? name + ", of wine" : name;
}

std::string processor_name() {
  return registry_text(L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString");
}

std::uint64_t page_bytes() {
  SYSTEM_INFO system{};
  GetSystemInfo(&system);
  return system.dwPageSize;
}

std::uint64_t memory_bytes() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof(memory);
  return GlobalMemoryStatusEx(&memory) == 0 ? 0 : memory.ullTotalPhys;
}

namespace {

constexpr int could_not_start = 127;

struct HandleCloser {
  void operator()(HANDLE handle) const { CloseHandle(handle); }
};
using Handle = std::unique_ptr<void, HandleCloser>;

/// Ends what is in it when this process ends, however that happens: its handle is closed then.
HANDLE job_of_children() {
  static const HANDLE job = [] {
    const HANDLE made = CreateJobObjectW(nullptr, nullptr);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    SetInformationJobObject(made, JobObjectExtendedLimitInformation, &limits, sizeof(limits));
    return made;
  }();
  return job;
}

/// A stream of a child: `handle`, or ours of that number if it is null.
HANDLE stream(const Handle& handle, DWORD number) {
  if (!handle) return GetStdHandle(number);
  SetHandleInformation(handle.get(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  return handle.get();
}

/// Null if it cannot be started. The variables of `extra` become ours, too, but not those that std::getenv sees.
Handle start(const std::vector<std::string>& command, const ExtraEnvironment& extra, const Handle& output = {},
             const Handle& errors = {}) {
  for (const std::string& pair : extra) {
    const std::size_t equals = pair.find('=');
    SetEnvironmentVariableW(wide(pair.substr(0, equals)).c_str(), wide(pair.substr(equals + 1)).c_str());
  }
  STARTUPINFOW streams{};
  streams.cb = sizeof(streams);
  streams.dwFlags = STARTF_USESTDHANDLES;
  streams.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
  streams.hStdOutput = stream(output, STD_OUTPUT_HANDLE);
  streams.hStdError = stream(errors, STD_ERROR_HANDLE);
  std::wstring words = wide(command_line(command));
  PROCESS_INFORMATION process{};
  if (CreateProcessW(nullptr, words.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED, nullptr, nullptr, &streams,
                     &process) == 0) {
    return {};
  }
  AssignProcessToJobObject(job_of_children(), process.hProcess);
  ResumeThread(process.hThread);
  CloseHandle(process.hThread);
  return Handle(process.hProcess);
}

int wait_for(const Handle& process) {
  if (!process) return could_not_start;
  WaitForSingleObject(process.get(), INFINITE);
  DWORD code = 0;
  GetExitCodeProcess(process.get(), &code);
  return static_cast<int>(code);
}

Handle open_to_write(const fs::path& path) {
  const HANDLE file = CreateFileW(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ, nullptr, CREATE_ALWAYS, 0, nullptr);
  if (file != INVALID_HANDLE_VALUE) return Handle(file);
  throw UserError("cannot open {}: {}; choose a place that you may write to", path.string(),
                  std::system_category().message(static_cast<int>(GetLastError())));
}

}  // namespace

/// As the C library of Windows takes a command line apart.
std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_of(" \t\"") == std::string::npos) {
      line += word;
      continue;
    }
    line += '"';
    std::size_t backslashes = 0;
    for (const char letter : word) {
      if (letter == '"') line.append(backslashes + 1, '\\');
      backslashes = letter == '\\' ? backslashes + 1 : 0;
      line += letter;
    }
    line.append(backslashes, '\\');
    line += '"';
  }
  return line;
}

int run_process(const std::vector<std::string>& command, const ExtraEnvironment& extra) {
  return wait_for(start(command, extra));
}

ProcessResult capture_process(const std::vector<std::string>& command, const ExtraEnvironment& extra) {
  HANDLE ends[2];
  if (CreatePipe(&ends[0], &ends[1], nullptr, 0) == 0) throw EnvironmentError("cannot start {}", command.at(0));
  const Handle reader(ends[0]);
  Handle writer(ends[1]);
  const Handle nothing = open_to_write("NUL");
  const Handle process = start(command, extra, writer, nothing);
  writer.reset();
  std::string output;
  std::array<char, 4096> buffer{};
  DWORD count = 0;
  while (ReadFile(reader.get(), buffer.data(), static_cast<DWORD>(buffer.size()), &count, nullptr) != 0 && count > 0) {
    output.append(buffer.data(), count);
  }
  return {wait_for(process), std::move(output)};
}

std::optional<int> run_until_stopped(const std::vector<std::string>& command, const std::function<bool()>& stop,
                                     const std::optional<fs::path>& log, AtOurDeath, const ExtraEnvironment& extra) {
  const Handle file = log ? open_to_write(*log) : Handle();
  const Handle process = start(command, extra, file, file);
  while (process && WaitForSingleObject(process.get(), 20) == WAIT_TIMEOUT) {
    if (!stop()) continue;
    constexpr DWORD patience_ms = 5000;  // Ctrl+C of a console goes to the child, too
    if (WaitForSingleObject(process.get(), patience_ms) == WAIT_TIMEOUT) TerminateProcess(process.get(), 130);
    return std::nullopt;
  }
  return stop() ? std::nullopt : std::optional(wait_for(process));
}

// Valgrind, with which lines are exchanged, does not run on Windows.
LineProcess::~LineProcess() = default;

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace stowage::harness
