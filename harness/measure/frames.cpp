#include "harness/measure/frames.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

/// What a display leaves a frame at 120 and at 60 Hz, rounded down.
constexpr double budget_120_hz_ns = 8.3e6;
constexpr double budget_60_hz_ns = 16.6e6;

/// In the workload `spike` one frame of so many creates the entities: of all its frames, the quantile that the middle
/// one of the spikes is.
constexpr std::size_t frames_per_spike = 64;
constexpr double share_below_middle_spike = 1 - 1.0 / frames_per_spike / 2;

/// With the ends of its interval, if there are enough frames for one.
void add_quantile(Counters& counters, const std::string& name, std::span<const double> frames_ns, double share) {
  const Estimate quantile = estimate_quantile(frames_ns, share);
  counters[name] = quantile.median;
  if (!quantile.interval) return;
  counters[name + "_low"] = quantile.interval->low;
  counters[name + "_high"] = quantile.interval->high;
}

double share_over(std::span<const double> sorted, double budget_ns) {
  const auto over = sorted.end() - std::ranges::upper_bound(sorted, budget_ns);
  return static_cast<double>(over) / static_cast<double>(sorted.size());
}

}  // namespace

void FrameLog::record(workloads::Measurement& measurement, const FrameClock& now_ns) {
  const double start_ns = now_ns();
  if (measurement.repeatable()) {
    for (std::size_t frame = 0; frame < measurement.warming_frames(); ++frame) measurement.step(0);
  } else {
    measurement.prepare();
  }
  preparing_ns_ += now_ns() - start_ns;
  const std::optional<std::uint64_t> moved_before = measurement.rows_moved();
  for (std::size_t frame = 0; frame < measurement.frames(); ++frame) record_frame(measurement, frame, now_ns);
  parts_ = measurement.part_times();
  if (moved_before) rows_moved_ = rows_moved_.value_or(0) + *measurement.rows_moved() - *moved_before;
}

void FrameLog::record_frame(workloads::Measurement& measurement, std::size_t frame, const FrameClock& now_ns) {
  const std::optional<StorageEvents> before = measurement.events();
  const double start_ns = now_ns();
  measurement.step(frame);
  const double took_ns = now_ns() - start_ns;
  frames_ns_.push_back(took_ns);
  if (took_ns <= worst_ns_) return;
  worst_ns_ = took_ns;
  worst_events_ = before ? std::optional(*measurement.events() - *before) : std::nullopt;
}

Counters FrameLog::counters() const {
  if (frames_ns_.empty()) return {};
  std::vector<double> sorted = frames_ns_;
  std::ranges::sort(sorted);
  Counters counters{{"frames", static_cast<double>(sorted.size())},
                    {"frame_max_ns", sorted.back()},
                    {"frame_over_8_3_ms_share", share_over(sorted, budget_120_hz_ns)},
                    {"frame_over_16_6_ms_share", share_over(sorted, budget_60_hz_ns)}};
  add_quantile(counters, "frame_p50_ns", sorted, 0.5);
  if (sorted.size() >= fewest_frames_for_p99) add_quantile(counters, "frame_p99_ns", sorted, 0.99);
  if (sorted.size() >= frames_per_spike) add_quantile(counters, "frame_spike_ns", sorted, share_below_middle_spike);
  if (sorted.size() >= fewest_frames_for_p999) add_quantile(counters, "frame_p999_ns", sorted, 0.999);
  if (worst_events_) {
    for (const auto& [name, count] : worst_events_->lines()) {
      counters["worst_frame_" + std::string(name)] = static_cast<double>(count);
    }
  }
  if (rows_moved_) {
    counters["rows_moved_per_frame"] = static_cast<double>(*rows_moved_) / static_cast<double>(sorted.size());
  }
  for (const auto& [name, ns] : parts_) counters[std::string(name)] = ns;
  return counters;
}

std::vector<std::uint64_t> frame_histogram(std::span<const double> frames_ns) {
  std::vector<std::uint64_t> counts(frame_bins, 0);
  for (const double ns : frames_ns) {
    const double bin =
        std::floor(std::log10(std::max(ns, first_frame_bin_ns) / first_frame_bin_ns) * frame_bins_per_decade);
    ++counts[std::min(static_cast<std::size_t>(bin), frame_bins - 1)];
  }
  return counts;
}

}  // namespace stowage::harness
