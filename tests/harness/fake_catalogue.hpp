#pragma once

#include <cstddef>

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
///   forgetful        holds 8 bytes that its memory() does not count
///   mismodelled      fails the check against the reference model
///   narrow           takes part in `walk` alone, with at most 4096 entities
///   stumbling        takes part in `march` alone, and throws in its seventh frame
///   moody            does other work when it is made again
///   reference.loop   a yardstick, which has no frames
/// and workloads: `walk` (repeatable, axis via:each|find), `build` (not repeatable; `mismodelled` takes no part),
/// `crowd` (nothing below 4k entities) and `march` (framed but with on:hold; on:foot is not repeatable; sizes of its
/// own), in which `reference`, `fast`, `twin` (it moves 3 rows a frame), `wrong` and `stumbling` take part.
[[nodiscard]] Catalogue make();

/// Nanoseconds that the frames of `march` took so far.
extern double frame_clock_ns;
/// What each preparation of `march` takes of it: nothing unless a test sets it.
extern double frame_preparing_ns;

/// Cases made so far.
extern std::size_t cases_made;

}  // namespace stowage::harness::fake
