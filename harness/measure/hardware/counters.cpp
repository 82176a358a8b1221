// The hardware pass: counts events of the processor, drops figures that cannot be true, and explains each refusal.
#include "harness/measure/hardware/counters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "harness/results/metrics.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/system/environment.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"
#include "harness/verify/cells.hpp"
#include "workloads/support/keep.hpp"

namespace stowage::harness {
namespace {

/// Counts while it lives, so that a case which throws leaves no counter running.
class Counting : boost::noncopyable {
 public:
  explicit Counting(EventSource& source) : source_(source) { source_.start(); }
  ~Counting() { source_.stop(); }

 private:
  EventSource& source_;
};

std::string reason_of(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "this processor, or the kernel for it, counts no such event";
    default:
      return "refused: " + std::system_category().message(error);
  }
}

GroupReading since(const GroupReading& before, GroupReading now) {
  now.enabled_ns -= before.enabled_ns;
  now.running_ns -= before.running_ns;
  for (std::size_t i = 0; i < now.counts.size(); ++i) now.counts[i] -= before.counts.at(i);
  return now;
}

/// Gathers the repetitions of one cell.
class Samples {
 public:
  explicit Samples(double items) : items_(items) {}

  void add(const std::vector<std::string>& metrics, const GroupReading& group) {
    if (group.running_ns == 0) {
      for (const std::string& metric : metrics) samples_[metric];
      return;
    }
    const double share = static_cast<double>(group.running_ns) / static_cast<double>(group.enabled_ns);
    least_share_ = std::min(least_share_, share);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      samples_[metrics[i]].push_back(static_cast<double>(group.counts.at(i)) / share / items_);
    }
  }

  [[nodiscard]] HardwareFigures figures() const {
    HardwareFigures figures;
    for (const auto& [metric, values] : samples_) {
      if (values.empty()) {
        figures.doubts.push_back({metric, "never counted: the kernel or another program holds the counters"});
      } else {
        figures.counters[metric] = median(values);
      }
    }
    std::ranges::move(remove_unbelievable(figures.counters), std::back_inserter(figures.doubts));
    if (!figures.counters.empty()) figures.counters["counted_time_share"] = least_share_;
    return figures;
  }

 private:
  double items_;
  double least_share_ = 1;
  std::map<std::string, std::vector<double>> samples_;
};

}  // namespace

HardwareCounters::HardwareCounters(EventSource& source) : source_(source) {
  for (const Event& event : counted_events) add(event);
}

HardwareCounters::~HardwareCounters() {
  for (const int handle : handles_) source_.close(handle);
}

void HardwareCounters::add(const Event& event) {
  int error = 0;
  for (const std::string_view name : event.names) {
    if (name.empty()) break;
    const OpenedEvent opened = open(name, event.group);
    if (opened.error == 0) {
      handles_.push_back(opened.handle);
      groups_.back().metrics.emplace_back(event.metric);
      events_[std::string(event.metric)] = name;
      return;
    }
    if (error == 0) error = opened.error;
  }
  refused_.push_back({std::string(event.metric), reason_of(error)});
}

/// In the last group if that is of this kind and the processor has a counter left for it, else in a new one.
OpenedEvent HardwareCounters::open(std::string_view name, EventGroup kind) {
  if (kind != EventGroup::alone && !groups_.empty() && groups_.back().kind == kind) {
    const OpenedEvent joined = source_.open(name, groups_.back().leader);
    if (joined.error != EINVAL) return joined;
  }
  const OpenedEvent alone = source_.open(name, new_group);
  if (alone.error == 0) groups_.push_back({kind, alone.handle, {}});
  return alone;
}

HardwareCounters::Readings HardwareCounters::read() const {
  Readings readings;
  for (const Group& group : groups_) readings.push_back(source_.read(group.leader));
  return readings;
}

HardwareCounters::Readings HardwareCounters::repetition(workloads::Measurement& measurement, std::size_t passes) {
  const Readings before = read();
  if (measurement.repeatable()) {
    measurement.run(1);
    const Counting counting(source_);
    measurement.run(passes);
  } else {
    for (std::size_t pass = 0; pass < passes; ++pass) {
      measurement.prepare();
      const Counting counting(source_);
      measurement.run(1);
    }
  }
  Readings added = read();
  for (std::size_t i = 0; i < added.size(); ++i) added[i] = since(before[i], std::move(added[i]));
  return added;
}

HardwareFigures HardwareCounters::count(workloads::Measurement& measurement, std::size_t passes,
                                        std::size_t repetitions) {
  Samples samples(static_cast<double>(measurement.items()) * static_cast<double>(passes));
  for (std::size_t n = 0; n < repetitions; ++n) {
    const Readings readings = repetition(measurement, passes);
    for (std::size_t i = 0; i < groups_.size(); ++i) samples.add(groups_[i].metrics, readings[i]);
  }
  return samples.figures();
}

namespace {

/// `smaller` may not exceed `larger` x `factor`.
struct Bound {
  std::string_view smaller;
  std::string_view larger;
  double factor;
  std::string_view violated;
};

/// No processor retires more instructions in one cycle, and no instruction touches more lines or pages than a gather
/// of 16 floats.
constexpr double most_per_step = 16;
/// A vector instruction works on 16 floats at most, so with fewer than one for 16 items no work was done.
constexpr double fewest_instructions = 1.0 / 16;

constexpr Bound bounds[] = {
    {"ll_misses_per_item", "l1d_misses_per_item", 1, "more last-level than L1d misses"},
    {"instructions_per_item", "cycles_per_item", most_per_step, "more than 16 instructions a cycle"},
    {"branch_misses_per_item", "instructions_per_item", 1, "more branch misses than instructions"},
    {"l1d_misses_per_item", "instructions_per_item", most_per_step, "more than 16 L1d misses an instruction"},
    {"dtlb_misses_per_item", "instructions_per_item", most_per_step, "more than 16 dTLB misses an instruction"},
};

std::optional<double> figure(const Counters& counters, std::string_view metric) {
  const auto found = counters.find(std::string(metric));
  return found == counters.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Doubt> dead_counters(const Counters& counters) {
  std::vector<Doubt> doubts;
  for (const Event& event : counted_events) {
    if (!event.may_be_zero && figure(counters, event.metric) == 0) {
      doubts.push_back({std::string(event.metric), "always zero"});
    }
  }
  return doubts;
}

std::vector<Doubt> contradictions(const Counters& counters) {
  std::vector<Doubt> doubts;
  for (const Bound& bound : bounds) {
    const std::optional<double> smaller = figure(counters, bound.smaller);
    const std::optional<double> larger = figure(counters, bound.larger);
    if (!smaller || !larger || *smaller <= *larger * bound.factor) continue;
    for (const std::string_view metric : {bound.smaller, bound.larger}) {
      doubts.push_back({std::string(metric), std::string(bound.violated)});
    }
  }
  if (figure(counters, "instructions_per_item").value_or(1) < fewest_instructions) {
    doubts.push_back({"instructions_per_item", "fewer than one for 16 items"});
  }
  return doubts;
}

}  // namespace

std::vector<Doubt> remove_unbelievable(Counters& counters) {
  std::vector<Doubt> doubts;
  // dead ones first: a counter that is dead contradicts live ones, which are not to blame
  for (const auto find_doubts : {dead_counters, contradictions}) {
    for (Doubt& doubt : find_doubts(counters)) doubts.push_back(std::move(doubt));
    for (const Doubt& doubt : doubts) counters.erase(doubt.metric);
  }
  return doubts;
}

namespace {

/// At this value or below, the kernel lets every process count its own events in user space.
constexpr int user_space_allowed = 2;

std::string forbidden(const std::optional<int>& paranoid) {
  if (paranoid && *paranoid > user_space_allowed) {
    return "the kernel does not let users count (perf_event_paranoid is " + std::to_string(*paranoid) +
           "); as root: sysctl kernel.perf_event_paranoid=2";
  }
  return "perf_event_open is forbidden though " +
         (paranoid ? "perf_event_paranoid is " + std::to_string(*paranoid) : "no perf_event_paranoid forbids it") +
         ", by a container's seccomp profile perhaps; give the container --cap-add PERFMON or another profile";
}

std::string without_counters(const std::string& virtualisation) {
  if (virtualisation == "none" || virtualisation == "unknown")
    return "the kernel knows none of this processor; a newer kernel may";
  return "this virtual machine (" + virtualisation +
         ") shows none; give it a virtual PMU (QEMU: -cpu host,pmu=on) or measure on the host";
}

std::string obstacle_of(int error, const CountingPolicy& policy) {
  switch (error) {
    case EACCES:
    case EPERM:
      return forbidden(policy.perf_event_paranoid);
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return without_counters(policy.virtualisation);
    case ENOSYS:
      return "this kernel has no perf_event_open, or a container's seccomp profile hides it; measure outside of the "
             "container";
    case EBUSY:
      return "another program holds the counters; close profilers and watchdogs";
    default:
      return "perf_event_open fails: " + std::system_category().message(error);
  }
}

void spend_cycles() {
  for (int i = 0; i < 10'000; ++i) workloads::keep(i);
}

}  // namespace

std::string obstacle_to_counting(EventSource* events, const CountingPolicy& policy) {
  if (events == nullptr) return "this binary was built without them; on Linux, install libpfm4-dev and build again";
  const OpenedEvent cycles = events->open("CYCLES", new_group);
  if (cycles.error != 0) return obstacle_of(cycles.error, policy);
  events->start();
  spend_cycles();
  events->stop();
  const GroupReading reading = events->read(cycles.handle);
  events->close(cycles.handle);
  if (reading.running_ns == 0) return obstacle_of(EBUSY, policy);
  if (reading.counts.at(0) == 0) return "the cycle counter stays at 0; " + without_counters(policy.virtualisation);
  return {};
}

std::string obstacle_to_counting() {
  const std::string level = first_line_of("/proc/sys/kernel/perf_event_paranoid");
  return obstacle_to_counting(system_events().get(), {.perf_event_paranoid = parse_number<int>(level),
                                                      .virtualisation = describe_environment().machine.virtualisation});
}

namespace {

/// Metric and reason of a doubt, with the cells it befell.
using DoubtedCells = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

std::string events_text(const HardwareCounters& counters) {
  const auto text_of = [](const auto& pair) { return fmt::format("{} by {}", pair.first, pair.second); };
  return fmt::format("{}", fmt::join(names_of(counters.events(), text_of), ", "));
}

std::string refusals_text(const HardwareCounters& counters) {
  const auto text_of = [](const Doubt& doubt) { return fmt::format("{}: {}", doubt.metric, doubt.reason); };
  return fmt::format("{}", fmt::join(names_of(counters.refused(), text_of), "; "));
}

std::string doubts_text(const DoubtedCells& doubts) {
  std::vector<std::string> texts;
  for (const auto& [doubt, cells] : doubts) {
    const std::string where = cells.size() == 1 ? cells.front() : fmt::format("{} cells", cells.size());
    texts.push_back(fmt::format("{} of {}: {}", doubt.first, where, doubt.second));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

PassRecord record_of(const Run& run, const HardwareCounters& counters, const HardwarePlan& plan,
                     const DoubtedCells& doubts) {
  PassRecord record{.pass = std::string(cache_pass),
                    .source = "hardware",
                    .details = {{"counted", "in user space, warm; the task clock in the kernel too"},
                                {"events", events_text(counters)},
                                {"repetitions", fmt::format("median of {}", plan.repetitions)},
                                {"limits", "first-level misses are those of loads; floors count written lines, too"}}};
  if (run.line_bytes != 0) record.details["lines"] = fmt::format("{} bytes", run.line_bytes);
  if (!counters.refused().empty()) record.details["not counted"] = refusals_text(counters);
  if (!doubts.empty()) record.details["not believed"] = doubts_text(doubts);
  return record;
}

class HardwarePass {
 public:
  HardwarePass(Run& run, const HardwarePlan& plan, HardwareCounters& counters, const Bench& bench)
      : run_(run), plan_(plan), counters_(counters), bench_(bench) {}

  /// False if it was stopped.
  bool count(const Block& block, BlockResult& result) {
    const std::vector<CellCheck> checks = verify_block(block, bench_.catalogue, bench_.stop);
    for (std::size_t i = 0; i < checks.size(); ++i) {
      if (bench_.stop()) return false;
      CellResult& cell = result.cells[i];
      cell.error = checks[i].error;
      const std::string reason = block.reason_not_to_count(*checks[i].strategy);
      if (cell.error.empty() && !reason.empty()) {
        run_.omissions.push_back({std::string(cache_pass), block.cell_name(*checks[i].strategy), reason});
      } else if (cell.error.empty()) {
        cell.error = error_of([&] { count(block, *checks[i].strategy, cell); });
      }
      if (cell.error.empty()) cell.items = checks[i].items;
    }
    bench_.progress.block_done(static_cast<double>(checks.size()));
    return checks.size() == block.strategies.size();
  }

  [[nodiscard]] const DoubtedCells& doubts() const noexcept { return doubts_; }

 private:
  void count(const Block& block, const StrategyEntry& strategy, CellResult& cell) {
    const std::string name = block.cell_name(strategy);
    bench_.progress.working_on(name, "counting");
    const std::unique_ptr<workloads::Measurement> measurement = make_case(block, strategy, bench_.catalogue);
    measurement->prepare();
    const Calibration calibration = calibrate(bench_.timer, name, *measurement, plan_.min_time_ns);
    HardwareFigures figures = counters_.count(*measurement, calibration.passes, plan_.repetitions);
    cell.counters.merge(figures.counters);
    for (Doubt& doubt : figures.doubts) {
      doubts_[{std::move(doubt.metric), std::move(doubt.reason)}].push_back(name);
    }
  }

  Run& run_;
  const HardwarePlan& plan_;
  HardwareCounters& counters_;
  const Bench& bench_;
  DoubtedCells doubts_;
};

}  // namespace

bool run_hardware_pass(Run& run, const std::vector<Block>& blocks, const HardwarePlan& plan, HardwareCounters& counters,
                       const Bench& bench) {
  HardwarePass pass(run, plan, counters, bench);
  bench.progress.start(cells_of(blocks), 0, cache_pass);
  bool complete = true;
  for (std::size_t i = 0; complete && i < blocks.size(); ++i) complete = pass.count(blocks[i], run.blocks[i]);
  bench.progress.stop();
  run.passes.push_back(record_of(run, counters, plan, pass.doubts()));
  return complete;
}

}  // namespace stowage::harness
