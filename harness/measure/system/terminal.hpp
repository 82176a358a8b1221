#pragma once

#include <cstddef>

namespace stowage::harness {

/// Whether somebody watches stderr, so that a line may be rewritten in place.
[[nodiscard]] bool stderr_is_terminal() noexcept;

/// Characters in a line of what goes to stdout: as many as its terminal shows, but 80 at least and 100 at most; 100
/// where it is no terminal.
[[nodiscard]] std::size_t page_columns() noexcept;

}  // namespace stowage::harness
