#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <stowage/parallel/each_divided.hpp>

namespace stowage::workloads {

/// The simulator runs one thread at a time on one set of caches, and which thread takes which chunk changes from run to
/// run; the processor's counters count for the thread that asks.
inline constexpr std::string_view counted_for_one_thread = "caches are counted for one thread only";

/// Threads that wait for work, the calling one among them: a oneTBB arena. They are there before the clock starts and
/// stay while this lives; they take nothing from operator new, which is the storages'.
class Workers {
 public:
  /// `threads` is 1 to most().
  explicit Workers(std::size_t threads);

  /// Works through chunks 0 to `chunks` as each_parallel() does.
  void run(std::size_t chunks, ChunkWork work) const;

  /// As many as the processors that this process may use.
  [[nodiscard]] static std::size_t most() noexcept;

 private:
  class Arena;
  struct Release {
    void operator()(Arena* arena) const noexcept;
  };

  std::unique_ptr<Arena, Release> arena_;
};

}  // namespace stowage::workloads
