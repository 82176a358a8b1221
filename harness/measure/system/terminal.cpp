#include "harness/measure/system/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace stowage::harness {

bool stderr_is_terminal() noexcept { return isatty(STDERR_FILENO) == 1; }

std::size_t page_columns() noexcept {
  constexpr std::size_t fewest = 80;
  constexpr std::size_t most = 100;
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return most;
  return std::clamp<std::size_t>(window.ws_col, fewest, most);
}

}  // namespace stowage::harness
