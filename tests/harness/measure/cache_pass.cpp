// The cache pass on a fake simulator: the order of cells, resuming, errors, and cells that are left out.
#include "harness/measure/simulated/pass.hpp"

#include "harness/verify/cells.hpp"
#include "tests/harness/fake_catalogue.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Says that every item cost `instructions_per_item`. The cell that was started last is finished first.
class FakeSimulator final : public Simulator {
 public:
  [[nodiscard]] std::size_t workers() const override { return 2; }
  void start(std::size_t ticket, const SimulationRequest& request) override {
    CHECK(running_.size() < workers());
    running_.push_back({ticket, request});
    started.push_back(request.workload + "/" + request.strategy + "/" + request.parameters.name());
  }
  std::optional<Finished> next(std::chrono::milliseconds /*patience*/) override {
    const auto [ticket, request] = running_.back();
    running_.pop_back();
    now_s += seconds_per_cell;
    Finished finished{.ticket = ticket, .simulation = {}, .error = error_of_strategy(request.strategy)};
    finished.simulation.items = request.parameters.entities;
    finished.simulation.checksum = checksum_of_strategy(request.strategy);
    finished.simulation.pass.by_file["x"].instructions =
        static_cast<std::uint64_t>(instructions_per_item) * request.parameters.entities;
    return finished;
  }

  /// Makes it as if it were new: a pass that was stopped leaves cells under way.
  void forget() {
    running_.clear();
    started.clear();
  }

  std::function<std::string(const std::string&)> error_of_strategy = [](const std::string&) { return ""; };
  std::function<std::uint64_t(const std::string&)> checksum_of_strategy = [](const std::string&) { return 1; };
  double instructions_per_item = 10;
  double seconds_per_cell = 0;
  double now_s = 0;
  std::vector<std::string> started;

 private:
  struct Running {
    std::size_t ticket;
    SimulationRequest request;
  };
  std::vector<Running> running_;
};

class Pass {
 public:
  explicit Pass(const std::string& entities, const std::string& strategies = "fast,twin",
                const std::string& workloads = "walk,build", const std::string& preset = "quick") {
    SelectionRequest request;
    request.preset = preset;
    request.strategies = strategies;
    request.workloads = workloads;
    request.entities = entities;
    blocks = expand(resolve(request, catalogue), catalogue);
    run.blocks = empty_results(blocks);
  }

  bool operator()() {
    return run_cache_pass(run, blocks, plan,
                          {simulator, progress_, [this] { return simulator.started.size() >= stop_after; },
                           [this] { return simulator.now_s; }},
                          [this](const Run&) { ++saved; });
  }

  [[nodiscard]] const CellResult& cell(std::size_t block, std::size_t index) const {
    return run.blocks[block].cells[index];
  }
  [[nodiscard]] std::size_t simulated() const {
    std::size_t cells = 0;
    for (const BlockResult& block : run.blocks) {
      for (const CellResult& cell : block.cells) cells += cell.counters.contains("instructions_per_item") ? 1 : 0;
    }
    return cells;
  }

  Catalogue catalogue = fake::make();
  std::vector<Block> blocks;
  Run run;
  CachePlan plan{.model = parse_cache_model("reference"), .most_entities = {}, .budget_s = {}};
  FakeSimulator simulator;
  std::size_t saved = 0;
  std::size_t stop_after = 1000;

 private:
  std::ostringstream discarded_;
  Progress progress_{discarded_, false};
};

TEST_CASE("every cell gets its figures, small ones first, and each block is saved") {
  Pass pass("1k,2k");
  pass.run.blocks[0].cells[0].counters["allocations"] = 3;
  REQUIRE(pass());
  CHECK(pass.cell(0, 0).counters.at("allocations") == 3);  // figures of other passes stay
  CHECK(pass.simulated() == 12);
  CHECK(pass.saved == 4);
  CHECK(pass.cell(0, 1).counters.at("instructions_per_item") == Approx(10));
  CHECK(pass.cell(0, 1).items == 1024);
  for (std::size_t index = 0; index < 12; ++index) {
    CHECK((pass.simulator.started[index].find("entities:1024") != std::string::npos) == (index < 6));
  }
  CHECK(cells_to_simulate(pass.run, pass.blocks) == 0);
}

TEST_CASE("one cell of every workload comes first, at a size that no first-level cache holds") {
  Pass pass("1k,16k,32k", "fast", "walk,crowd", "standard");
  REQUIRE(pass());
  const std::vector<std::string> first = {"entities:16384/via:each", "crowd/", "entities:16384/via:find"};
  REQUIRE(pass.simulator.started.size() == 16);  // two cells of each block
  for (std::size_t index = 0; index < 2 * first.size(); ++index) {
    CHECK_THAT(pass.simulator.started[index], ContainsSubstring(first[index / 2]));
  }
}

TEST_CASE("what is open comes first, with the best of its block") {
  Pass pass("16k", "fast,twin", "walk", "standard");
  const std::size_t last = pass.run.blocks.size() - 1;
  for (CellResult& cell : pass.run.blocks[last].cells) {
    for (const double ns : {100.0, 120.0, 90.0, 110.0}) cell.repetitions.push_back({.real_ns = ns, .iterations = 1});
  }
  REQUIRE(pass());
  const std::set<std::string> first(pass.simulator.started.begin(), pass.simulator.started.begin() + 2);
  const std::string block = pass.blocks[last].parameters.name();
  CHECK(first == std::set<std::string>{"walk/fast/" + block, "walk/twin/" + block});
}

TEST_CASE("an interrupted pass keeps its complete blocks and goes on where it stopped") {
  Pass pass("1k,2k");
  pass.stop_after = 7;
  CHECK_FALSE(pass());
  const std::size_t kept = pass.simulated();
  CHECK(kept % 3 == 0);
  CHECK(kept > 0);
  pass.stop_after = 1000;
  pass.simulator.forget();
  REQUIRE(pass());
  CHECK(pass.simulated() == 12);
  CHECK(pass.simulator.started.size() == 12 - kept);
}

TEST_CASE("a cell that does other work is an error if it has no other figures, and left out if it has") {
  Pass pass("1k");
  pass.simulator.checksum_of_strategy = [](const std::string& strategy) { return strategy == "twin" ? 2 : 1; };
  pass.simulator.error_of_strategy = [](const std::string& strategy) { return strategy == "fast" ? "threw: no" : ""; };
  pass.run.blocks[0].cells[1].repetitions.push_back({1, 1, 1});
  pass.run.blocks[0].cells[2].repetitions.push_back({1, 1, 1});
  REQUIRE(pass());
  CHECK(pass.cell(0, 1).error.empty());
  CHECK_FALSE(pass.cell(0, 2).counters.contains("instructions_per_item"));
  REQUIRE(pass.run.omissions.size() == 2);
  CHECK(pass.run.omissions[0].cell == "walk/fast/entities:1024/via:each");
  CHECK(pass.run.omissions[0].reason == "threw: no");
  CHECK_THAT(pass.run.omissions[1].reason, ContainsSubstring("checksum"));
  CHECK(pass.cell(1, 1).error == "threw: no");
  CHECK_THAT(pass.cell(1, 2).error, ContainsSubstring("checksum"));
}

TEST_CASE("cells above the plan's size are left out for good, and those that failed before are not simulated") {
  Pass pass("1k,2k");
  pass.plan.most_entities = 1024;
  pass.run.blocks[0].cells[1].error = "checksum differs";
  REQUIRE(pass());
  CHECK(pass.simulated() == 5);
  CHECK(pass.run.omissions.size() == 6);
  CHECK_THAT(pass.run.omissions[0].reason, ContainsSubstring("more than 1k entities"));
  CHECK(cells_to_simulate(pass.run, pass.blocks) == 0);
}

TEST_CASE("a cell that would take too long, by the same with fewer entities, is left out unless forced") {
  Pass pass("1k,1M", "fast");
  pass.simulator.instructions_per_item = 1e5;
  REQUIRE(pass());
  CHECK(pass.simulated() == 4);
  REQUIRE(pass.run.omissions.size() == 4);
  CHECK(pass.run.omissions[0].cell == "build/fast/entities:1048576");
  CHECK_THAT(pass.run.omissions[0].reason, ContainsSubstring("it would take about 105 min"));
  Pass forced("1k,1M", "fast");
  forced.simulator.instructions_per_item = 1e5;
  forced.plan.takes_any_size = true;
  REQUIRE(forced());
  CHECK(forced.simulated() == 8);
}

TEST_CASE("cells that a workload declares uncountable are left out with the reason, even if forced") {
  Pass pass("1k");
  pass.plan.takes_any_size = true;
  WorkloadEntry walk = *pass.blocks[0].workload;
  walk.why_uncounted = [](const workloads::Parameters& parameters) {
    return std::string(parameters.get("via") == "each" ? "it is a crowd" : "");
  };
  pass.blocks[0].workload = &walk;
  REQUIRE(pass());
  CHECK(pass.simulated() == 3 * (pass.blocks.size() - 1));
  REQUIRE(pass.run.omissions.size() == 3);
  CHECK(pass.run.omissions[0].reason == "it is a crowd");
  CHECK_FALSE(pass.cell(0, 0).counters.contains("instructions_per_item"));
}

TEST_CASE("when the time of the pass is over, the rest is left out") {
  Pass pass("1k,2k");
  pass.simulator.seconds_per_cell = 1;
  pass.plan.budget_s = 4.5;
  REQUIRE(pass());
  CHECK(pass.simulated() >= 5);
  CHECK(pass.simulated() <= 7);
  CHECK(pass.simulated() + pass.run.omissions.size() == 12);
  CHECK_THAT(pass.run.omissions[0].reason, ContainsSubstring("no time left"));
}

}  // namespace
}  // namespace stowage::harness
