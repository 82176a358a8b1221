#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <stowage/contract/events.hpp>

#include "harness/measure/pass.hpp"
#include "harness/plan/selection.hpp"
#include "harness/results/run.hpp"
#include "workloads/support/measurement.hpp"

namespace stowage::harness {

/// Nanoseconds since some moment; tests put a clock of their own here.
using FrameClock = std::function<double()>;

/// A quantile is a measured frame time, never interpolated.
inline constexpr std::size_t fewest_frames_for_p99 = 100;
inline constexpr std::size_t fewest_frames_for_p999 = 1000;

/// The frame times of one cell.
class FrameLog {
 public:
  /// One sequence, each frame of it timed by itself. A repeatable case goes through one frame more, before those that
  /// count: the caches hold the data of the cell that was measured before it.
  void record(workloads::Measurement& measurement, const FrameClock& now_ns);

  /// The time of preparations between sequences, which belongs to no frame.
  [[nodiscard]] double preparing_ns() const noexcept { return preparing_ns_; }
  [[nodiscard]] std::size_t frames() const noexcept { return frames_ns_.size(); }
  /// Of the frames that count.
  [[nodiscard]] std::span<const double> frames_ns() const noexcept { return frames_ns_; }

  /// The counters of the frames pass; a quantile is absent if there are too few frames for it.
  [[nodiscard]] Counters counters() const;

 private:
  void record_frame(workloads::Measurement& measurement, std::size_t frame, const FrameClock& now_ns);

  std::vector<double> frames_ns_;
  double preparing_ns_ = 0;
  double worst_ns_ = 0;
  std::optional<StorageEvents> worst_events_;  ///< of the worst frame; none if the storage does not count them
  std::optional<std::uint64_t> rows_moved_;    ///< in the frames that count
  std::uint64_t collected_rows_ = 0;           ///< in these frames
  workloads::PartTimes parts_;
};

/// How many frames took how long: 8 bins for each factor of ten from 100 ns to 100 ms. The first and the last bin
/// include all shorter and longer ones.
inline constexpr std::size_t frame_bins = 48;
inline constexpr double frame_bins_per_decade = 8;
inline constexpr double first_frame_bin_ns = 100;

[[nodiscard]] std::vector<std::uint64_t> frame_histogram(std::span<const double> frames_ns);

/// How many frames are timed of each cell: whole sequences until there are enough or the time is up. All
/// cells of a block get as many, those that their time suffices for together, because longer series have worse frames.
struct FramesPlan {
  std::size_t frames = 0;
  std::size_t fewest_frames = 1;  ///< however long they take
  double most_s_per_cell = 0;     ///< of frames; preparations between sequences may take twice as long in addition
  std::uint64_t seed = 0;
  bool keeps_frames = false;  ///< in the run, beside the histogram
  /// The strategy whose systems are timed one by one, and the fixed loop of recorders with them; empty: of none.
  std::string systems_of = {};
};

/// Times the frames of every verified cell of `run` that has frames and no such figures yet. The cells of a block take
/// turns, a sequence each, in an order that is shuffled anew in every round. The run is saved after each block; one
/// that was stopped half-way has no figures. A cell that throws gets an omission that says so. Sets
/// `run.state.interrupted` if `bench.stop` asked to stop.
void run_frames_pass(Run& run, const std::vector<Block>& blocks, const FramesPlan& plan, const Bench& bench,
                     const FrameClock& now_ns, const SaveRun& save);

}  // namespace stowage::harness
