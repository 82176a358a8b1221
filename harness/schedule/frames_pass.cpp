#include "harness/schedule/frames_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/system/pages.hpp"
#include "harness/results/metrics.hpp"
#include "harness/schedule/case.hpp"
#include "harness/schedule/shuffle.hpp"

namespace stowage::harness {
namespace {

/// A cell whose frames are being timed, with its case, alive for the whole block.
struct FramedCell {
  CellResult* result = nullptr;
  std::string name;
  std::unique_ptr<workloads::Measurement> measurement;
  FrameLog log;
  double spent_ns = 0;
  std::string error;

  /// What its time is charged with. Where frames are short and preparations long, charging all would leave few frames;
  /// charging the frames alone would let preparations take any time.
  [[nodiscard]] double charged_ns() const { return std::max(spent_ns - log.preparing_ns(), spent_ns / 3); }
};

class FramedBlock {
 public:
  FramedBlock(const Block& block, const FramesPlan& plan, const Bench& bench, const FrameClock& now_ns)
      : block_(block), plan_(plan), bench_(bench), now_ns_(now_ns) {}

  /// Times the cells that `run` lacks; false where it was stopped.
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
      } else {
        run.omissions.push_back({std::string(frames_pass), cell.name, cell.error});
      }
    }
    return cells_.size();
  }

 private:
  [[nodiscard]] static bool lacks_figures(const Run& run, const BlockResult& block, const CellResult& cell) {
    if (!cell.error.empty() || cell.counters.contains("frame_p50_ns")) return false;
    const std::string name = block.cell_name(cell);
    return std::ranges::none_of(run.omissions, [&name](const Omission& omission) {
      return omission.pass == frames_pass && omission.cell == name;
    });
  }

  /// A hand-written loop may have no frames where the strategies have some.
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

  /// Who gets one more sequence.
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

std::vector<std::pair<const Block*, BlockResult*>> blocks_with_frames(Run& run, const std::vector<Block>& blocks) {
  std::vector<std::pair<const Block*, BlockResult*>> found;
  for (const Block& block : blocks) {
    if (!block.workload->is_framed(block.parameters)) continue;
    const auto result = std::ranges::find(run.blocks, block.name(), &BlockResult::name);
    if (result != run.blocks.end()) found.emplace_back(&block, &*result);
  }
  return found;
}

void note_frames_source(Run& run) {
  const auto is_noted = std::ranges::find(run.passes, frames_pass, &PassRecord::pass) != run.passes.end();
  if (is_noted) return;
  run.passes.push_back(
      {std::string(frames_pass),
       "steady clock",
       {{"histogram", fmt::format("`frame_histogram` of a cell: {} bins, {} for each factor of ten from {} "
                                  "ns on; the first and the last have what is shorter and longer",
                                  frame_bins, frame_bins_per_decade, first_frame_bin_ns)},
        {"not counted", "the first frame of each turn of a repeatable cell, and preparations"}}});
}

}  // namespace

void run_frames_pass(Run& run, const std::vector<Block>& blocks, const FramesPlan& plan, const Bench& bench,
                     const FrameClock& now_ns, const SaveRun& save) {
  keep_freed_pages();
  const double started_s = bench.now_s();
  const double wall_before_s = run.state.wall_s;
  const std::vector<std::pair<const Block*, BlockResult*>> framed_blocks = blocks_with_frames(run, blocks);
  std::size_t cells = 0;
  for (const auto& [block, result] : framed_blocks) cells += result->cells.size();
  bench.progress.start(cells, 0, frames_pass);
  for (const auto& [block, result] : framed_blocks) {
    FramedBlock framed(*block, plan, bench, now_ns);
    run.state.interrupted = !framed.measure(run, *result);
    const std::size_t done = run.state.interrupted ? 0 : framed.take_over(run);
    run.state.wall_s = wall_before_s + bench.now_s() - started_s;
    bench.progress.block_done(result->cells.size());
    if (done > 0) note_frames_source(run);
    if (done > 0 || run.state.interrupted) save(run);
    if (run.state.interrupted) break;
  }
  bench.progress.stop();
}

}  // namespace stowage::harness
