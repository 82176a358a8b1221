#pragma once

#include <string>

#include "harness/recommend/answer.hpp"

namespace stowage::harness {

/// The answer as a person reads it in a terminal: who, why, the ranking, and what to know before taking it.
[[nodiscard]] std::string answer_text(const Answer& answer);

}  // namespace stowage::harness
