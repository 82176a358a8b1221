#include "harness/measure/hardware/availability.hpp"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <memory>
#include <system_error>

#include "harness/measure/environment.hpp"
#include "workloads/contract/keep.hpp"

namespace stowage::harness {
namespace {

/// From here on downwards the kernel lets everybody count what they do in user space.
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

std::optional<int> perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  return file >> level ? std::optional(level) : std::nullopt;
}

}  // namespace

HardwareAvailability availability_of(EventSource* events, const CountingPolicy& policy) {
  if (events == nullptr) {
    return {"this binary was built without them; on Linux, install libpfm4-dev and build again"};
  }
  const OpenedEvent cycles = events->open("CYCLES", new_group);
  if (cycles.error != 0) return {obstacle_of(cycles.error, policy)};
  events->start();
  spend_cycles();
  events->stop();
  const GroupReading reading = events->read(cycles.handle);
  events->close(cycles.handle);
  if (reading.running_ns == 0) return {obstacle_of(EBUSY, policy)};
  if (reading.counts.at(0) == 0) return {"the cycle counter stays at 0; " + without_counters(policy.virtualisation)};
  return {};
}

HardwareAvailability hardware_availability() {
  return availability_of(system_events().get(), {.perf_event_paranoid = perf_event_paranoid(),
                                                 .virtualisation = describe_environment().machine.virtualisation});
}

}  // namespace stowage::harness
