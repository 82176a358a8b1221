#pragma once

namespace stowage::harness {

/// Whether somebody watches stderr, so that a line may be rewritten in place.
[[nodiscard]] bool stderr_is_terminal() noexcept;

}  // namespace stowage::harness
