#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "workloads/support/array.hpp"

namespace stowage::workloads::game {

/// The parts of a frame, in their order.
enum class Part : std::uint8_t { systems, lookups, changes, hierarchy, turnover };
inline constexpr auto part_names = std::to_array<std::string_view>(
    {"frame_systems_ns", "frame_lookups_ns", "frame_changes_ns", "frame_hierarchy_ns", "frame_turnover_ns"});

/// Nanoseconds of each part, and of each system.
struct FrameOfParts {
  std::array<double, part_names.size()> parts{};
  Array<double> systems;
};

/// The parts of frames that nothing interrupted.
class PartLog {
 public:
  /// The times of the frame that begins now, of a game with so many systems.
  [[nodiscard]] FrameOfParts& begin_frame(std::size_t systems);
  /// Forgets the frame if it took clearly longer than the processor worked on it.
  void end_frame();
  [[nodiscard]] bool empty() const noexcept { return frames_.empty(); }
  /// The mean of each part and system over the frames, without the slowest hundredth of these.
  [[nodiscard]] FrameOfParts means() const;

 private:
  Array<FrameOfParts> frames_;
  double processor_ns_ = 0;  ///< when the frame began
};

/// Reads no time, so that whole passes have no clock in them.
struct NoPartClock {
  void begin() {}
  void end_system(std::size_t) {}
  void end(Part) {}
};
class PartClock {
 public:
  explicit PartClock(FrameOfParts& spent_ns) : spent_ns_(spent_ns) {}
  void begin() { started_ = system_started_ = Clock::now(); }
  /// Of this system, with all its runs and what it has written down.
  void end_system(std::size_t number) { spent_ns_.systems[number] = since(system_started_); }
  void end(Part part) { spent_ns_.parts[static_cast<std::size_t>(part)] = since(started_); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Nanoseconds; and begins anew.
  [[nodiscard]] static double since(Clock::time_point& started) {
    const Clock::time_point now = Clock::now();
    return std::chrono::duration<double, std::nano>(now - std::exchange(started, now)).count();
  }

  FrameOfParts& spent_ns_;
  Clock::time_point started_;
  Clock::time_point system_started_;
};

}  // namespace stowage::workloads::game
