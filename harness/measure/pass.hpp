#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/measure/time.hpp"
#include "harness/plan/selection.hpp"
#include "harness/random_order.hpp"
#include "harness/results/run.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

// What the passes share: the tools they work with, how a run is saved meanwhile, and the order of cells.
namespace stowage::harness {

/// What a pass works with; tests replace the timer and the clock.
struct Bench {
  const Catalogue& catalogue;
  Timer& timer;
  Progress& progress;
  StopRequest stop;
  std::function<double()> now_s;
};

/// Puts a run on disk.
using SaveRun = std::function<void(const Run&)>;

/// Saves a run so seldom that writing takes at most a fiftieth of the time: a run of thousands of cells takes a second
/// to write and is to be saved after each of hundreds of blocks. If the process is killed, at most fifty times the
/// time of one write is lost. An interrupted run is saved at once.
class SparingSave {
 public:
  SparingSave(SaveRun save, std::function<double()> now_s) : save_(std::move(save)), now_s_(std::move(now_s)) {}

  void operator()(const Run& run) {
    is_waiting_ = true;
    if (run.state.interrupted || now_s_() >= next_s_) write(run);
  }

  /// Saves what is not saved yet, unless the disk refused it before.
  void finish(const Run& run) {
    if (is_waiting_) write(run);
  }

 private:
  static constexpr double pause_of_a_write = 49;

  void write(const Run& run) {
    is_waiting_ = false;
    const double started_s = now_s_();
    save_(run);
    const double ended_s = now_s_();
    next_s_ = ended_s + pause_of_a_write * (ended_s - started_s);
  }

  SaveRun save_;
  std::function<double()> now_s_;
  double next_s_ = 0;  ///< of a steady clock
  bool is_waiting_ = false;
};

// ---- what a run has already

/// The cells of `blocks` with no figure but their floor.
[[nodiscard]] std::vector<BlockResult> empty_results(const std::vector<Block>& blocks, workloads::Lines lines = {});

/// Whether `pass` has left out that cell before.
[[nodiscard]] inline bool is_left_out(const Run& run, std::string_view pass, const std::string& cell) {
  return std::ranges::any_of(run.omissions,
                             [&](const Omission& omission) { return omission.pass == pass && omission.cell == cell; });
}

/// The result of one block of a pass.
struct BlockPassed {
  std::size_t cells = 0;  ///< that have figures, or a reason for having none, from now on
  bool complete = true;   ///< false if the pass was asked to stop
};

/// Adds the figures of the pass that `record` describes to blocks that `run` has already. Goes through those of
/// `blocks` that `takes_part`, calls `measure` on each, and saves the run after a block with new figures. Sets
/// `run.state.interrupted` and stops after a block that is not complete.
void add_figures(Run& run, const std::vector<Block>& blocks, const Bench& bench, const PassRecord& record,
                 const SaveRun& save, const std::function<bool(const Block&)>& takes_part,
                 const std::function<BlockPassed(const Block&, BlockResult&)>& measure);

}  // namespace stowage::harness
