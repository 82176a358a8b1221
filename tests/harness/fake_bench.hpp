#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "harness/measure/pass.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/measure/time.hpp"
#include "tests/harness/fake_catalogue.hpp"

namespace stowage::harness::fake {

/// A case of which a test is only interested in the calls.
class Case : public workloads::Measurement {
 public:
  explicit Case(bool repeatable, std::uint64_t items = 1) : repeatable_(repeatable), items_(items) {}
  void prepare() override {}
  [[nodiscard]] bool repeatable() const override { return repeatable_; }
  [[nodiscard]] std::uint64_t items() const override { return items_; }
  [[nodiscard]] std::uint64_t checksum() override { return 0; }
  [[nodiscard]] MemoryBreakdown memory() const override { return {}; }

 private:
  bool repeatable_;
  std::uint64_t items_;
};

/// Says that every pass took what `pass_ns` has for the strategy, and keeps what it was asked to time. Real time stands
/// still: a test that uses it finds the same on every machine.
class FakeTimer final : public Timer {
 public:
  TimedRepetition time(const std::string& cell, workloads::Measurement& measurement, std::size_t passes,
                       bool is_warmed = true) override {
    measurement.run(1);
    const double real_ns = pass_ns(cell);
    const double elapsed_ns = (real_ns + prepare_ns) * static_cast<double>(passes);
    timed.push_back({cell, passes, is_warmed});
    now_s += elapsed_ns / 1e9;
    if (after_each) after_each();
    return {{.real_ns = real_ns, .cpu_ns = real_ns, .iterations = passes}, elapsed_ns};
  }

  struct Call {
    std::string cell;
    std::size_t passes;
    bool is_warmed;
  };

  std::function<double(const std::string& cell)> pass_ns = [](const std::string&) { return 1000.0; };
  double prepare_ns = 0;
  double now_s = 0;
  std::vector<Call> timed;
  std::function<void()> after_each;
};

inline void save_nowhere(const Run&) {}

/// Notes whether the clock may be running, and does `when_entered` when it may be from now on.
class RegionProbe final : public RegionObserver {
 public:
  explicit RegionProbe(std::function<void()> when_entered = [] {})
      : when_entered_(std::move(when_entered)), former_(Region::observe(this)) {}
  ~RegionProbe() override { Region::observe(former_); }

  void entered() override {
    inside = true;
    ++times_entered;
    when_entered_();
  }
  void left() override { inside = false; }

  bool inside = false;
  int times_entered = 0;

 private:
  std::function<void()> when_entered_;
  RegionObserver* former_;
};

/// A bench with the fake catalogue, the fake timer and no progress line.
class FakeBench {
 public:
  Catalogue catalogue = make();
  FakeTimer timer;
  bool stopped = false;
  double asking_s = 0;  ///< that pass whenever the time is asked for: as if everything in between took so long

  [[nodiscard]] std::vector<Block> blocks(const std::string& strategies, const std::string& workloads,
                                          const std::string& entities,
                                          const std::optional<std::string>& preset = {}) const {
    SelectionRequest request;
    request.preset = preset;
    request.strategies = strategies;
    request.workloads = workloads;
    request.entities = entities;
    return expand(resolve(request, catalogue), catalogue);
  }

  [[nodiscard]] const Bench& bench() const noexcept { return bench_; }

 private:
  std::ostringstream discarded_;
  Progress progress_{discarded_, false};
  Bench bench_{catalogue, timer, progress_, [this] { return stopped; }, [this] { return timer.now_s += asking_s; }};
};

/// Blocks of the fake catalogue, and a run of them that has no figures yet.
struct FakeRun {
  FakeRun(const std::string& strategies, const std::string& workloads, const std::string& entities,
          const std::optional<std::string>& preset = {})
      : blocks(bench.blocks(strategies, workloads, entities, preset)) {
    run.blocks = empty_results(blocks);
  }
  [[nodiscard]] const CellResult& cell(const std::string& strategy, std::size_t block = 0) const {
    return *std::ranges::find(run.blocks.at(block).cells, strategy, &CellResult::strategy);
  }

  FakeBench bench;
  std::vector<Block> blocks;
  Run run;
};

/// The same run after its time pass, which was a short one.
struct TimedRun : FakeRun {
  TimedRun(const std::string& strategies, const std::string& workloads, const std::string& entities)
      : FakeRun(strategies, workloads, entities) {
    run.blocks.clear();
    run_blocks(run, blocks, time_plan, bench.bench(), save_nowhere);
  }

  static constexpr TimePlan time_plan{
      .repetitions = 2, .fewest_repetitions = 2, .min_time_ns = 1e4, .budget_s = std::nullopt, .seed = 1};
};

}  // namespace stowage::harness::fake
