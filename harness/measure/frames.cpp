// The frames pass: times single frames, and makes quantiles, worst frames and a histogram of them.
#include "harness/measure/frames.hpp"

#include <fmt/format.h>
#include <stowage/record/yardstick.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "harness/measure/memory/heap.hpp"
#include "harness/results/metrics.hpp"
#include "harness/verify/cells.hpp"

#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

/// What a display leaves a frame at 120 and at 60 Hz, rounded down.
constexpr double budget_120_hz_ns = 8.3e6;
constexpr double budget_60_hz_ns = 16.6e6;

/// In the workload `spike` one frame of so many creates the entities. The median of these frames is the quantile
/// `share_below_middle_spike` of all frames.
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
  const std::optional<StorageEvents> events_before = measurement.events();
  for (std::size_t frame = 0; frame < measurement.frames(); ++frame) record_frame(measurement, frame, now_ns);
  if (events_before) collected_rows_ += measurement.events()->collected_rows - events_before->collected_rows;
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
  if (collected_rows_ != 0) {
    counters["collected_rows_per_frame"] = static_cast<double>(collected_rows_) / static_cast<double>(sorted.size());
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

namespace {

/// A cell whose frames are being timed, with its case, alive for the whole block.
struct FramedCell {
  CellResult* result = nullptr;
  std::string name;
  std::unique_ptr<workloads::Measurement> measurement;
  FrameLog log;
  double spent_ns = 0;
  std::string error;

  /// The part of its time that counts against the limit. If preparations are long, counting all of them would leave few
  /// frames, and counting none would let them take any time.
  [[nodiscard]] double charged_ns() const { return std::max(spent_ns - log.preparing_ns(), spent_ns / 3); }
};

class FramedBlock {
 public:
  FramedBlock(const Block& block, const FramesPlan& plan, const Bench& bench, const FrameClock& now_ns)
      : block_(block), plan_(plan), bench_(bench), now_ns_(now_ns) {}

  /// Times the cells that `run` lacks; false if it was stopped.
  bool measure(Run& run, BlockResult& result) {
    for (CellResult& cell : result.cells) {
      if (bench_.stop()) return false;
      if (lacks_figures(run, result, cell)) make(result, cell);
    }
    while (!whose_turn().empty()) {
      shuffle(cells_, generator_);
      for (FramedCell* cell : whose_turn()) {
        if (bench_.stop()) return false;
        record_sequence(*cell);
      }
    }
    return true;
  }

  /// Puts what was seen into `run`; the number of cells.
  std::size_t take_over(Run& run) const {
    for (const FramedCell& cell : cells_) {
      if (cell.error.empty()) {
        cell.result->counters.merge(cell.log.counters());
        const std::span<const double> frames_ns = cell.log.frames_ns();
        cell.result->frame_histogram = frame_histogram(frames_ns);
        if (plan_.keeps_frames) cell.result->frames_ns.assign(frames_ns.begin(), frames_ns.end());
        if (cell.result->strategy == plan_.systems_of) cell.result->systems_ns = cell.measurement->system_times();
      } else {
        run.omissions.push_back({std::string(frames_pass), cell.name, cell.error});
      }
    }
    return cells_.size();
  }

 private:
  [[nodiscard]] static bool lacks_figures(const Run& run, const BlockResult& block, const CellResult& cell) {
    return cell.error.empty() && !cell.counters.contains("frame_p50_ns") &&
           !is_left_out(run, frames_pass, block.cell_name(cell));
  }

  /// A hand-written loop may have no frames if the strategies have some.
  void make(const BlockResult& block, CellResult& result) {
    FramedCell cell;
    cell.result = &result;
    cell.name = block.cell_name(result);
    bench_.progress.working_on(cell.name, "preparing frames");
    cell.error = error_of([&] {
      cell.measurement = bench_.catalogue.maker(result.strategy, block_.workload->card.name)(block_.parameters);
      cell.measurement->prepare();
    });
    if (!cell.error.empty() || cell.measurement->frames() > 0) cells_.push_back(std::move(cell));
  }

  /// The cells that get one more sequence.
  [[nodiscard]] std::vector<FramedCell*> whose_turn() {
    std::vector<FramedCell*> good;
    double charged_ns = 0;
    for (FramedCell& cell : cells_) {
      if (!cell.error.empty()) continue;
      good.push_back(&cell);
      charged_ns += cell.charged_ns();
    }
    const bool has_no_time = charged_ns >= plan_.most_s_per_cell * 1e9 * static_cast<double>(good.size());
    std::erase_if(good, [&](const FramedCell* cell) {
      return cell->log.frames() >= plan_.frames || (has_no_time && cell->log.frames() >= plan_.fewest_frames);
    });
    return good;
  }

  void record_sequence(FramedCell& cell) {
    bench_.progress.working_on(cell.name, fmt::format("{} of {} frames", cell.log.frames(), plan_.frames));
    const double started_ns = now_ns_();
    cell.error = error_of([&] { cell.log.record(*cell.measurement, now_ns_); });
    cell.spent_ns += now_ns_() - started_ns;
  }

  const Block& block_;
  const FramesPlan& plan_;
  const Bench& bench_;
  const FrameClock& now_ns_;
  std::mt19937_64 generator_ = generator_for(plan_.seed, block_.name());
  std::vector<FramedCell> cells_;
};

PassRecord record_of_frames() {
  return {std::string(frames_pass),
          "steady clock",
          {{"histogram", fmt::format("`frame_histogram` of a cell: {} bins, {} for each factor of ten from {} ns on; "
                                     "the first and the last have what is shorter and longer",
                                     frame_bins, frame_bins_per_decade, first_frame_bin_ns)},
           {"not counted", "the first frame of each turn of a repeatable cell, and preparations"}}};
}

}  // namespace

void run_frames_pass(Run& run, const std::vector<Block>& blocks, const FramesPlan& plan, const Bench& bench,
                     const FrameClock& now_ns, const SaveRun& save) {
  keep_freed_pages();
  if (!plan.systems_of.empty()) run.state.yardstick_ms = record::yardstick_ms();
  const auto is_framed = [](const Block& block) { return block.workload->is_framed(block.parameters); };
  add_figures(run, blocks, bench, record_of_frames(), save, is_framed, [&](const Block& block, BlockResult& result) {
    FramedBlock framed(block, plan, bench, now_ns);
    const bool complete = framed.measure(run, result);
    return BlockPassed{complete ? framed.take_over(run) : 0, complete};
  });
}

}  // namespace stowage::harness
