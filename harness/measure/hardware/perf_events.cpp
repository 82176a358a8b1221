#include "harness/measure/hardware/counters.hpp"

#ifdef STOWAGE_HAS_LIBPFM

#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

namespace stowage::harness {
namespace {

/// The event of this name that counts in user space only, or none if libpfm does not know it on this processor.
bool describe(std::string_view name, perf_event_attr& event) {
  const std::string terminated(name);
  pfm_perf_encode_arg_t request{};
  request.attr = &event;
  request.size = sizeof request;
  if (pfm_get_os_event_encoding(terminated.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT, &request) != PFM_SUCCESS) return false;
  event.size = sizeof event;
  event.disabled = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return true;
}

class PerfEvents final : public EventSource {
 public:
  PerfEvents() : initialised_(pfm_initialize() == PFM_SUCCESS) {}
  ~PerfEvents() override {
    if (initialised_) pfm_terminate();
  }

  [[nodiscard]] OpenedEvent open(std::string_view name, int group) override {
    perf_event_attr event{};
    if (!initialised_ || !describe(name, event)) return {.handle = -1, .error = ENOENT};
    constexpr int this_thread = 0;
    constexpr int any_processor = -1;
    const long handle = syscall(SYS_perf_event_open, &event, this_thread, any_processor, group, PERF_FLAG_FD_CLOEXEC);
    return handle < 0 ? OpenedEvent{.handle = -1, .error = errno} : OpenedEvent{.handle = static_cast<int>(handle)};
  }
  void close(int handle) noexcept override { ::close(handle); }

  // One call for all groups: with one for each, the first group would count what starting the others costs.
  void start() noexcept override { prctl(PR_TASK_PERF_EVENTS_ENABLE); }
  void stop() noexcept override { prctl(PR_TASK_PERF_EVENTS_DISABLE); }

  [[nodiscard]] GroupReading read(int group) override {
    constexpr std::size_t head = 3;  // number of events, time enabled, time running
    std::array<std::uint64_t, head + 16> words{};
    if (::read(group, words.data(), sizeof words) < static_cast<ssize_t>(head * sizeof words[0])) {
      throw std::system_error(errno, std::system_category(), "reading hardware counters");
    }
    const auto* const counts = words.data() + head;
    return {.enabled_ns = words[1], .running_ns = words[2], .counts = {counts, counts + words[0]}};
  }

 private:
  bool initialised_;
};

}  // namespace

std::unique_ptr<EventSource> system_events() { return std::make_unique<PerfEvents>(); }

}  // namespace stowage::harness

#else

namespace stowage::harness {

std::unique_ptr<EventSource> system_events() { return nullptr; }

}  // namespace stowage::harness

#endif
