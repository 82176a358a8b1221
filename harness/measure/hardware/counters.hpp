#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/hardware/events.hpp"
#include "harness/results/run.hpp"
#include "workloads/support/measurement.hpp"

namespace stowage::harness {

/// A figure that was removed, and why.
struct Doubt {
  std::string metric;
  std::string reason;

  friend bool operator==(const Doubt&, const Doubt&) = default;
};

/// Removes every figure from `counters` that is zero although it cannot be, or that another one contradicts, and says
/// why. If two contradict each other, neither can be trusted, so both are removed. Virtual machines in particular give
/// counters that open and count nonsense.
[[nodiscard]] std::vector<Doubt> remove_unbelievable(Counters& counters);

/// What the hardware counted for one cell.
struct HardwareFigures {
  Counters counters;
  std::vector<Doubt> doubts;  ///< figures that were removed because they are implausible
};

/// Counts the events of events.hpp around exactly what the time pass clocks.
class HardwareCounters {
 public:
  /// Opens every event that `source` has, which must outlive this.
  explicit HardwareCounters(EventSource& source);
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;
  ~HardwareCounters();

  /// By which of libpfm's events each metric is counted.
  [[nodiscard]] const std::map<std::string, std::string>& events() const noexcept { return events_; }
  /// Metrics without an event, for every cell.
  [[nodiscard]] const std::vector<Doubt>& refused() const noexcept { return refused_; }

  /// Each figure is the median over `repetitions` (at least one) of `passes` passes. As in the time pass, a repeatable
  /// case, which has been prepared once, gets one uncounted pass first, and any other is prepared before each pass.
  /// Counts of groups that took turns on the processor's counters are scaled up; `counted_time_share` says from what
  /// share of the time, at worst. An exception that the case throws comes out of here.
  [[nodiscard]] HardwareFigures count(workloads::Measurement& measurement, std::size_t passes, std::size_t repetitions);

 private:
  struct Group {
    EventGroup kind;
    int leader;
    std::vector<std::string> metrics;
  };
  using Readings = std::vector<GroupReading>;

  void add(const Event& event);
  [[nodiscard]] OpenedEvent open(std::string_view name, EventGroup kind);
  [[nodiscard]] Readings read() const;
  /// The counts that one repetition adds to every group.
  [[nodiscard]] Readings repetition(workloads::Measurement& measurement, std::size_t passes);

  EventSource& source_;
  std::vector<Group> groups_;
  std::vector<int> handles_;
  std::map<std::string, std::string> events_;
  std::vector<Doubt> refused_;
};

/// The facts that explain a refusal.
struct CountingPolicy {
  std::optional<int> perf_event_paranoid;  ///< none if the kernel has no such setting
  std::string virtualisation;              ///< the hypervisor, "none" or "unknown"
};

/// Why hardware counters cannot be used and what would help, in one line; empty if they can. Tries to count
/// the cycles of a short loop on `events`, which is null if there is no source at all.
[[nodiscard]] std::string obstacle_to_counting(EventSource* events, const CountingPolicy& policy);

/// The same for this process on this machine; `--source auto` decides by it.
[[nodiscard]] std::string obstacle_to_counting();

}  // namespace stowage::harness
