#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/measure/hardware/counters.hpp"
#include "tests/harness/fake_case.hpp"

namespace stowage::harness::fake {

/// A processor whose counters a test decides: they count the passes that a measurement tells of.
class Events : public EventSource {
 public:
  /// What one pass adds, by libpfm's name of the event; this processor does not know an event without an entry.
  std::map<std::string, double, std::less<>> per_pass;
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

/// A processor that has everything.
struct EventsOfAll final : Events {
  EventsOfAll() {
    per_pass = {
        {"CYCLES", 4000},        {"INSTRUCTIONS", 8000},   {"BRANCH-MISSES", 40}, {"L1-DCACHE-LOAD-MISSES", 400},
        {"LLC-LOAD-MISSES", 80}, {"DTLB-LOAD-MISSES", 20}, {"PAGE-FAULTS", 0},    {"TASK-CLOCK", 1200}};
  }
};

/// 100 items a pass. Keeps the order of what was called: p for prepare(), r for a pass.
class CountedCase final : public Case {
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

}  // namespace stowage::harness::fake
