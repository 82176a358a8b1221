#pragma once

#include <string>

#include "harness/recommend/answer.hpp"

namespace stowage::harness {

/// `{winner, tied, ranking: [{strategy, frame_ns, interval, frame_p99_ns, bytes_per_entity, broken_budgets, ...}],
/// reasons, ...}`. What is not known is absent, or null where readers rely on the name.
[[nodiscard]] std::string answer_json(const Answer& answer);

}  // namespace stowage::harness
