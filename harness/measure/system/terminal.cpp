#include "harness/measure/system/terminal.hpp"

#include <unistd.h>

namespace stowage::harness {

bool stderr_is_terminal() noexcept { return isatty(STDERR_FILENO) == 1; }

}  // namespace stowage::harness
