#include "harness/measure/hardware/hardware.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

/// Counts while it lives, so that a case which throws leaves no counter running.
class Counting {
 public:
  explicit Counting(EventSource& source) : source_(source) { source_.start(); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
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

/// In the last group where that is of this kind and the processor has a counter left for it, else in a new one.
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

}  // namespace stowage::harness
