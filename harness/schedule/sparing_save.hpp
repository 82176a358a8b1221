#pragma once

#include <functional>
#include <utility>

#include "harness/schedule/run_blocks.hpp"

namespace stowage::harness {

/// Saves a run so seldom that writing takes at most a fiftieth of the time: a run of thousands of cells takes a second
/// to write and is to be saved after each of hundreds of blocks. Whatever kills the process, at most fifty times the
/// time of one write is lost; what is interrupted is saved at once.
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

}  // namespace stowage::harness
