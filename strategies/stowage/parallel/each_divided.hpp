#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/semantics.hpp>

// each_divided: a loop over entities in chunks that any threads may work through. each_parallel.hpp is this on oneTBB;
// a program with a job system of its own calls this and hands the chunks out itself.

namespace stowage {

/// The work on a run of chunks: two pointers, to be called while the each_divided() that made it has not returned.
class ChunkWork {
 public:
  template <class Work>
  explicit ChunkWork(const Work& work) noexcept
      : work_(std::addressof(work)), call_([](const void* erased, std::size_t first, std::size_t end) {
          (*static_cast<const Work*>(erased))(first, end);
        }) {}

  /// Works through chunks `first` to `end`. Throws what the function throws that each_divided() was given.
  void operator()(std::size_t first, std::size_t end) const { call_(work_, first, end); }

 private:
  const void* work_;
  void (*call_)(const void*, std::size_t, std::size_t);
};

/// Chunks begin at multiples of this many steps of the loop. The bytes of one component between two of their borders
/// are a multiple of a cache line then, whatever its size: in the first pool or set that a loop visits, threads share
/// no line; in those after it, which begin at any step, two of them may share one line of a component at each border.
inline constexpr std::size_t chunk_step = 64;

/// each<Cs...>(fn) in chunks of `grain` rows, rounded up to chunk_step. Calls `schedule(chunks, work)` once, or never
/// where there is nothing to visit. That has to see to it that `work(first, end)`, a ChunkWork, is called so that every
/// chunk from 0 to `chunks` is in one call, by whatever threads, and to return when all have ended. Small sections are
/// merged to a chunk, large arrays are split.
///
/// `fn` is called by several threads at once, for another entity each, in no order: it is shared, and so is all that it
/// refers to. It may write the components it is shown. Changing the structure of the storage is an assertion, here also
/// where the semantics card allows it inside each(). An exception of `fn` leaves through `work`; of the other rows some
/// have been visited then. `grain` is not 0. O(chunks x component sets that match) beside the loop; allocates no more
/// than each().
template <class... Cs, class S, class Fn, class Schedule>
void each_divided(S& storage, std::size_t grain, Fn&& fn, Schedule&& schedule) {
  static_assert(S::semantics.parallel_rows.kept, "the semantics card of this storage does not promise parallel_rows");
  STOWAGE_ASSERT(grain != 0, "a chunk has one row at least");
  const std::size_t steps = storage.template loop_steps<Cs...>();
  if (steps == 0) return;
  const std::size_t chunk = (std::clamp<std::size_t>(grain, 1, steps) + chunk_step - 1) / chunk_step * chunk_step;
  const auto visit = [&](std::size_t first, std::size_t end) {
    storage.template each_step<Cs...>(first * chunk, std::min(end * chunk, steps), fn);
  };
  schedule((steps + chunk - 1) / chunk, ChunkWork(visit));
}

}  // namespace stowage
