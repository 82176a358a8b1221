// The cache pass on a fake simulator, models of caches, dumps of Callgrind, and the lines that go to a child.
#include "harness/measure/simulated/pass.hpp"

#include <fstream>

#include "harness/errors.hpp"
#include "harness/measure/simulated/cache_model.hpp"
#include "harness/measure/simulated/figures.hpp"
#include "harness/measure/simulated/protocol.hpp"
#include "harness/system/files.hpp"
#include "harness/verify/cells.hpp"
#include "tests/harness/fake_bench.hpp"
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

struct Pass : fake::FakeRun {
  explicit Pass(const std::string& entities, const std::string& strategies = "fast,twin",
                const std::string& workloads = "walk,build", const std::string& preset = "quick")
      : FakeRun(strategies, workloads, entities, preset) {}

  bool operator()() {
    const Bench simulating{bench.catalogue, bench.timer, bench.bench().progress,
                           [this] { return simulator.started.size() >= stop_after; },
                           [this] { return simulator.now_s; }};
    return run_cache_pass(run, blocks, plan, simulator, simulating, [this](const Run&) { ++saved; });
  }
  [[nodiscard]] std::size_t simulated() const {
    std::size_t cells = 0;
    for (const BlockResult& block : run.blocks) {
      for (const CellResult& cell : block.cells) cells += cell.counters.contains("instructions_per_item") ? 1 : 0;
    }
    return cells;
  }

  CachePlan plan{.model = parse_cache_model("reference"), .most_entities = {}, .budget_s = {}};
  FakeSimulator simulator;
  std::size_t saved = 0;
  std::size_t stop_after = 1000;
};

TEST_CASE("every cell gets its figures, small ones first, and each block is saved") {
  Pass pass("1k,2k");
  pass.run.blocks[0].cells[0].counters["allocations"] = 3;
  REQUIRE(pass());
  CHECK(pass.cell("reference").counters.at("allocations") == 3);  // figures of other passes stay
  CHECK(pass.simulated() == 12);
  CHECK(pass.saved == 4);
  CHECK(pass.cell("fast").counters.at("instructions_per_item") == Approx(10));
  CHECK(pass.cell("fast").items == 1024);
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
  CHECK(pass.cell("fast").error.empty());
  CHECK_FALSE(pass.cell("twin").counters.contains("instructions_per_item"));
  REQUIRE(pass.run.omissions.size() == 2);
  CHECK(pass.run.omissions[0].cell == "walk/fast/entities:1024/via:each");
  CHECK(pass.run.omissions[0].reason == "threw: no");
  CHECK_THAT(pass.run.omissions[1].reason, ContainsSubstring("checksum"));
  CHECK(pass.cell("fast", 1).error == "threw: no");
  CHECK_THAT(pass.cell("twin", 1).error, ContainsSubstring("checksum"));
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
  CHECK_FALSE(pass.cell("reference").counters.contains("instructions_per_item"));
}

TEST_CASE("cells of a strategy that says it is uncountable are left out with the reason") {
  Pass pass("1k", "fast", "walk");
  StrategyEntry crowd = *pass.blocks[0].strategies[1];
  crowd.why_uncounted = "it is a crowd";
  for (Block& block : pass.blocks) block.strategies[1] = &crowd;
  REQUIRE(pass());
  CHECK(pass.simulated() == pass.blocks.size());
  REQUIRE(pass.run.omissions.size() == pass.blocks.size());
  CHECK(pass.run.omissions[0].cell == "walk/fast/entities:1024/via:each");
  CHECK(pass.run.omissions[0].reason == "it is a crowd");
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

// ---- models of caches

constexpr std::uint64_t kib = 1024;

/// One cache as Linux describes it.
void describe(const std::filesystem::path& directory, const std::string& level, const std::string& type,
              const std::string& size, const std::string& ways, const std::string& line = "64") {
  std::filesystem::create_directories(directory);
  const auto write = [&directory](const char* file, const std::string& text) {
    std::ofstream(directory / file) << text << "\n";
  };
  write("level", level);
  write("type", type);
  write("size", size);
  write("ways_of_associativity", ways);
  write("coherency_line_size", line);
}

TEST_CASE("the reference model is the same everywhere, and explicit sizes replace those of it") {
  const CacheModel model = parse_cache_model("reference", "/nowhere");
  CHECK(model.l1d == CacheGeometry{48 * kib, 12, 64});
  CHECK(model.ll == CacheGeometry{2048 * kib, 16, 64});
  CHECK(model.l1d.sets() == 64);
  CHECK(model.l1d.text() == "48 KiB, 12-way, 64-byte lines");
  const CacheModel given = parse_cache_model("L1=32k:8,LL=1M:16,line=32");
  CHECK(given.name == "L1=32k:8,LL=1M:16,line=32");
  CHECK(given.l1d == CacheGeometry{32 * kib, 8, 32});
  CHECK(given.l1i == CacheGeometry{32 * kib, 8, 32});
  CHECK(given.ll == CacheGeometry{1024 * kib, 16, 32});
}

TEST_CASE("a machine with lines of 256 bytes has its own floors and shares") {
  const TemporaryDirectory directory;
  CHECK(host_line_bytes(directory.path()) == 0);
  describe(directory.path() / "index0", "1", "Instruction", "128K", "8", "64");
  describe(directory.path() / "index1", "1", "Data", "128K", "8", "256");
  describe(directory.path() / "index2", "2", "Unified", "4096K", "16", "256");
  CHECK(host_line_bytes(directory.path()) == 256);
  const CacheModel model = parse_cache_model("host", directory.path());
  CHECK(model.l1d == CacheGeometry{128 * kib, 8, 256});
  CHECK_FALSE(model.is_tlb());
  CHECK(parse_cache_model("L1=128k:8,L1i=128k:8,LL=4M:16,line=256").l1d == model.l1d);
  const Pass pass("1k", "fast", "walk");
  const Block& block = pass.blocks.front();
  CHECK(floor_counters(block).at("floor_lines_per_item") == 0.5);
  CHECK(floor_counters(block, {256}).at("floor_lines_per_item") == 0.125);
  CHECK(floor_counters(block, {0}).empty());
}

TEST_CASE("a model with pages for lines is a TLB") {
  const CacheModel small = parse_cache_model("tlb");
  CHECK(small.is_tlb());
  CHECK(small.name == "tlb");
  CHECK(small.l1d.lines() == 64);
  CHECK(small.ll.lines() == 1536);
  CHECK(small.ll.text() == "1536 pages of 4 KiB, 12-way");
  const CacheModel huge = parse_cache_model("tlb-2M");
  CHECK(huge.l1d == CacheGeometry{64 * kib * kib, 4, 2 * kib * kib});
  CHECK(huge.ll.lines() == 512);
  CHECK_FALSE(parse_cache_model("reference").is_tlb());
}

TEST_CASE("an impossible cache is refused with the nearest possible one") {
  const auto [model, reason] = GENERATE(table<std::string, std::string>({
      {"refrence", "unknown cache model 'refrence'; did you mean 'reference'?"},
      {"apple_m1", "did you mean 'apple-m1'?"},
      {"pentium", "give reference, apple-m1, zen2, cortex-a53, tlb, tlb-2M, host, or sizes"},
      {"L1=50k:12",
       "L1=50k:12: the number of sets (size / ways / line) must be a power of two; with 12 ways 48k or 96k would do"},
      {"L1=0k:8", "8 ways of 64-byte lines take 512 at least"},
      {"L1=48k:0", "at least one way"},
      {"L1=48k", "give size:ways, such as 48k:12"},
      {"L1=many:12", "give size:ways"},
      {"LL=4096M:16", "at most 1024M"},
      {"LL=99999999999999999999:16", "give size:ways"},
      {"line=0", "line=0: a line has a power of two of bytes from 16"},
      {"line=48", "a power of two"},
      {"LL=32k:16", "never smaller than the first; give at least 48k"},
      {"L2=1M:16", "--model has no 'L2'; did you mean 'L1'?"},
      {"L1=48k:12,", "unknown cache model ''"},
      {"", "unknown cache model ''"},
  }));
  CAPTURE(model);
  CHECK_THROWS_AS(parse_cache_model(model), UserError);
  CHECK_THROWS_WITH(parse_cache_model(model), ContainsSubstring(reason));
}

TEST_CASE("the host's caches are read if it describes all, and rounded down if they cannot be simulated") {
  const TemporaryDirectory directory;
  CHECK_THROWS_AS(parse_cache_model("host", directory.path() / "nowhere"), EnvironmentError);
  CHECK_THROWS_AS(parse_cache_model("host", directory.path()), EnvironmentError);
  describe(directory.path() / "index0", "1", "Data", "32K", "8");
  CHECK_THROWS_AS(parse_cache_model("host", directory.path()), EnvironmentError);
  describe(directory.path() / "index1", "1", "Instruction", "32K", "8");
  describe(directory.path() / "index2", "2", "Unified", "1024K", "16");
  describe(directory.path() / "index3", "3", "Unified", "327680K", "16");
  const CacheModel model = parse_cache_model("host", directory.path());
  CHECK(model.l1d == CacheGeometry{32 * kib, 8, 64});
  CHECK(model.ll == CacheGeometry{256 * kib * kib, 16, 64});
  REQUIRE(model.roundings.size() == 1);
  CHECK_THAT(model.roundings[0], ContainsSubstring("last-level cache has 320 MiB"));
  CHECK_THAT(model.roundings[0], ContainsSubstring("simulated is 256 MiB"));
}

// ---- a stored dump of Callgrind: its parser, the side of each source file, and the figures per item

// As Valgrind 3.19 writes it with --cacheuse=yes: compressed names, relative positions, zeros left out at the end of a
// line, and after `calls=` the cost of the callee, which has lines of its own.
constexpr const char* stored = R"(# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 9187
cmd:  ./stowage
part: 2

desc: D1 cache: 49152 B, 64 B, 12-way associative
desc: Trigger: Client Request

positions: instr line
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw AcCost1 SpLoss1 AcCost2 SpLoss2
summary: 132 24 5 0 9 2 0 4 1 100 128

ob=(1) /build/simulate/stowage
fl=(3) /src/workloads/support/measurement.hpp
fn=(6) MeasurementOf<LookupCase<IndirectionMap<A, B> > >::run(unsigned long)
0xbca80 60 1
+3 * 1
fi=(8) /src/workloads/lookup.hpp
+2 +10 100 20 0 0 8 0 0 4 0 90 128
fe=(3)
+7 -10 1 0 1
+7 -10 1 0 1 0 0 1
cob=(2) /usr/lib/libc.so
cfi=(9) ./string/memmove.S
cfn=(10) memmove
calls=2 +29
* * 28 4 3 0 1 1 0 0 1 10

fl=(9)
fn=(10)
0x4849 300 28 4 3 0 1 1 0 0 1 10

totals: 132 24 5 0 9 2 0 4 1 100 128
)";

CallgrindDump parse(const std::string& text) {
  std::istringstream in(text);
  return parse_dump(in);
}

TEST_CASE("costs are summed for each file that they were written in, and the costs of a callee count once") {
  const CallgrindDump dump = parse(stored);
  REQUIRE(dump.by_file.size() == 3);
  const CacheEvents& lookup = dump.by_file.at("/src/workloads/lookup.hpp");
  CHECK(
      lookup ==
      CacheEvents{.instructions = 100, .reads = 20, .writes = 0, .l1d_misses = 8, .ll_misses = 4, .unused_bytes = 128});
  CHECK(dump.by_file.at("/src/workloads/support/measurement.hpp").instructions == 4);
  CHECK(dump.by_file.at("./string/memmove.S").l1d_misses == 2);
  CHECK(dump.total() ==
        CacheEvents{
            .instructions = 132, .reads = 24, .writes = 5, .l1d_misses = 11, .ll_misses = 5, .unused_bytes = 128});
}

TEST_CASE("a dump that cannot be used is refused with the place") {
  const auto broken = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string text = stored;
  const auto [dump, reason] = GENERATE_COPY(table<std::string, std::string>({
      {"", "truncated"},
      {text.substr(0, text.find("totals:")), "truncated"},
      {broken(text, "DLmw", "____"), "line 12: there is no DLmw"},
      {broken(text, "fe=(3)", "fe=(5)"), "file (5) has no name"},
      {broken(text, "100 20", "100 2x"), "'2x' is no count"},
      {"events: Ir Dr Dw D1mr D1mw DLmr DLmw SpLoss1\n5 1\ntotals: 1\n", "a cost before the file"},
  }));
  CHECK_THROWS_WITH(parse(dump), ContainsSubstring(reason));
}

const CacheModel reference = parse_cache_model("reference");
constexpr const char* payload_file = "/home/me/build/simulate/../../workloads/lookup.hpp";
constexpr const char* index_file = "/home/me/build/simulate/../../strategies/stowage/parts/index/array.hpp";

/// 1000 items with 1000 misses of index, 1125 of payload, and `unknown` ones.
Simulation lookups(std::uint64_t unknown = 0) {
  Simulation simulation;
  simulation.items = 1000;
  simulation.nothing.by_file["/home/me/harness/child.cpp"] = {.instructions = 17, .reads = 2, .writes = 7};
  simulation.pass.by_file[index_file] = {.instructions = 6000, .reads = 1002, .l1d_misses = 1000, .ll_misses = 200};
  simulation.pass.by_file[payload_file] = {
      .instructions = 9017, .reads = 2000, .writes = 7, .l1d_misses = 1125, .ll_misses = 500, .unused_bytes = 1000};
  simulation.pass.by_file["./malloc/malloc.c"] = {.l1d_misses = unknown};
  return simulation;
}

TEST_CASE("the cost of measuring is not part of the figures, and misses are split by the file that caused them") {
  const Counters counters = cache_counters(lookups(), reference, 12.0);
  CHECK(counters.at("instructions_per_item") == Approx(15));
  CHECK(counters.at("data_reads_per_item") == Approx(3));
  CHECK(counters.at("data_writes_per_item") == 0);
  CHECK(counters.at("l1d_misses_per_item") == Approx(2.125));
  CHECK(counters.at("ll_misses_per_item") == Approx(0.7));
  CHECK(counters.at("l1d_misses_index_per_item") == Approx(1));
  CHECK(counters.at("l1d_misses_payload_per_item") == Approx(1.125));
  CHECK(counters.at("ll_misses_index_per_item") == Approx(0.2));
  CHECK(counters.at("ll_misses_payload_per_item") == Approx(0.5));
}

TEST_CASE("if too many misses belong to neither side, neither is stated") {
  CHECK(cache_counters(lookups(20), reference, 12.0).contains("l1d_misses_index_per_item"));
  const Counters counters = cache_counters(lookups(30), reference, 12.0);
  CHECK_FALSE(counters.contains("l1d_misses_index_per_item"));
  CHECK_FALSE(counters.contains("l1d_misses_payload_per_item"));
  CHECK(counters.contains("ll_misses_index_per_item"));
}

TEST_CASE("the share of a line that is used follows from what the work needs, or from many evicted lines") {
  CHECK(cache_counters(lookups(), reference, 12.0).at("line_use_share") == Approx(12 / (64 * 2.125)));
  CHECK_FALSE(cache_counters(lookups(), reference, std::nullopt).contains("line_use_share"));
  // More than all of them: the work found bytes in the cache.
  CHECK_FALSE(cache_counters(lookups(), reference, 140.0).contains("line_use_share"));
  CHECK_FALSE(cache_counters(lookups(), reference, 12.0).contains("line_use_share_evicted"));
  const CacheModel small = parse_cache_model("L1=4k:4");
  CHECK(cache_counters(lookups(), small, 12.0).at("line_use_share_evicted") == Approx(1 - 1000.0 / (64 * 2125)));
}

TEST_CASE("a file belongs to a side by its place in the sources, wherever those are or are installed") {
  const std::map<Side, std::vector<const char*>> files{
      {Side::payload,
       {payload_file, "/opt/include/stowage/parts/layout/columns.hpp", "/opt/share/stowage/workloads/lookup.hpp",
        "/x/strategies/stowage/contract/component.hpp", "/x/strategies/stowage/build/simulate/../../workloads/join.hpp",
        "/usr/include/c++/12/bit", "/usr/local/share/stowage/workloads/game/component.hpp",
        "/opt/include/stowage/hierarchy/form.hpp", "/x/strategies/stowage/serialize/checksum.hpp",
        "/usr/lib/gcc/x86_64-linux-gnu/12/include/avxintrin.h"}},
      {Side::index,
       {index_file, "/opt/include/stowage/parts/index/array.hpp", "/x/strategies/stowage/contract/registry.hpp",
        "/x/strategies/stowage/sparse_direct.hpp", "/opt/share/stowage/workloads/floors/slot_table.hpp",
        "/x/strategies/stowage/hierarchy/node_rows.hpp",
        "/home/workloads/stowage/build/simulate/../../strategies/stowage/hash_index.hpp",
        "/usr/include/boost/unordered/detail/foa.hpp", "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h",
        "/usr/include/c++/12/bits/unique_ptr.h", "/usr/include/c++/12/bits/hashtable.h",
        "/usr/include/c++/12/bits/stl_function.h"}},
      {Side::neither,
       {"/opt/include/other/index/array.hpp", "/usr/include/c++/12/bitset", "/home/me/game/table.hpp", "???",
        "./string/../sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S"}}};
  for (const auto& [side, of_side] : files) {
    for (const char* file : of_side) {
      CAPTURE(file);
      CHECK(side_of(file) == side);
    }
  }
  // the header of an outside storage is index, and what lies below its folder but is ours stays what it is
  CHECK(side_of("/home/me/game/table.hpp", "/home/me/game") == Side::index);
  CHECK(side_of("/home/me/games/table.hpp", "/home/me/game") == Side::neither);
  CHECK(side_of("/home/me/game/stowage/workloads/lookup.hpp", "/home/me/game") == Side::payload);
}

// ---- lines to a child and back

TEST_CASE("a request, an answer whatever its message holds, and a build come back from their lines") {
  const SimulationRequest request{.workload = "join",
                                  .strategy = "archetype_sections.fixed_32k",
                                  .parameters = {.entities = 16384, .values = {{"order", "same"}, {"via", "each"}}},
                                  .cold = true};
  CHECK(parse_request(line_of(request)) == request);
  const SimulationRequest plain{
      .workload = "alive", .strategy = "reference", .parameters = {.entities = 1, .values = {}}};
  CHECK(parse_request(line_of(plain)) == plain);
  CHECK(line_of(request).find('\n') == std::string::npos);
  const SimulationAnswer done{.process = 4711, .items = 16384, .checksum = ~std::uint64_t{0}, .error = {}};
  CHECK(parse_answer(line_of(done)) == done);
  const SimulationAnswer failed{.error = "threw:\ttwo\nlines"};
  CHECK(parse_answer(line_of(failed)).error == "threw: two lines");
  const Build build{"0.1.0", "GNU 12.2.0", "-O3 -g1", "abc with local changes"};
  CHECK(parse_build(line_of(build)) == build);
}

TEST_CASE("anything else is refused") {
  for (const char* line : {"", "warm", "warm\tjoin\treference", "warm\tjoin\treference\tmany",
                           "hot\tjoin\treference\t1", "warm\tjoin\treference\t1\tvia"}) {
    CHECK_THROWS_AS(parse_request(line), std::invalid_argument);
  }
  CHECK_THROWS_AS(parse_answer("done\t1\t2"), std::invalid_argument);
  CHECK_THROWS_AS(parse_answer("done\tx\t2\t3"), std::invalid_argument);
  CHECK_THROWS_AS(parse_build("stowage\t0.1.0"), std::invalid_argument);
  CHECK_THROWS_AS(parse_build("unknown command"), std::invalid_argument);
}

}  // namespace
}  // namespace stowage::harness
