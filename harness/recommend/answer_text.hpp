#pragma once

#include <cstddef>
#include <string>

#include "harness/recommend/answer.hpp"

namespace stowage::harness {

/// The answer as a person reads it in a terminal: who, why, the ranking, and what to know before taking it. In lines of
/// `width` characters.
[[nodiscard]] std::string answer_text(const Answer& answer, std::size_t width = 100);

}  // namespace stowage::harness
