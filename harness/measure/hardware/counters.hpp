#pragma once

// Hardware counters: which event gives which figure, how cells are counted, and why a machine may refuse.
#include <array>
#include <boost/core/noncopyable.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/measure/pass.hpp"
#include "harness/results/run.hpp"
#include "workloads/support/measurement.hpp"

namespace stowage::harness {

/// What asking for one event gave: a handle, or the system's error number.
struct OpenedEvent {
  int handle = -1;
  int error = 0;
};

/// The state of a group of events. They are counted together or not at all, so that they may be compared.
struct GroupReading {
  std::uint64_t enabled_ns = 0;       ///< for how long they should have been counted
  std::uint64_t running_ns = 0;       ///< for how long they were: less if events take turns on the counters there are
  std::vector<std::uint64_t> counts;  ///< in the order in which the group's events were opened
};

/// The handle to open the first event of a group with.
inline constexpr int new_group = -1;

/// Counts events of this thread in user space. Behind an interface because few machines let one count at all: tests
/// put every refusal and every contradiction here.
class EventSource : boost::noncopyable {
 public:
  virtual ~EventSource() = default;

  /// Opens an event under libpfm's name for it, in the group that began with the event `group`; not counting yet.
  [[nodiscard]] virtual OpenedEvent open(std::string_view name, int group) = 0;
  virtual void close(int handle) noexcept = 0;

  /// Starts and stops every open event.
  virtual void start() noexcept = 0;
  virtual void stop() noexcept = 0;

  /// Totals since the group was opened; `group` is the handle of its first event. Throws std::system_error.
  [[nodiscard]] virtual GroupReading read(int group) = 0;
};

/// The kernel's events. Null if this binary was built without them: elsewhere than on Linux, or without libpfm.
[[nodiscard]] std::unique_ptr<EventSource> system_events();

/// Events that are compared with each other are counted together. The groups are small, so that the kernel runs all of
/// them at once if there are counters enough and lets them take turns if there are not; one large group would
/// then never run. The kernel's own counters stand alone: in a group some kernels lose what they count after the first
/// restart.
enum class EventGroup { work, memory, alone };

/// What one figure is counted by.
struct Event {
  std::string_view metric;
  EventGroup group;
  /// libpfm's; the kernel's own name, which it maps to what the processor has, comes first.
  std::array<std::string_view, 3> names;
  bool may_be_zero = false;
};

// clang-format off: one line each, however long
inline constexpr std::array<Event, 8> counted_events{{
    {"cycles_per_item", EventGroup::work, {"CYCLES"}},
    {"instructions_per_item", EventGroup::work, {"INSTRUCTIONS"}},
    {"branch_misses_per_item", EventGroup::work, {"BRANCH-MISSES"}},
    {"l1d_misses_per_item", EventGroup::memory, {"L1-DCACHE-LOAD-MISSES"}},
    // The kernel maps no last level on AMD, whose L3 counts for all cores: what this core fetched from memory instead.
    {"ll_misses_per_item",
     EventGroup::memory,
     {"LLC-LOAD-MISSES", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR:DRAM_IO_FAR",
      "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL:MEM_IO_RMT"}},
    {"dtlb_misses_per_item", EventGroup::memory, {"DTLB-LOAD-MISSES"}},
    {"page_faults_per_item", EventGroup::alone, {"PAGE-FAULTS"}, true},
    {"task_clock_ns_per_item", EventGroup::alone, {"TASK-CLOCK"}},
}};
// clang-format on

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

/// Counts the `counted_events` around exactly what the time pass clocks.
class HardwareCounters : boost::noncopyable {
 public:
  /// Opens every event that `source` has, which must outlive this.
  explicit HardwareCounters(EventSource& source);
  ~HardwareCounters();

  /// The event of libpfm that counts each metric.
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

/// How precisely the hardware pass counts. A repetition is long enough for events that take turns to have several.
struct HardwarePlan {
  std::size_t repetitions = 5;
  double min_time_ns = 50e6;  ///< of one repetition
};

/// Verifies the cells of `blocks`, counts the good ones one after the other, and adds the figures and the record of the
/// pass to `run`, whose blocks are these without figures. False if `bench.stop` asked to stop.
[[nodiscard]] bool run_hardware_pass(Run& run, const std::vector<Block>& blocks, const HardwarePlan& plan,
                                     HardwareCounters& counters, const Bench& bench);

}  // namespace stowage::harness
