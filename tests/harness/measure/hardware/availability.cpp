#include "harness/measure/hardware/availability.hpp"

#include <algorithm>
#include <cerrno>
#include <string>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Its cycles advance while it counts, whatever runs.
class CyclesOnly final : public EventSource {
 public:
  OpenedEvent opened{.handle = 3, .error = 0};
  GroupReading reading{.enabled_ns = 10, .running_ns = 10, .counts = {20'000}};

  [[nodiscard]] OpenedEvent open(std::string_view, int) override { return opened; }
  void close(int) noexcept override { closed = true; }
  void start() noexcept override {}
  void stop() noexcept override {}
  [[nodiscard]] GroupReading read(int) override { return reading; }

  bool closed = false;
};

const CountingPolicy metal{.perf_event_paranoid = 2, .virtualisation = "none"};

std::string obstacle(int error, const CountingPolicy& policy) {
  CyclesOnly events;
  events.opened = {.handle = -1, .error = error};
  const HardwareAvailability availability = availability_of(&events, policy);
  CHECK_FALSE(availability.usable());
  CHECK(std::ranges::count(availability.obstacle, '\n') == 0);
  return availability.obstacle;
}

TEST_CASE("counters that count are usable") {
  CyclesOnly events;
  CHECK(availability_of(&events, metal).usable());
  CHECK(events.closed);
}

TEST_CASE("a refusal says which setting to change") {
  const int error = GENERATE(EACCES, EPERM);
  CHECK_THAT(obstacle(error, {.perf_event_paranoid = 4, .virtualisation = "none"}),
             ContainsSubstring("perf_event_paranoid is 4") && ContainsSubstring("sysctl kernel.perf_event_paranoid=2"));
  CHECK_THAT(obstacle(error, metal),
             ContainsSubstring("though perf_event_paranoid is 2") && ContainsSubstring("--cap-add PERFMON"));
  CHECK_THAT(obstacle(error, {.perf_event_paranoid = {}, .virtualisation = "none"}), ContainsSubstring("seccomp"));
}

TEST_CASE("a machine without counters is told apart from a kernel that does not know them") {
  const int error = GENERATE(ENOENT, ENODEV, EOPNOTSUPP);
  CHECK_THAT(obstacle(error, {.perf_event_paranoid = 2, .virtualisation = "kvm"}),
             ContainsSubstring("virtual machine (kvm)") && ContainsSubstring("pmu=on"));
  CHECK_THAT(obstacle(error, metal), ContainsSubstring("newer kernel"));
}

TEST_CASE("other refusals are told in the system's words where we have no better ones") {
  CHECK_THAT(obstacle(ENOSYS, metal), ContainsSubstring("no perf_event_open"));
  CHECK_THAT(obstacle(EBUSY, metal), ContainsSubstring("another program"));
  CHECK_THAT(obstacle(EMFILE, metal), ContainsSubstring("Too many open files"));
}

TEST_CASE("a counter that opens and never counts is of no use") {
  CyclesOnly events;
  events.reading.counts = {0};
  CHECK_THAT(availability_of(&events, {.perf_event_paranoid = 2, .virtualisation = "kvm"}).obstacle,
             ContainsSubstring("stays at 0") && ContainsSubstring("virtual machine (kvm)"));
  events.reading.running_ns = 0;
  CHECK_THAT(availability_of(&events, metal).obstacle, ContainsSubstring("another program"));
}

TEST_CASE("a binary without a source of events says how to get one") {
  CHECK_THAT(availability_of(nullptr, metal).obstacle, ContainsSubstring("libpfm4-dev"));
}

TEST_CASE("this machine either has counters or says why not") {
  const HardwareAvailability availability = hardware_availability();
  CHECK(availability.usable() == availability.obstacle.empty());
  CHECK(std::ranges::count(availability.obstacle, '\n') == 0);
}

}  // namespace
}  // namespace stowage::harness
