#pragma once

// This header alone needs oneTBB (libtbb-dev, "tbb" in vcpkg): programs that include it link TBB::tbb.
#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <stowage/parallel/each_divided.hpp>

namespace stowage {

/// Works through chunks 0 to `chunks` on the threads of the caller's oneTBB arena and returns when all are done. While
/// it waits, the calling thread takes up no other work, which could find a row half changed by its own thread.
inline void run_on_tbb(std::size_t chunks, ChunkWork work) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks),
                      [work](const tbb::blocked_range<std::size_t>& range) { work(range.begin(), range.end()); });
  });
}

/// each<Cs...>(fn) by all threads of the caller's oneTBB arena:
///
///     stowage::each_parallel<Position, const Velocity>(scene, 4096, [](Position& p, const Velocity& v) { p += v; });
///
/// `fn(refs...)` or `fn(Entity, refs...)` is called for every entity that has all of Cs, by several threads at once:
/// see each_divided() for what it may do and what `grain` means. A chunk should take about ten microseconds: for a loop
/// as short as the one above that is some thousands of rows. If `fn` throws, chunks that have not begun are left out,
/// and the first exception leaves when the others have ended. May be nested. The arena decides how many threads take
/// part: call it inside tbb::task_arena::execute() to choose them.
template <class... Cs, class S, class Fn>
void each_parallel(S& storage, std::size_t grain, Fn&& fn) {
  each_divided<Cs...>(storage, grain, fn, &run_on_tbb);
}

}  // namespace stowage
