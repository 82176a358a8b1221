// Hardware counters on fake events: scaling, contradictions, and what a user is told if a machine refuses.
#include "harness/measure/hardware/counters.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "tests/harness/measure/fake_events.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("figures are per item, under the names of the results file, and what the time pass clocks is counted") {
  fake::EventsOfAll events;
  fake::CountedCase measurement(events, true);
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
  fake::CountedCase repeatable(events, true);
  static_cast<void>(counters.count(repeatable, 3, 2));
  CHECK(repeatable.calls == "r+rrr-r+rrr-");
  fake::CountedCase prepared(events, false);
  CHECK(counters.count(prepared, 3, 2).counters.at("instructions_per_item") == 80);
  CHECK(prepared.calls == "p+r-p+r-p+r-p+r-p+r-p+r-");
}

TEST_CASE("a case that throws leaves no counter running, and every event is closed in the end") {
  fake::EventsOfAll events;
  {
    HardwareCounters counters(events);
    fake::CountedCase measurement(events, false);
    measurement.throws = true;
    CHECK_THROWS_WITH(counters.count(measurement, 3, 2), "overboard");
    CHECK(measurement.calls == "p+-");
    CHECK(events.open_handles == 8);
  }
  CHECK(events.open_handles == 0);
}

TEST_CASE("counts of events that took turns are scaled up, and the scaling is shown") {
  fake::EventsOfAll events;
  events.share = {{"CYCLES", 0.5}, {"L1-DCACHE-LOAD-MISSES", 0.25}};
  fake::CountedCase measurement(events, true);
  const HardwareFigures figures = HardwareCounters(events).count(measurement, 1000, 3);
  CHECK(figures.counters.at("cycles_per_item") == Approx(40));
  CHECK(figures.counters.at("l1d_misses_per_item") == Approx(4));
  CHECK(figures.counters.at("counted_time_share") == Approx(0.25));
}

TEST_CASE("a group that never got a counter has no figures") {
  fake::EventsOfAll events;
  events.share = {{"L1-DCACHE-LOAD-MISSES", 0}};
  fake::CountedCase measurement(events, true);
  const HardwareFigures figures = HardwareCounters(events).count(measurement, 10, 3);
  CHECK(figures.counters.size() == 6);
  REQUIRE(figures.doubts.size() == 3);
  CHECK(figures.doubts.front().metric == "dtlb_misses_per_item");
  CHECK_THAT(figures.doubts.front().reason, ContainsSubstring("never counted"));
}

TEST_CASE("if a group is too large for the processor, the rest of it is counted apart") {
  fake::EventsOfAll events;
  events.counters = GENERATE(1, 2);
  fake::CountedCase measurement(events, true);
  HardwareCounters counters(events);
  CHECK(counters.refused().empty());
  const HardwareFigures figures = counters.count(measurement, 10, 3);
  CHECK(figures.doubts.empty());
  CHECK(figures.counters.at("branch_misses_per_item") == Approx(0.4));
  CHECK(figures.counters.at("ll_misses_per_item") == Approx(0.8));
}

TEST_CASE("events that cannot be had are named, and the others are counted") {
  fake::EventsOfAll events;
  events.per_pass.erase("LLC-LOAD-MISSES");
  events.errors["CYCLES"] = EACCES;
  fake::CountedCase measurement(events, true);
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
  fake::EventsOfAll events;
  events.per_pass.erase("LLC-LOAD-MISSES");
  events.per_pass[zen4] = 100;
  fake::CountedCase measurement(events, true);
  HardwareCounters counters(events);
  CHECK(counters.events().at("ll_misses_per_item") == zen4);
  CHECK(counters.events().at("l1d_misses_per_item") == "L1-DCACHE-LOAD-MISSES");
  CHECK(counters.count(measurement, 10, 3).counters.at("ll_misses_per_item") == 1);
}

/// Touches pages that the kernel has not given this process yet.
class FreshPages final : public fake::Case {
 public:
  FreshPages() : Case(false, 64) {}
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;
  ~FreshPages() override { release(); }

  void prepare() override {
    release();
    pages_ = static_cast<char*>(
        mmap(nullptr, items() * page_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(pages_ != MAP_FAILED);
    madvise(pages_, items() * page_bytes_, MADV_NOHUGEPAGE);  // refused if there are no huge pages: as good
  }
  void run(std::size_t) override {
    for (std::size_t page = 0; page < items(); ++page) static_cast<volatile char*>(pages_)[page * page_bytes_] = 1;
  }

 private:
  void release() {
    if (pages_ != nullptr) munmap(pages_, items() * page_bytes_);
  }

  std::size_t page_bytes_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* pages_ = nullptr;
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
  fake::Events events;
  events.errors["CYCLES"] = error;
  std::string text = obstacle_to_counting(&events, policy);
  CHECK_FALSE(text.empty());
  CHECK(std::ranges::count(text, '\n') == 0);
  return text;
}

TEST_CASE("counters that count are usable, and a binary without a source of events says how to get one") {
  fake::EventsOfAll events;
  events.passes_each_time = 1;
  CHECK(obstacle_to_counting(&events, metal).empty());
  CHECK(events.open_handles == 0);
  CHECK_THAT(obstacle_to_counting(nullptr, metal), ContainsSubstring("libpfm4-dev"));
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

TEST_CASE("a counter that opens and never counts is of no use") {
  fake::Events events;
  events.per_pass["CYCLES"] = 0;
  events.passes_each_time = 1;
  CHECK_THAT(obstacle_to_counting(&events, guest),
             ContainsSubstring("stays at 0") && ContainsSubstring("virtual machine (kvm)"));
  events.share["CYCLES"] = 0;
  CHECK_THAT(obstacle_to_counting(&events, metal), ContainsSubstring("another program"));
}

}  // namespace
}  // namespace stowage::harness
