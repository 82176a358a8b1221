#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

// What operating systems do in different ways, and nothing else of stowage does. Processes are in process.hpp.
namespace stowage::harness {

/// The file of this program; empty if the system does not tell.
[[nodiscard]] std::filesystem::path own_executable();
/// What starts this program again as a child. Linux still has its file if that was replaced, as by a build.
[[nodiscard]] inline std::string own_command() {
  const std::filesystem::path file = own_executable();
  std::error_code ignored;
  return std::filesystem::exists(file, ignored) ? file.string() : "/proc/self/exe";
}
/// Makes sure that no file which is opened later takes the place of a standard stream that was closed.
void open_standard_streams();
/// Checks that modules, Python and the processes of a simulation may be open at once. Raises the shell's limit if that
/// is allowed, else throws EnvironmentError.
void check_open_files();

/// The user's name, or a number.
[[nodiscard]] std::string owner_of(const std::filesystem::path& path);
/// Whether this user may make files in a directory; else errno says why not.
[[nodiscard]] bool is_writable(const std::filesystem::path& directory);
/// Null with errno if that fails.
[[nodiscard]] std::FILE* open_to_read(const std::filesystem::path& path);
/// A descriptor for a new file at `path`, to write to; -1 with errno if there is one, or none can be made.
[[nodiscard]] int create_new_file(const std::filesystem::path& path);
/// Whether all that was written is on the disk; else errno says why.
[[nodiscard]] bool flush_file(int descriptor);
/// Makes what was renamed in a directory durable. Best effort: not every file system can.
void flush_directory(const std::filesystem::path& directory);
/// Makes an empty directory, for this user alone, whose name no one can foresee. Empty, with errno, if that fails.
[[nodiscard]] std::filesystem::path create_temporary_directory(const std::filesystem::path& parent);
/// Where temporary files go unless the user says otherwise.
[[nodiscard]] std::filesystem::path temporary_directories();
/// The name of a file, on no disk if the system has such, by which children read `text`. It lasts as long as this
/// process.
[[nodiscard]] std::filesystem::path file_for_children(std::string_view text);
/// Whether a shared library has all its bytes, if the dynamic linker does not ask.
[[nodiscard]] bool is_whole_library(const std::filesystem::path& file);

/// "SEGV"
[[nodiscard]] const char* signal_name(int signal) noexcept;
/// Of the signals of a crash, on a stack of its own if the system can.
void handle_crashes(void (*handler)(int signal));
/// Of the terminal that stdout is; none if it is no terminal, or if the system does not tell.
[[nodiscard]] std::optional<std::size_t> stdout_columns() noexcept;

/// Processor time of this process and of its children that have ended.
[[nodiscard]] double own_processor_s();
/// In which /proc/stat counts; 0 if the system has none.
[[nodiscard]] double clock_ticks_per_s();
/// "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"; empty if the system does not tell.
[[nodiscard]] std::string operating_system();
/// Of the processor, as its maker has it; empty if the system does not tell.
[[nodiscard]] std::string processor_name();
/// "x86_64", also if another program executes it.
[[nodiscard]] std::string instruction_set();
[[nodiscard]] std::uint64_t page_bytes();
[[nodiscard]] std::uint64_t memory_bytes();

}  // namespace stowage::harness
