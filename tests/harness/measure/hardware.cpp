// Hardware counters on fake events: scaling, contradictions, and what a user is told if a machine refuses.
#include "harness/measure/hardware/counters.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// A processor that has all events unless a test decides otherwise: they count the passes that a measurement tells of.
class Events final : public EventSource {
 public:
  /// What one pass adds, by libpfm's name of the event; this processor does not know an event without an entry.
  std::map<std::string, double, std::less<>> per_pass{
      {"CYCLES", 4000},        {"INSTRUCTIONS", 8000},   {"BRANCH-MISSES", 40}, {"L1-DCACHE-LOAD-MISSES", 400},
      {"LLC-LOAD-MISSES", 80}, {"DTLB-LOAD-MISSES", 20}, {"PAGE-FAULTS", 0},    {"TASK-CLOCK", 1200}};
  std::map<std::string, int, std::less<>> errors;    ///< what opening these is refused with
  std::size_t counters = 16;                         ///< that a group may use
  std::map<std::string, double, std::less<>> share;  ///< of the time that a group is counted for, by its first event
  std::string* calls = nullptr;                      ///< gets `+` and `-` where counting starts and stops

  std::uint64_t passes_each_time = 0;  ///< if the measurement does not tell: so many from each start to its stop

  [[nodiscard]] OpenedEvent open(std::string_view name, int group) override {
    if (const auto error = errors.find(name); error != errors.end()) return {-1, error->second};
    if (!per_pass.contains(name)) return {-1, ENOENT};
    if (group != new_group && groups_.at(group).size() == counters) return {-1, EINVAL};
    const int handle = next_handle_++;
    groups_[group == new_group ? handle : group].emplace_back(name);
    ++open_handles;
    return {handle, 0};
  }
  void close(int) noexcept override { --open_handles; }
  void start() noexcept override {
    running_ = true;
    if (calls != nullptr) *calls += '+';
  }
  void stop() noexcept override {
    running_ = false;
    passes_ += passes_each_time;
    if (calls != nullptr) *calls += '-';
  }
  /// A measurement tells of every pass it runs.
  void pass() {
    if (running_) ++passes_;
  }

  [[nodiscard]] GroupReading read(int group) override {
    const std::vector<std::string>& names = groups_.at(group);
    const auto limited = share.find(names.front());
    const double counted = limited == share.end() ? 1 : limited->second;
    GroupReading reading{.enabled_ns = passes_ * 1000, .running_ns = scaled(1000, counted), .counts = {}};
    for (const std::string& name : names) reading.counts.push_back(scaled(per_pass.find(name)->second, counted));
    return reading;
  }

  int open_handles = 0;

 private:
  [[nodiscard]] std::uint64_t scaled(double per_pass, double counted) const {
    return static_cast<std::uint64_t>(static_cast<double>(passes_) * per_pass * counted);
  }

  std::map<int, std::vector<std::string>> groups_;
  int next_handle_ = 3;
  std::uint64_t passes_ = 0;
  bool running_ = false;
};

/// 100 items a pass. Keeps the order of what was called: p for prepare(), r for a pass.
class CountedCase final : public fake::Case {
 public:
  CountedCase(Events& events, bool repeatable) : Case(repeatable, 100), events_(events) { events.calls = &calls; }

  void prepare() override { calls += 'p'; }
  void run(std::size_t passes) override {
    if (throws) throw std::runtime_error("overboard");
    for (std::size_t pass = 0; pass < passes; ++pass) events_.pass();
    calls.append(passes, 'r');
  }

  std::string calls;
  bool throws = false;

 private:
  Events& events_;
};

TEST_CASE("figures are per item, under the names of the results file, and what the time pass clocks is counted") {
  Events events;
  CountedCase measurement(events, true);
  HardwareCounters counters(events);
  const HardwareFigures figures = counters.count(measurement, 7, 3);
  CHECK(figures.doubts.empty());
  CHECK(figures.counters == Counters{{"cycles_per_item", 40},
                                     {"instructions_per_item", 80},
                                     {"branch_misses_per_item", 0.4},
                                     {"l1d_misses_per_item", 4},
                                     {"ll_misses_per_item", 0.8},
                                     {"dtlb_misses_per_item", 0.2},
                                     {"page_faults_per_item", 0},
                                     {"task_clock_ns_per_item", 12},
                                     {"counted_time_share", 1}});
  CountedCase repeatable(events, true);
  static_cast<void>(counters.count(repeatable, 3, 2));
  CHECK(repeatable.calls == "r+rrr-r+rrr-");
  CountedCase prepared(events, false);
  CHECK(counters.count(prepared, 3, 2).counters.at("instructions_per_item") == 80);
  CHECK(prepared.calls == "p+r-p+r-p+r-p+r-p+r-p+r-");
}

TEST_CASE("a case that throws leaves no counter running, and every event is closed in the end") {
  Events events;
  {
    HardwareCounters counters(events);
    CountedCase measurement(events, false);
    measurement.throws = true;
    CHECK_THROWS_WITH(counters.count(measurement, 3, 2), "overboard");
    CHECK(measurement.calls == "p+-");
    CHECK(events.open_handles == 8);
  }
  CHECK(events.open_handles == 0);
}

TEST_CASE("counts of events that took turns are scaled up, which is shown; one that had no turn has no figure") {
  Events events;
  events.share = {{"CYCLES", 0.5}, {"L1-DCACHE-LOAD-MISSES", 0.25}};
  CountedCase measurement(events, true);
  const Counters scaled = HardwareCounters(events).count(measurement, 1000, 3).counters;
  CHECK(scaled.at("cycles_per_item") == Approx(40));
  CHECK(scaled.at("l1d_misses_per_item") == Approx(4));
  CHECK(scaled.at("counted_time_share") == Approx(0.25));
  events.share = {{"L1-DCACHE-LOAD-MISSES", 0}};
  const HardwareFigures figures = HardwareCounters(events).count(measurement, 10, 3);
  CHECK(figures.counters.size() == 6);
  REQUIRE(figures.doubts.size() == 3);
  CHECK(figures.doubts.front().metric == "dtlb_misses_per_item");
  CHECK_THAT(figures.doubts.front().reason, ContainsSubstring("never counted"));
}

TEST_CASE("if a group is too large for the processor, the rest of it is counted apart") {
  Events events;
  events.counters = GENERATE(1, 2);
  CountedCase measurement(events, true);
  HardwareCounters counters(events);
  CHECK(counters.refused().empty());
  const HardwareFigures figures = counters.count(measurement, 10, 3);
  CHECK(figures.doubts.empty());
  CHECK(figures.counters.at("branch_misses_per_item") == Approx(0.4));
  CHECK(figures.counters.at("ll_misses_per_item") == Approx(0.8));
}

TEST_CASE("events that cannot be had are named, and the others are counted") {
  Events events;
  events.per_pass.erase("LLC-LOAD-MISSES");
  events.errors["CYCLES"] = EACCES;
  CountedCase measurement(events, true);
  HardwareCounters counters(events);
  REQUIRE(counters.refused().size() == 2);
  CHECK(counters.refused()[0].metric == "cycles_per_item");
  CHECK_THAT(counters.refused()[0].reason, ContainsSubstring("Permission denied"));
  CHECK(counters.refused()[1] ==
        Doubt{"ll_misses_per_item", "this processor, or the kernel for it, counts no such event"});
  const HardwareFigures figures = counters.count(measurement, 10, 3);
  CHECK(figures.doubts.empty());
  CHECK(figures.counters.size() == 7);
}

TEST_CASE("a processor's own event stands in if the kernel maps none") {
  constexpr const char* zen4 = "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR:DRAM_IO_FAR";
  Events events;
  events.per_pass.erase("LLC-LOAD-MISSES");
  events.per_pass[zen4] = 100;
  CountedCase measurement(events, true);
  HardwareCounters counters(events);
  CHECK(counters.events().at("ll_misses_per_item") == zen4);
  CHECK(counters.events().at("l1d_misses_per_item") == "L1-DCACHE-LOAD-MISSES");
  CHECK(counters.count(measurement, 10, 3).counters.at("ll_misses_per_item") == 1);
}

/// Touches pages that the kernel has not given this process yet.
class FreshPages final : public fake::Case {
 public:
  FreshPages() : Case(false, 64) {}
  void run(std::size_t) override {
    const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const pages = mmap(nullptr, items() * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    madvise(pages, items() * page_bytes, MADV_NOHUGEPAGE);  // refused if there are no huge pages: as good
    for (std::size_t page = 0; page < items(); ++page) static_cast<volatile char*>(pages)[page * page_bytes] = 1;
    munmap(pages, items() * page_bytes);
  }
};

TEST_CASE("the kernel's own events count what happened between start and stop") {
  const std::unique_ptr<EventSource> events = system_events();
  if (events == nullptr) {
    WARN("skipped: this binary was built without hardware counters");
    return;
  }
  HardwareCounters counters(*events);
  if (!counters.events().contains("page_faults_per_item")) {
    WARN("skipped: this machine does not even count page faults");
    return;
  }
  FreshPages measurement;
  const HardwareFigures figures = counters.count(measurement, 2, 3);
  CHECK(figures.counters.at("page_faults_per_item") == 1);
  CHECK(figures.counters.at("task_clock_ns_per_item") > 0);
}

Counters plausible() {
  return {{"cycles_per_item", 40},     {"instructions_per_item", 80}, {"branch_misses_per_item", 0.5},
          {"l1d_misses_per_item", 4},  {"ll_misses_per_item", 1},     {"dtlb_misses_per_item", 0.25},
          {"page_faults_per_item", 0}, {"task_clock_ns_per_item", 12}};
}

std::vector<std::string> doubted(Counters counters) {
  std::vector<std::string> names;
  const std::size_t before = counters.size();
  for (const Doubt& doubt : remove_unbelievable(counters)) names.push_back(doubt.metric);
  std::ranges::sort(names);
  CHECK(counters.size() + names.size() == before);
  for (const std::string& name : names) CHECK_FALSE(counters.contains(name));
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("figures that agree are kept, and two that contradict each other are both removed") {
  Counters counters = plausible();
  CHECK(doubted(counters).empty());
  CHECK(doubted({}).empty());
  CHECK(doubted({{"ll_misses_per_item", 1.0}}).empty());
  const auto [changed, value, removed] = GENERATE(table<std::string, double, Names>({
      {"ll_misses_per_item", 4.5, {"l1d_misses_per_item", "ll_misses_per_item"}},           // above the first level
      {"cycles_per_item", 4, {"cycles_per_item", "instructions_per_item"}},                 // too few for them
      {"branch_misses_per_item", 81, {"branch_misses_per_item", "instructions_per_item"}},  // never executed
  }));
  counters[changed] = value;
  CHECK(doubted(counters) == removed);
}

TEST_CASE("a counter that stays at zero is dead, and an instruction works on a few items at most") {
  Counters counters = plausible();
  counters["l1d_misses_per_item"] = 0;
  CHECK(doubted(counters) == Names{"l1d_misses_per_item"});
  counters["dtlb_misses_per_item"] = 0;
  CHECK(doubted(counters) == Names{"dtlb_misses_per_item", "l1d_misses_per_item"});
  CHECK(doubted({{"instructions_per_item", 0.5}}).empty());
  CHECK(doubted({{"instructions_per_item", 0.01}}) == Names{"instructions_per_item"});
}

const CountingPolicy metal{.perf_event_paranoid = 2, .virtualisation = "none"};
const CountingPolicy guest{.perf_event_paranoid = 2, .virtualisation = "kvm"};

std::string obstacle(int error, const CountingPolicy& policy) {
  Events events;
  events.errors["CYCLES"] = error;
  std::string text = obstacle_to_counting(&events, policy);
  CHECK_FALSE(text.empty());
  CHECK(std::ranges::count(text, '\n') == 0);
  return text;
}

TEST_CASE("counters that count are usable; one that never does is of no use, nor is a binary without events") {
  Events events;
  events.passes_each_time = 1;
  CHECK(obstacle_to_counting(&events, metal).empty());
  CHECK(events.open_handles == 0);
  CHECK_THAT(obstacle_to_counting(nullptr, metal), ContainsSubstring("libpfm4-dev"));
  events.per_pass["CYCLES"] = 0;
  CHECK_THAT(obstacle_to_counting(&events, guest),
             ContainsSubstring("stays at 0") && ContainsSubstring("virtual machine (kvm)"));
  events.share["CYCLES"] = 0;
  CHECK_THAT(obstacle_to_counting(&events, metal), ContainsSubstring("another program"));
}

TEST_CASE("a refusal says which setting to change, what the machine lacks, or what the system says") {
  using Errors = std::vector<int>;
  const Errors forbidden{EACCES, EPERM}, unknown{ENOENT, ENODEV, EOPNOTSUPP};
  const auto [errors, policy, texts] = GENERATE_COPY(table<Errors, CountingPolicy, Names>({
      {forbidden, {4, "none"}, {"perf_event_paranoid is 4", "sysctl kernel.perf_event_paranoid=2"}},
      {forbidden, metal, {"though perf_event_paranoid is 2", "--cap-add PERFMON"}},
      {forbidden, {std::nullopt, "none"}, {"seccomp"}},
      {unknown, guest, {"virtual machine (kvm)", "pmu=on"}},
      {unknown, metal, {"newer kernel"}},
      {{ENOSYS}, metal, {"no perf_event_open"}},
      {{EBUSY}, metal, {"another program"}},
      {{EMFILE}, metal, {"Too many open files"}},
  }));
  for (const int error : errors) {
    for (const std::string& text : texts) CHECK_THAT(obstacle(error, policy), ContainsSubstring(text));
  }
}

// ---- the pass

/// Ten passes a repetition, by the fake timer.
constexpr HardwarePlan plan{.repetitions = 3, .min_time_ns = 10'000};

struct Pass : fake::FakeRun {
  Pass(const std::string& strategies, const std::string& workloads) : FakeRun(strategies, workloads, "1k") {
    events.passes_each_time = 10;
  }

  bool count() {
    HardwareCounters counters(events);
    return run_hardware_pass(run, blocks, plan, counters, bench.bench());
  }
  /// The first block's workload says that it cannot be counted.
  void refuse(std::string (*why)(const workloads::Parameters&)) {
    refusing_ = *blocks[0].workload;
    refusing_.why_uncounted = why;
    blocks[0].workload = &refusing_;
  }

  Events events;

 private:
  WorkloadEntry refusing_;
};

TEST_CASE("every good cell is counted, and the record says by what") {
  Pass pass("reference,fast,wrong", "walk");
  pass.events.share = {{"CYCLES", 0.5}};
  REQUIRE(pass.count());
  const CellResult& fast = pass.cell("fast");
  CHECK(fast.items > 0);
  CHECK(fast.counters.at("counted_time_share") == 0.5);
  CHECK(fast.counters.at("instructions_per_item") == Approx(8000.0 / static_cast<double>(fast.items)));
  CHECK_THAT(pass.cell("wrong").error, ContainsSubstring("checksum"));
  CHECK_FALSE(pass.cell("wrong").counters.contains("instructions_per_item"));
  REQUIRE(pass.run.passes.size() == 1);
  CHECK(pass.run.passes.front().source == "hardware");
  CHECK_THAT(pass.run.passes.front().details.at("events"),
             ContainsSubstring("l1d_misses_per_item by L1-DCACHE-LOAD-MISSES"));
  CHECK_THAT(pass.run.passes.front().details.at("limits"), ContainsSubstring("loads"));
  CHECK_FALSE(pass.run.passes.front().details.contains("not counted"));
  CHECK_FALSE(pass.run.passes.front().details.contains("not believed"));
  CHECK(pass.events.open_handles == 0);
}

TEST_CASE("cells that a workload declares uncountable are verified, and left out with the reason") {
  Pass pass("reference,fast,wrong", "walk");
  pass.refuse([](const workloads::Parameters&) { return std::string("it is a crowd"); });
  REQUIRE(pass.count());
  CHECK_FALSE(pass.cell("fast").counters.contains("instructions_per_item"));
  CHECK(pass.cell("fast").items > 0);
  CHECK_THAT(pass.cell("wrong").error, ContainsSubstring("checksum"));
  REQUIRE(pass.run.omissions.size() == 2);
  CHECK(pass.run.omissions[1].cell == "walk/fast/entities:1024/via:each");
  CHECK(pass.run.omissions[1].reason == "it is a crowd");
}

TEST_CASE("figures that are not given are named, with the reason") {
  Pass pass("reference,fast", "walk");
  pass.events.per_pass.erase("DTLB-LOAD-MISSES");
  pass.events.per_pass["LLC-LOAD-MISSES"] = 500;
  REQUIRE(pass.count());
  const auto& details = pass.run.passes.front().details;
  CHECK_THAT(details.at("not counted"), ContainsSubstring("dtlb_misses_per_item: this processor"));
  CHECK_THAT(details.at("not believed"),
             ContainsSubstring("ll_misses_per_item of 2 cells: more last-level than L1d misses"));
  CHECK_FALSE(pass.cell("fast").counters.contains("ll_misses_per_item"));
}

TEST_CASE("the pass stops between two cells") {
  Pass pass("reference,fast", "walk");
  pass.bench.stopped = true;
  CHECK_FALSE(pass.count());
  CHECK_FALSE(pass.cell("fast").counters.contains("instructions_per_item"));
}

}  // namespace
}  // namespace stowage::harness
