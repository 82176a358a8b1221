#include "workloads/support/workers.hpp"

#include <algorithm>
#include <new>

#include <tbb/info.h>
#include <stowage/parallel/each_parallel.hpp>

#include "workloads/support/array.hpp"

namespace stowage::workloads {

class Workers::Arena {
 public:
  explicit Arena(std::size_t threads) : arena_(static_cast<int>(threads)) {}

  [[nodiscard]] std::size_t threads() const { return static_cast<std::size_t>(arena_.max_concurrency()); }
  template <class Work>
  void execute(const Work& work) {
    arena_.execute(work);
  }

 private:
  tbb::task_arena arena_;
};

void Workers::Release::operator()(Arena* arena) const noexcept {
  arena->~Arena();
  UncountedAllocator<Arena>().deallocate(arena, 1);
}

Workers::Workers(std::size_t threads) {
  Arena* const memory = UncountedAllocator<Arena>().allocate(1);
  try {
    arena_.reset(::new (static_cast<void*>(memory)) Arena(threads));
  } catch (...) {
    UncountedAllocator<Arena>().deallocate(memory, 1);
    throw;
  }
  // threads are started by the first work that there is for them
  const auto nothing = [](std::size_t, std::size_t) {};
  run(threads, ChunkWork(nothing));
}

void Workers::run(std::size_t chunks, ChunkWork work) const {
  arena_->execute([&] { run_on_tbb(chunks, work); });
}

std::size_t Workers::most() noexcept { return static_cast<std::size_t>(std::max(1, tbb::info::default_concurrency())); }

}  // namespace stowage::workloads
