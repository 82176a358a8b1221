#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <stowage/contract/assert.hpp>

// each_divided: a loop over entities in chunks that any threads may work through. each_parallel.hpp is this on oneTBB;
// a program with a job system of its own calls this and hands the chunks out itself.
//
//     rows that each<Cs...>() would visit, pool after pool or section after section: the steps of the loop
//     [ chunk 0: 64 x n rows ][ chunk 1 ][ chunk 2 ] ... [ last chunk, perhaps shorter ]
//            thread A              B          A
//
//     each_divided:  steps = storage.loop_steps<Cs...>()
//                    schedule(chunks, work)             the caller's job system
//                    work(first, end), on any thread:   storage.each_step<Cs...>(first step, end step, fn)

namespace stowage {

/// The work on a run of chunks: two pointers, to be called until the each_divided() that made it returns.
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

/// Chunks begin at multiples of this many steps of the loop. So the bytes of one component between two borders are a
/// multiple of a cache line, whatever its size. In the first pool or set that a loop visits, threads share no line. The
/// others begin at any step, and two threads may share one line of a component at each border.
inline constexpr std::size_t chunk_step = 64;

/// each<Cs...>(fn) in chunks of `grain` rows, rounded up to chunk_step. Calls `schedule(chunks, work)` once, or never
/// if there is nothing to visit. `schedule` calls `work(first, end)`, a ChunkWork, on whatever threads it likes, so
/// that every chunk from 0 to `chunks` is in one call, and returns when all calls have ended. Small sections are merged
/// to a chunk, large arrays are split.
///
/// `fn` is shared: several threads call it at once, for another entity each, in no order. It may write the components
/// it is given. Changing the structure of the storage is an assertion, even if the semantics card allows it inside
/// each(). An exception of `fn` leaves through `work`; some of the other rows have been visited then. `grain` is not 0.
/// O(chunks x component sets that match) beside the loop; allocates no more than each(). Invalidates nothing.
template <class... Cs, class S, class Fn, class Schedule>
void each_divided(S& storage, std::size_t grain, Fn&& fn, Schedule&& schedule) {
  static_assert(S::semantics.parallel_rows.kept, "the semantics card of this storage does not promise parallel_rows");
  STOWAGE_ASSERT(grain != 0, "a chunk has one row at least");
  const std::size_t steps = storage.template loop_steps<Cs...>();
  if (steps == 0) return;
  const std::size_t chunk = (std::clamp<std::size_t>(grain, 1, steps) + chunk_step - 1) / chunk_step * chunk_step;
  const auto visit = [&](std::size_t first, std::size_t end) {
    storage.template each_step<Cs...>(first * chunk, (std::min)(end * chunk, steps), fn);
  };
  schedule((steps + chunk - 1) / chunk, ChunkWork(visit));
}

}  // namespace stowage
