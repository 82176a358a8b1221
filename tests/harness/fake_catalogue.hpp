#pragma once

#include "harness/catalogue.hpp"

namespace stowage::harness::fake {

/// Strategies that do as little as it takes to go through the harness, each with one trait worth testing:
///   reference        the floor
///   fast, twin       well-behaved
///   slow             sleeps in prepare(): a run of it can be interrupted
///   wrong            its checksum differs
///   lazy             works through fewer items than the others
///   throwing         its constructor throws
///   fragile          throws in the first pass after it was verified and calibrated
///   forgetful        holds 8 bytes that its memory() does not tell
///   mismodelled      fails the check against the reference model
///   reference.loop   a yardstick
/// and workloads: `walk` (repeatable, axis via:each|find), `build` (not repeatable; `mismodelled` takes no part) and
/// `crowd` (nothing below 4k entities).
[[nodiscard]] Catalogue make();

}  // namespace stowage::harness::fake
