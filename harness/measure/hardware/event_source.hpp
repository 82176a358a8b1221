#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// What asking for one event gave: a handle, or the system's error number.
struct OpenedEvent {
  int handle = -1;
  int error = 0;
};

/// The state of a group of events. They are counted together or not at all, so that they may be compared.
struct GroupReading {
  std::uint64_t enabled_ns = 0;  ///< for how long they should have been counted
  std::uint64_t running_ns = 0;  ///< for how long they were: less where events take turns on the counters there are
  std::vector<std::uint64_t> counts;  ///< in the order in which the group's events were opened
};

/// The handle to open the first event of a group with.
inline constexpr int new_group = -1;

/// Counts events of this thread in user space. Behind an interface because few machines let one count at all: tests
/// put every refusal and every contradiction here.
class EventSource {
 public:
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
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

/// The kernel's events. Null where this binary was built without them: elsewhere than on Linux, or without libpfm.
[[nodiscard]] std::unique_ptr<EventSource> system_events();

}  // namespace stowage::harness
