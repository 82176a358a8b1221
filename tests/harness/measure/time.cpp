// The time pass: the timer and its calibration, what is inside the measured region, the order of rounds, and the
// rounds.
#include "harness/measure/time.hpp"

#include <chrono>
#include <ctime>
#include <iterator>

#include "harness/measure/memory.hpp"
#include "harness/measure/pass.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/text.hpp"
#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Keeps the order of what was called: p for prepare(), r for a pass inside the region, w for one outside of it.
class RecordingMeasurement final : public fake::Case {
 public:
  RecordingMeasurement(const fake::RegionProbe& probe, bool repeatable) : Case(repeatable), probe_(probe) {}

  void prepare() override { calls += probe_.inside ? 'P' : 'p'; }
  void run(std::size_t passes) override {
    if (throws) throw std::runtime_error("overboard");
    calls.append(passes, probe_.inside ? 'r' : 'w');
  }

  std::string calls;
  bool throws = false;

 private:
  const fake::RegionProbe& probe_;
};

TEST_CASE("a repeatable case has one untimed pass, then all in one region; any other is prepared before each pass") {
  const fake::RegionProbe probe;
  SteadyTimer timer;
  RecordingMeasurement repeatable(probe, true);
  CHECK(timer.time("cell", repeatable, 5).repetition.iterations == 5);
  CHECK(repeatable.calls == "wrrrrr");
  CHECK(probe.times_entered == 1);
  static_cast<void>(timer.time("cell", repeatable, 2, false));
  CHECK(repeatable.calls == "wrrrrrrr");
  RecordingMeasurement prepared(probe, false);
  CHECK(timer.time("cell", prepared, 3).repetition.iterations == 3);
  CHECK(prepared.calls == "prprpr");
  CHECK(probe.times_entered == 1 + 1 + 3);
}

/// A pass of it goes on until both clocks have moved, however coarse they are.
class WorkingMeasurement final : public fake::Case {
 public:
  using Case::Case;
  void run(std::size_t passes) override {
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const auto real = std::chrono::steady_clock::now();
      const std::clock_t cpu = std::clock();
      while (std::chrono::steady_clock::now() == real || std::clock() == cpu) {
      }
    }
  }
};

TEST_CASE("a repetition has times, and its cost is no less than they are") {
  WorkingMeasurement measurement(GENERATE(true, false));
  SteadyTimer timer;
  const TimedRepetition timed = timer.time("cell", measurement, 100);
  CHECK(timed.repetition.real_ns > 0);
  CHECK(timed.repetition.cpu_ns > 0);
  CHECK(timed.elapsed_ns >= timed.repetition.real_ns * 100);
}

TEST_CASE("an exception of the case comes out, and the next case is timed as ever") {
  const fake::RegionProbe probe;
  const bool repeatable = GENERATE(true, false);
  RecordingMeasurement measurement(probe, repeatable);
  SteadyTimer timer;
  measurement.throws = true;
  CHECK_THROWS_WITH(timer.time("cell", measurement, 5), "overboard");
  CHECK_FALSE(probe.inside);
  measurement.throws = false;
  CHECK(timer.time("cell", measurement, 5).repetition.iterations == 5);
}

constexpr double four_ms = 4e6;

class CalibratedCase {
 public:
  CalibratedCase(double pass_ns, double prepare_ns) {
    bench_.timer.pass_ns = [pass_ns](const std::string&) { return pass_ns; };
    bench_.timer.prepare_ns = prepare_ns;
  }

  Calibration operator()() {
    const auto measurement = bench_.catalogue.maker("fast", "walk")({.entities = 1, .values = {}});
    return calibrate(bench_.timer, "cell", *measurement, four_ms);
  }

  [[nodiscard]] std::size_t trials() const { return bench_.timer.timed.size(); }

 private:
  fake::FakeBench bench_;
};

TEST_CASE("a repetition takes about the wanted time") {
  const double pass_ns = GENERATE(1.0, 20.0, 1000.0, 300'000.0);
  const Calibration calibration = CalibratedCase(pass_ns, 0)();
  CHECK(static_cast<double>(calibration.passes) * pass_ns == Approx(four_ms).epsilon(0.05));
  CHECK(calibration.elapsed_ns == Approx(four_ms).epsilon(0.05));
}

TEST_CASE("long passes run once, a long prepare() limits passes, and so do passes that take no time at all") {
  const Calibration once = CalibratedCase(1e9, 0)();
  CHECK(once.passes == 1);
  CHECK(once.elapsed_ns == 1e9);
  const Calibration prepared = CalibratedCase(1000, 1e6)();
  CHECK(prepared.passes >= 1);
  CHECK(prepared.elapsed_ns <= 10 * four_ms);
  CHECK(CalibratedCase(1000, 1e9)().passes == 1);
  CalibratedCase calibrated(0, 0);
  CHECK(calibrated().passes > 1);
  CHECK(calibrated.trials() < 20);
}

TEST_CASE("a shortened repetition has at least one pass") {
  CHECK(shortened({100, 1000}, 0.25).passes == 25);
  CHECK(shortened({100, 1000}, 0.25).elapsed_ns == Approx(250));
  CHECK(shortened({2, 1000}, 0.01).passes == 1);
}

// ---- the order of rounds, and what is saved

// Written down once: another compiler or library that finds another order would measure another thing.
TEST_CASE("the same block is shuffled in the same order everywhere, and others otherwise") {
  std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  auto generator = generator_for(20'140'908, "join/entities:1024");
  shuffle(values, generator);
  CHECK(values == std::vector<int>{5, 9, 6, 4, 0, 1, 2, 8, 3, 7});
  for (int i = 0; i < 1000; ++i) CHECK(below(generator, 7) < 7);
  CHECK(below(generator, 1) == 0);
  auto one = generator_for(1, "a");
  auto other_block = generator_for(1, "b");
  auto other_seed = generator_for(2, "a");
  const auto first = one();
  CHECK(first != other_block());
  CHECK(first != other_seed());
}

/// A disk that takes its time.
struct SlowDisk {
  double now_s = 100;
  double write_s = 1;
  bool is_full = false;
  std::vector<double> written_at_s;

  SparingSave save() {
    return {[this](const Run&) {
              written_at_s.push_back(now_s);
              now_s += write_s;
              if (is_full) throw std::runtime_error("disk full");
            },
            [this] { return now_s; }};
  }
};

TEST_CASE("writing takes no more than a fiftieth of the time") {
  SlowDisk disk;
  SparingSave save = disk.save();
  const Run run;
  for (int block = 0; block < 600; ++block) {
    save(run);
    disk.now_s += 1;
  }
  const double took_s = disk.now_s - 100;
  CHECK(static_cast<double>(disk.written_at_s.size()) * disk.write_s <= took_s / 50 + disk.write_s);
  CHECK(disk.written_at_s.size() > 9);
}

TEST_CASE("a write that takes no time is made every time") {
  SlowDisk disk;
  disk.write_s = 0;
  SparingSave save = disk.save();
  for (int block = 0; block < 5; ++block) save(Run());
  CHECK(disk.written_at_s.size() == 5);
}

TEST_CASE("postponed writes are done at the end and none twice, and an interrupted run is written at once") {
  SlowDisk disk;
  SparingSave save = disk.save();
  Run run;
  save(run);
  save.finish(run);
  CHECK(disk.written_at_s.size() == 1);
  save(run);
  CHECK(disk.written_at_s.size() == 1);
  save.finish(run);
  CHECK(disk.written_at_s.size() == 2);
  run.state.interrupted = true;
  save(run);
  CHECK(disk.written_at_s.size() == 3);
}

TEST_CASE("a disk that refused a run is not asked again for the same") {
  SlowDisk disk;
  disk.is_full = true;
  SparingSave save = disk.save();
  CHECK_THROWS_AS(save(Run()), std::runtime_error);
  CHECK_NOTHROW(save.finish(Run()));
  CHECK(disk.written_at_s.size() == 1);
}

// ---- rounds on a fake timer: building anew, budgets, visits, further looks, and resuming

constexpr TimePlan plan{
    .repetitions = 11, .fewest_repetitions = 7, .min_time_ns = 1e6, .budget_s = std::nullopt, .seed = 1};

template <class T>
TimePlan with(T TimePlan::* what, T value, TimePlan its_plan = plan) {
  its_plan.*what = value;
  return its_plan;
}

BlockResult measured(fake::FakeBench& bench, const std::string& strategies, const TimePlan& its_plan = plan,
                     const std::string& workload = "walk") {
  auto result = measure_block(bench.blocks(strategies, workload, "1k").at(0), its_plan, bench.bench());
  REQUIRE(result);
  return *std::move(result);
}

Run run_of(fake::FakeBench& bench, const std::string& strategies, const std::string& entities,
           const TimePlan& its_plan = plan, const std::string& workload = "walk") {
  Run run;
  run_blocks(run, bench.blocks(strategies, workload, entities), its_plan, bench.bench(), fake::save_nowhere);
  return run;
}

std::vector<std::size_t> all_of(const CellResult& cell, std::size_t Repetition::* what) {
  std::vector<std::size_t> values;
  std::ranges::transform(cell.repetitions, std::back_inserter(values), what);
  return values;
}

TEST_CASE("every strategy and the reference is timed once in each round, shuffled anew, and equally on every machine") {
  fake::FakeBench bench;
  const BlockResult result = measured(bench, "fast,twin");
  for (const CellResult& cell : result.cells) CHECK(cell.repetitions.size() == plan.repetitions);
  const std::vector<std::string> timed = names_of(bench.timer.timed, &fake::FakeTimer::Call::cell);
  std::set<std::vector<std::string>> different_rounds;
  for (std::size_t round = 1; round <= plan.repetitions; ++round) {  // from the last one on: before them is calibration
    const auto first = timed.end() - static_cast<std::ptrdiff_t>(3 * round);
    CHECK(std::set<std::string>(first, first + 3).size() == 3);
    different_rounds.emplace(first, first + 3);
  }
  CHECK(different_rounds.size() > 2);
  fake::FakeBench other;
  measured(other, "fast,twin");
  CHECK(timed == names_of(other.timer.timed, &fake::FakeTimer::Call::cell));
}

TEST_CASE("a cell that fails, at once, in a later round or visit, or built anew, has an error and no figures") {
  const auto check = [](const CellResult& good, const CellResult& failed, const std::string& error) {
    CHECK(good.repetitions.size() == plan.repetitions);
    CHECK_THAT(failed.error, ContainsSubstring(error));
    CHECK(failed.repetitions.empty());
  };
  fake::FakeBench bench;
  const BlockResult at_once = measured(bench, "fast,wrong,throwing");
  REQUIRE(at_once.cells.size() == 4);
  check(at_once.cells[0], at_once.cells[2], "checksum");
  check(at_once.cells[1], at_once.cells[3], "threw");
  fake::cases_made = 0;
  const BlockResult anew = measured(bench, "moody");
  check(anew.cells[0], anew.cells[1], "did other work when it was built anew");
  fake::cases_made = 0;
  const TimePlan lasting = with(&TimePlan::builds_anew, false);
  const Run run = run_of(bench, "moody", "1k", with(&TimePlan::visits, std::size_t{2}, lasting));
  check(run.blocks[0].cells[0], run.blocks[0].cells[1], "differs from");
  bench.asking_s = 1;
  const BlockResult in_a_later_round = measured(bench, "fast,fragile");
  check(in_a_later_round.cells[1], in_a_later_round.cells[2], "threw: the hold is full");
}

TEST_CASE("without repetitions a block is verified, and nothing is timed") {
  fake::FakeBench bench;
  const Run run = run_of(bench, "fast,wrong", "1k", with(&TimePlan::repetitions, std::size_t{0}));
  CHECK(bench.timer.timed.empty());
  CHECK(blocks_done(run) == 1);
  const std::vector<CellResult>& cells = run.blocks.at(0).cells;
  REQUIRE(cells.size() == 3);
  for (const CellResult& cell : cells) CHECK(cell.repetitions.empty());
  CHECK(cells[1].checksum == cells[0].checksum);
  CHECK_THAT(cells[2].error, ContainsSubstring("checksum"));
}

TEST_CASE("only cases that are cheap to build, and if the plan says so, are built anew in every round") {
  const auto made_for = [](double building_s, const std::string& strategies, const TimePlan& its_plan) {
    fake::FakeBench bench;
    bench.asking_s = building_s;
    fake::cases_made = 0;
    measured(bench, strategies, its_plan);
    return fake::cases_made;
  };
  // three cells of 1 ms a repetition
  CHECK(made_for(2.9e-3, "fast,twin", plan) == 3 * plan.repetitions);
  CHECK(made_for(3.1e-3, "fast,twin", plan) == 3);
  // with repetitions at their real length, which a budget of nothing makes short
  CHECK(made_for(0.6e-3, "fast", with(&TimePlan::budget_s, std::optional(0.0))) == 2);
  CHECK(made_for(0, "fast", with(&TimePlan::builds_anew, false)) == 2);
}

TEST_CASE("each build is another layout of the code: in each round or, if building takes too long, in each visit") {
  const auto layouts_of = [](const BlockResult& block) { return all_of(block.cells.at(1), &Repetition::layout); };
  using Layouts = std::vector<std::size_t>;
  fake::FakeBench bench;
  bench.catalogue.add_layout(fake::make());
  bench.catalogue.add_layout(fake::make());
  const TimePlan varied = with(&TimePlan::layouts, std::size_t{3});
  CHECK(layouts_of(measured(bench, "fast")) == Layouts(plan.repetitions, 0));
  CHECK(layouts_of(measured(bench, "fast", varied)) == Layouts{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1});
  bench.asking_s = 1;
  CHECK(layouts_of(run_of(bench, "fast", "1k", varied).blocks.at(0)) == Layouts{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("a layout that a strategy does not have is one that it has") {
  Catalogue catalogue = fake::make();
  CHECK(catalogue.maker("fast", "walk", 7) == catalogue.maker("fast", "walk"));
  catalogue.add_layout(fake::make());
  CHECK(catalogue.maker("fast", "walk", 1) == catalogue.maker("fast", "walk"));
  CHECK(catalogue.maker("nothing", "walk", 1) == nullptr);
}

TEST_CASE("a verified cell carries the floor of its workload, if the workload states one") {
  fake::FakeBench bench;
  const BlockResult walk = measured(bench, "fast,wrong,fragile");
  REQUIRE(walk.cells.size() == 4);
  CHECK(walk.cells[0].counters.at("floor_lines_per_item") == 0.5);
  CHECK(walk.cells[1].counters.at("floor_lines_per_item") == 0.5);
  CHECK(walk.cells[2].counters.empty());
  CHECK(walk.cells[3].counters.empty());
  for (const CellResult& cell : measured(bench, "fast", plan, "build").cells) CHECK(cell.counters.empty());
}

TEST_CASE("a short budget takes repetitions away first, down to the fewest, then their length") {
  const auto measure = [](double budget_s) {
    fake::FakeBench bench;
    return measured(bench, "fast", with(&TimePlan::budget_s, std::optional(budget_s)));
  };
  // Two cells of 1 ms a repetition: 22 ms for all, 14 ms for the fewest; about 3 ms go to calibration.
  const BlockResult plenty = measure(1);
  CHECK(plenty.cells[1].repetitions.size() == 11);
  const BlockResult less = measure(0.02);
  CHECK(less.cells[1].repetitions.size() < 11);
  CHECK(less.cells[1].repetitions.size() >= 7);
  const BlockResult none = measure(0);
  CHECK(none.cells[1].repetitions.size() == 7);
  CHECK(none.cells[1].repetitions[0].iterations == plenty.cells[1].repetitions[0].iterations / 4);
}

TEST_CASE("each visit measures a part of a block's repetitions, after all other blocks had theirs, here or elsewhere") {
  fake::FakeBench bench;
  std::vector<std::string> order;
  bench.timer.after_each = [&] {
    const std::string& cell = bench.timer.timed.back().cell;
    const std::string entities = split_list(cell, '/').at(2);
    if (order.empty() || order.back() != entities) order.push_back(entities);
  };
  const std::vector<Block> blocks = bench.blocks("fast", "walk", "1k,2k");
  const TimePlan thrice = with(&TimePlan::visits, std::size_t{3}, with(&TimePlan::budget_s, std::optional(30.0)));
  std::vector<std::size_t> visits;
  const auto elsewhere = [&](Run& its, std::size_t visit, std::optional<double> budget_s) {
    visits.push_back(visit);
    REQUIRE(budget_s);
    CHECK(*budget_s > 9);
    run_visit(its, blocks, thrice, visit, budget_s, bench.bench(), fake::save_nowhere);
  };
  Run run;
  run_blocks(run, blocks, thrice, bench.bench(), fake::save_nowhere, elsewhere);
  CHECK(visits == std::vector<std::size_t>{0, 1, 2});
  CHECK(order == std::vector<std::string>{"entities:1024", "entities:2048", "entities:1024", "entities:2048",
                                          "entities:1024", "entities:2048"});
  CHECK(blocks_done(run) == 2);
  for (const CellResult& cell : run.blocks[0].cells) {
    CHECK(all_of(cell, &Repetition::visit) == std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  }
}

TEST_CASE("the run is on disk before the first block and after every one") {
  fake::FakeBench bench;
  const std::vector<Block> blocks = bench.blocks("fast", "walk", "1k,2k,4k");
  std::vector<std::size_t> blocks_saved;
  Run run;
  run_blocks(run, blocks, plan, bench.bench(), [&](const Run& its) { blocks_saved.push_back(its.blocks.size()); });
  CHECK(blocks_saved == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(run.state.blocks_planned == 3);
  CHECK_FALSE(run.state.interrupted);
  const auto full_disk = [](const Run& its) {
    if (its.blocks.size() > 1) throw std::runtime_error("disk full");
  };
  Run unsaved;  // what was measured is still in memory
  CHECK_THROWS(run_blocks(unsaved, blocks, plan, bench.bench(), full_disk));
  CHECK(unsaved.blocks.size() == 2);
}

TEST_CASE("an interrupted run keeps its complete blocks and goes on where it stopped, in any visit") {
  const std::size_t visits = GENERATE(1, 2);
  CAPTURE(visits);
  fake::FakeBench bench;
  const std::vector<Block> blocks = bench.blocks("fast", "walk", "1k,2k,4k");
  const TimePlan its_plan = with(&TimePlan::visits, visits);
  Run run;
  bench.timer.after_each = [&] { bench.stopped = blocks_done(run) == 1; };
  run_blocks(run, blocks, its_plan, bench.bench(), fake::save_nowhere);
  CHECK(run.state.interrupted);
  CHECK(blocks_done(run) == 1);
  REQUIRE(run.blocks.size() == (visits == 1 ? 1 : blocks.size()));
  CHECK(run.blocks[0].name() == blocks[0].name());

  bench.timer.after_each = nullptr;
  bench.stopped = false;
  bench.timer.timed.clear();
  run_blocks(run, blocks, its_plan, bench.bench(), fake::save_nowhere);
  CHECK_FALSE(run.state.interrupted);
  CHECK(blocks_done(run) == 3);
  for (const BlockResult& block : run.blocks) CHECK(block.cells[1].repetitions.size() == plan.repetitions);
  for (const auto& call : bench.timer.timed) CHECK(call.cell.find("entities:1024") == std::string::npos);
}

TEST_CASE("a budget is kept, whatever the blocks cost") {
  fake::FakeBench bench;
  bench.timer.pass_ns = [](const std::string& cell) {
    return cell.find("entities:4096") == std::string::npos ? 1e3 : 1e8;
  };
  const TimePlan budgeted =
      with(&TimePlan::repetitions, std::size_t{1000}, with(&TimePlan::budget_s, std::optional(6.0)));
  const Run run = run_of(bench, "fast", "1k,2k,4k", budgeted);
  CHECK(bench.timer.now_s <= 6.5);
  for (const BlockResult& block : run.blocks) CHECK(block.cells[0].repetitions.size() >= plan.fewest_repetitions);
  CHECK(run.blocks[0].cells[0].repetitions.size() > 100);
}

TEST_CASE("a further look goes to blocks in which something is open, and after an interruption to the same blocks") {
  fake::FakeBench bench;
  bench.timer.pass_ns = [&](const std::string& cell) {  // `twin` is slower, at 2k entities not every time
    const bool is_unsteady = cell.find("entities:2048") != std::string::npos && bench.timer.timed.size() % 2 == 0;
    return cell.find("/twin/") == std::string::npos ? 1000.0 : is_unsteady ? 700.0 : 1500.0;
  };
  const TimePlan looking = with(&TimePlan::more_looks_s, {1}, with(&TimePlan::visits, std::size_t{2}));
  const std::vector<Block> blocks = bench.blocks("fast,twin", "walk", "1k,2k");
  Run run;
  bench.timer.after_each = [&] { bench.stopped = run.blocks.size() == 2 && visits_done(run.blocks[1]) == 3; };
  run_blocks(run, blocks, looking, bench.bench(), fake::save_nowhere);
  CHECK(run.state.interrupted);
  CHECK(whole_looks_at(run) == 1);  // the next call goes on with the second
  bench.timer.after_each = nullptr;
  bench.stopped = false;
  bench.timer.pass_ns = [](const std::string&) { return 1000.0; };  // whatever is seen now, the look was begun
  run_blocks(run, blocks, looking, bench.bench(), fake::save_nowhere);
  CHECK(visits_done(run.blocks[0]) == 2);
  CHECK(visits_done(run.blocks[1]) == 4);
  CHECK(looks_at(run.blocks[1], run.state.visits) == 2);
  CHECK(whole_looks_at(run) == 2);
  CHECK(blocks_done(run) == 2);
}

TEST_CASE("a further look begins only if there is time for one as long as the last") {
  fake::FakeBench bench;  // times are drawn for whichever strategy comes next, so all stay open
  bench.timer.pass_ns = [&](const std::string&) { return bench.timer.timed.size() % 2 == 0 ? 700.0 : 1500.0; };
  bench.asking_s = 1;
  const std::vector<Block> blocks = bench.blocks("fast,twin", "walk", "1k");
  const auto looks_within = [&](double look_s) {
    Run run;
    run_blocks(run, blocks,
               with(&TimePlan::more_looks_s, {look_s, look_s, look_s}, with(&TimePlan::visits, std::size_t{2})),
               bench.bench(), fake::save_nowhere);
    return whole_looks_at(run);
  };
  CHECK(looks_within(0.1) == 2);
  CHECK(looks_within(10'000) == 4);
}

// The blocks of 2k and 4k entities stay open, and their processes differ in the second look. So the block of 1k, which
// is decided after the first look, is open again before the third, and one more visit would decide it.
TEST_CASE("a block that is open again gets all visits of the look, and the next call goes on with what is open") {
  fake::FakeBench bench;
  std::size_t now = 0;
  bench.timer.pass_ns = [&](const std::string& cell) {
    const bool is_small = cell.find("entities:1024") != std::string::npos;
    const double differs = is_small || cell.find("/reference/") != std::string::npos ? 1
                           : now == 2                                                ? 1.093
                           : now == 3                                                ? 1 / 1.093
                                                                                     : 1;
    const double slower = cell.find("/twin/") == std::string::npos ? 1 : is_small ? 1.2 : 1.0245;
    return 1000 * differs * slower;
  };
  const std::vector<Block> blocks = bench.blocks("fast,twin", "walk", "1k,2k,4k");
  TimePlan looking = with(&TimePlan::more_looks_s, {1, 1}, with(&TimePlan::visits, std::size_t{2}));
  const auto noting = [&](Run& its, std::size_t visit, std::optional<double> budget_s) {
    now = visit;
    run_visit(its, blocks, looking, visit, budget_s, bench.bench(), fake::save_nowhere);
  };
  const auto visits_of = [](const BlockResult& block) {
    const std::vector<std::size_t> visits = all_of(block.cells.at(1), &Repetition::visit);
    return std::set<std::size_t>(visits.begin(), visits.end());
  };
  Run run;
  run_blocks(run, blocks, looking, bench.bench(), fake::save_nowhere, noting);
  CHECK(visits_of(run.blocks[0]) == std::set<std::size_t>{0, 1, 4, 5});
  CHECK(visits_of(run.blocks[1]) == std::set<std::size_t>{0, 1, 2, 3, 4, 5});
  CHECK(looks_at(run.blocks[0], run.state.visits) == 3);
  CHECK(whole_looks_at(run) == 3);
  looking.more_looks_s.assign(whole_looks_at(run), 1);  // one look more
  run_blocks(run, blocks, looking, bench.bench(), fake::save_nowhere, noting);
  CHECK(visits_done(run.blocks[1]) == 8);
}

TEST_CASE("a run says how long its time passes took, unless an older version began it") {
  fake::FakeBench bench;
  bench.asking_s = 1;
  const std::vector<Block> blocks = bench.blocks("fast", "walk", "1k,2k");
  Run run;
  const auto time_pass = [&] { run_blocks(run, blocks, plan, bench.bench(), fake::save_nowhere); };
  time_pass();
  const double first_s = run.state.time_pass_s.value();
  CHECK(first_s > 0);
  CHECK(first_s == run.state.wall_s);
  run_memory_pass(run, blocks, bench.bench(), fake::save_nowhere);
  CHECK(run.state.wall_s > first_s);
  CHECK(run.state.time_pass_s == first_s);
  const double others_s = run.state.wall_s - first_s;
  run.blocks.pop_back();
  time_pass();
  CHECK(run.state.time_pass_s > first_s);
  CHECK(run.state.time_pass_s.value() == Approx(run.state.wall_s - others_s));
  run.state.time_pass_s.reset();
  run.blocks.pop_back();
  time_pass();
  CHECK_FALSE(run.state.time_pass_s);
}

std::size_t shared = 0;
std::size_t parted = 0;

TEST_CASE("passes that are long in all cells are warmed in the first round alone") {
  fake::FakeBench bench;
  double fast_ns = 2e7;
  bench.timer.pass_ns = [&](const std::string& cell) { return cell.starts_with("walk/fast") ? fast_ns : 2e7; };
  const auto warmed = [&](std::size_t visits, const std::string& workload = "walk") {
    bench.timer.timed.clear();
    run_of(bench, "fast", "1k", with(&TimePlan::visits, visits), workload);
    return std::ranges::count(bench.timer.timed, true, &fake::FakeTimer::Call::is_warmed);
  };
  CHECK(warmed(1) == 4);  // and calibration
  CHECK(warmed(2) == 4);
  const auto are_all_warmed = [&](std::size_t visits, const std::string& workload) {
    const std::ptrdiff_t count = warmed(visits, workload);
    return count == static_cast<std::ptrdiff_t>(bench.timer.timed.size());
  };
  CHECK(are_all_warmed(2, "build"));  // it is not repeatable
  fast_ns = 1e6;
  CHECK(are_all_warmed(1, "walk"));
}

/// How many cases there were when the first of each population was timed, for these blocks as parts of a world.
std::vector<std::size_t> cases_when_timed(std::vector<Block> blocks,
                                          std::string (*population)(const workloads::Parameters&)) {
  fake::FakeBench bench;
  WorkloadEntry of_world = *blocks.at(0).workload;
  of_world.population = population;
  for (Block& block : blocks) block.workload = &of_world;
  bench.catalogue.set_populations("fast", {[] { ++shared; }, [] { ++parted; }});
  shared = parted = fake::cases_made = 0;
  std::vector<std::size_t> cases;
  bench.timer.after_each = [&] {
    CHECK(shared == parted + 1);
    if (cases.empty() || cases.back() != fake::cases_made) cases.push_back(fake::cases_made);
  };
  Run run;
  run_blocks(run, blocks, plan, bench.bench(), fake::save_nowhere);
  CHECK(shared == parted);
  CHECK(blocks_done(run) == blocks.size());
  return cases;
}

TEST_CASE("blocks of one population and of equal strategies share it, and all are verified before one is timed") {
  const fake::FakeBench bench;
  const auto one = [](const workloads::Parameters&) { return std::string("one"); };
  const auto by_size = [](const workloads::Parameters& parameters) { return std::to_string(parameters.entities); };
  const std::vector<Block> blocks = bench.blocks("fast", "walk", "1k,2k");
  CHECK(cases_when_timed(blocks, one) == std::vector<std::size_t>{4});
  CHECK(shared == 1);
  CHECK(cases_when_timed(blocks, by_size) == std::vector<std::size_t>{2, 4});
  CHECK(shared == 2);
  std::vector<Block> unequal = bench.blocks("fast,twin", "walk", "1k,2k");
  unequal.at(1).strategies.pop_back();
  CHECK(cases_when_timed(unequal, one) == std::vector<std::size_t>{3, 5});
}

}  // namespace
}  // namespace stowage::harness
