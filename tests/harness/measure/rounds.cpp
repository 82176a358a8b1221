// The time pass on a fake timer: shuffled rounds, building anew, budgets, visits, further looks, and resuming.
#include "harness/measure/rounds.hpp"

#include <iterator>

#include "harness/text.hpp"
#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

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

void save_nowhere(const Run&) {}

Run run_of(fake::FakeBench& bench, const std::string& strategies, const std::string& entities,
           const TimePlan& its_plan = plan, const std::string& workload = "walk") {
  Run run;
  run_blocks(run, bench.blocks(strategies, workload, entities), its_plan, bench.bench(), save_nowhere);
  return run;
}

std::vector<std::size_t> all_of(const CellResult& cell, std::size_t Repetition::* what) {
  std::vector<std::size_t> values;
  std::ranges::transform(cell.repetitions, std::back_inserter(values), what);
  return values;
}

/// What was timed after calibration, in order.
std::vector<std::string> rounds_of(const fake::FakeTimer& timer, std::size_t cells, std::size_t repetitions) {
  std::vector<std::string> order;
  for (auto call = timer.timed.end() - static_cast<std::ptrdiff_t>(cells * repetitions); call != timer.timed.end();
       ++call) {
    order.push_back(call->cell);
  }
  return order;
}

TEST_CASE("every strategy and the reference is timed once in each round, shuffled anew, and equally on every machine") {
  fake::FakeBench bench;
  const BlockResult result = measured(bench, "fast,twin");
  for (const CellResult& cell : result.cells) CHECK(cell.repetitions.size() == plan.repetitions);
  const std::vector<std::string> order = rounds_of(bench.timer, 3, plan.repetitions);
  std::set<std::vector<std::string>> different_rounds;
  for (std::size_t round = 0; round < plan.repetitions; ++round) {
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(3 * round);
    CHECK(std::set<std::string>(first, first + 3).size() == 3);
    different_rounds.emplace(first, first + 3);
  }
  CHECK(different_rounds.size() > 2);
  fake::FakeBench other;
  measured(other, "fast,twin");
  CHECK(order == rounds_of(other.timer, 3, plan.repetitions));
}

TEST_CASE("a cell that fails, at once or in a later round or visit, has an error and no figures; the others go on") {
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
  const TimePlan lasting = with(&TimePlan::builds_anew, false);
  const Run run = run_of(bench, "moody", "1k", with(&TimePlan::visits, std::size_t{2}, lasting));
  check(run.blocks[0].cells[0], run.blocks[0].cells[1], "differs from");
  bench.asking_s = 1;
  const BlockResult in_a_later_round = measured(bench, "fast,fragile");
  check(in_a_later_round.cells[1], in_a_later_round.cells[2], "threw: the hold is full");
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

std::vector<std::size_t> layouts_of(const TimePlan& its_plan, double building_s) {
  fake::FakeBench bench;
  bench.asking_s = building_s;
  bench.catalogue.add_layout(fake::make());
  bench.catalogue.add_layout(fake::make());
  return all_of(measured(bench, "fast", its_plan).cells.at(1), &Repetition::layout);
}

TEST_CASE("each build is another layout of the code") {
  const TimePlan varied = with(&TimePlan::layouts, std::size_t{3});
  const std::vector<std::size_t> in_turn{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1};
  CHECK(layouts_of(varied, 0) == in_turn);
  CHECK(layouts_of(plan, 0) == std::vector<std::size_t>(plan.repetitions, 0));
}

TEST_CASE("a layout that a strategy does not have is one that it has") {
  Catalogue catalogue = fake::make();
  CHECK(catalogue.maker("fast", "walk", 7) == catalogue.maker("fast", "walk"));
  catalogue.add_layout(fake::make());
  CHECK(catalogue.maker("fast", "walk", 1) == catalogue.maker("fast", "walk"));
  CHECK(catalogue.maker("nothing", "walk", 1) == nullptr);
}

TEST_CASE("cases that are built anew are verified anew") {
  fake::FakeBench bench;
  fake::cases_made = 0;
  const BlockResult result = measured(bench, "moody");
  CHECK(result.cells[0].repetitions.size() == plan.repetitions);
  CHECK(result.cells[1].error == "did other work when it was built anew");
  CHECK(result.cells[1].repetitions.empty());
}

TEST_CASE("a stop in the middle of a block leaves no half of it") {
  fake::FakeBench bench;
  bench.timer.after_each = [&] { bench.stopped = bench.timer.timed.size() > 12; };
  CHECK_FALSE(measure_block(bench.blocks("fast,twin", "walk", "1k").at(0), plan, bench.bench()));
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

TEST_CASE("each visit to a block measures a part of its repetitions, after all other blocks had theirs") {
  fake::FakeBench bench;
  std::vector<std::string> order;
  bench.timer.after_each = [&] {
    const std::string& cell = bench.timer.timed.back().cell;
    const std::string entities = split_list(cell, '/').at(2);
    if (order.empty() || order.back() != entities) order.push_back(entities);
  };
  const Run run = run_of(bench, "fast", "1k,2k", with(&TimePlan::visits, std::size_t{3}));
  CHECK(order == std::vector<std::string>{"entities:1024", "entities:2048", "entities:1024", "entities:2048",
                                          "entities:1024", "entities:2048"});
  REQUIRE(run.blocks.size() == 2);
  for (const CellResult& cell : run.blocks[0].cells) {
    CHECK(all_of(cell, &Repetition::visit) == std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  }
  CHECK(blocks_done(run) == 2);
}

TEST_CASE("what is too dear to build before each round has another layout in each visit") {
  fake::FakeBench bench;
  bench.asking_s = 1;
  bench.catalogue.add_layout(fake::make());
  bench.catalogue.add_layout(fake::make());
  const Run run = run_of(bench, "fast", "1k", with(&TimePlan::layouts, std::size_t{3}));
  CHECK(all_of(run.blocks[0].cells.at(1), &Repetition::layout) ==
        std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
}

/// Counts the blocks of every version of the run that reaches the disk.
struct Disk {
  std::vector<std::size_t> blocks_saved;
  std::size_t room_for = 100;

  void operator()(const Run& run) {
    if (run.blocks.size() > room_for) throw std::runtime_error("disk full");
    blocks_saved.push_back(run.blocks.size());
  }
};

TEST_CASE("the run is on disk before the first block and after every one") {
  fake::FakeBench bench;
  Disk disk;
  Run run;
  run_blocks(run, bench.blocks("fast", "walk", "1k,2k,4k"), plan, bench.bench(), std::ref(disk));
  CHECK(disk.blocks_saved == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(run.state.blocks_planned == 3);
  CHECK_FALSE(run.state.interrupted);
  Disk full{{}, 1};
  Run unsaved;  // what was measured is still in memory
  CHECK_THROWS(run_blocks(unsaved, bench.blocks("fast", "walk", "1k,2k,4k"), plan, bench.bench(), std::ref(full)));
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
  run_blocks(run, blocks, its_plan, bench.bench(), save_nowhere);
  CHECK(run.state.interrupted);
  CHECK(blocks_done(run) == 1);
  REQUIRE(run.blocks.size() == (visits == 1 ? 1 : blocks.size()));
  CHECK(run.blocks[0].name() == blocks[0].name());

  bench.timer.after_each = nullptr;
  bench.stopped = false;
  bench.timer.timed.clear();
  run_blocks(run, blocks, its_plan, bench.bench(), save_nowhere);
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
  TimePlan budgeted = plan;
  budgeted.repetitions = 1000;
  budgeted.budget_s = 6;
  Disk disk;
  Run run;
  run_blocks(run, bench.blocks("fast", "walk", "1k,2k,4k"), budgeted, bench.bench(), std::ref(disk));
  CHECK(bench.timer.now_s <= 6.5);
  for (const BlockResult& block : run.blocks) CHECK(block.cells[0].repetitions.size() >= plan.fewest_repetitions);
  CHECK(run.blocks[0].cells[0].repetitions.size() > 100);
}

/// Times of a pass: 1000 ns, but of `twin` `twin_ns`, which at 2k entities is 700 ns every second time.
std::function<double(const std::string&)> open_at_2k(const fake::FakeTimer& timer, double twin_ns) {
  return [&timer, twin_ns](const std::string& cell) {
    const bool is_unsteady = cell.find("entities:2048") != std::string::npos && timer.timed.size() % 2 == 0;
    return cell.find("/twin/") == std::string::npos ? 1000.0 : is_unsteady ? 700.0 : twin_ns;
  };
}

const TimePlan looking = with(&TimePlan::more_looks_s, {1}, with(&TimePlan::visits, std::size_t{2}));

TEST_CASE("a further look goes to blocks in which something is open, and leaves decided ones alone") {
  fake::FakeBench bench;
  bench.timer.pass_ns = open_at_2k(bench.timer, 1500);
  const Run run = run_of(bench, "fast,twin", "1k,2k", looking);
  REQUIRE(run.blocks.size() == 2);
  CHECK(visits_done(run.blocks[0]) == 2);
  CHECK(visits_done(run.blocks[1]) == 4);
  CHECK(looks_at(run.blocks[1], run.state.visits) == 2);
  CHECK(blocks_done(run) == 2);
}

TEST_CASE("a further look that was interrupted goes on with the same blocks") {
  fake::FakeBench bench;
  bench.timer.pass_ns = open_at_2k(bench.timer, 1500);
  const std::vector<Block> blocks = bench.blocks("fast,twin", "walk", "1k,2k");
  Run run;
  bench.timer.after_each = [&] { bench.stopped = run.blocks.size() == 2 && visits_done(run.blocks[1]) == 3; };
  run_blocks(run, blocks, looking, bench.bench(), save_nowhere);
  CHECK(run.state.interrupted);
  bench.timer.after_each = nullptr;
  bench.stopped = false;
  bench.timer.pass_ns = [](const std::string&) { return 1000.0; };  // whatever is seen now, the look was begun
  run_blocks(run, blocks, looking, bench.bench(), save_nowhere);
  CHECK(visits_done(run.blocks[0]) == 2);
  CHECK(visits_done(run.blocks[1]) == 4);
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
  run_blocks(run, blocks, plan, bench.bench(), save_nowhere);
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

TEST_CASE("each visit can be made elsewhere, and makes what one process would") {
  fake::FakeBench bench;
  const std::vector<Block> blocks = bench.blocks("fast", "walk", "1k,2k");
  const TimePlan thrice = with(&TimePlan::visits, std::size_t{3}, with(&TimePlan::budget_s, std::optional(30.0)));
  Run run;
  std::vector<std::size_t> visits;
  run_blocks(run, blocks, thrice, bench.bench(), save_nowhere,
             [&](Run& its, std::size_t visit, std::optional<double> budget_s) {
               visits.push_back(visit);
               REQUIRE(budget_s);
               CHECK(*budget_s > 9);
               run_visit(its, blocks, thrice, visit, budget_s, bench.bench(), save_nowhere);
             });
  CHECK(visits == std::vector<std::size_t>{0, 1, 2});
  CHECK(all_of(run.blocks[0].cells[0], &Repetition::visit) ==
        std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
}

}  // namespace
}  // namespace stowage::harness
