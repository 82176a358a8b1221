#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "workloads/support/array.hpp"

namespace stowage::workloads::game {

/// The parts of a frame, in their order.
enum class Part : std::uint8_t { systems, lookups, changes, hierarchy, turnover };
inline constexpr auto part_names = std::to_array<std::string_view>(
    {"frame_systems_ns", "frame_lookups_ns", "frame_changes_ns", "frame_hierarchy_ns", "frame_turnover_ns"});

/// Nanoseconds of each.
using FrameOfParts = std::array<double, part_names.size()>;

/// The parts of frames that nothing interrupted.
class PartLog {
 public:
  /// The times of the frame that begins now.
  [[nodiscard]] FrameOfParts& begin_frame();
  /// Forgets the frame if it took clearly longer than the processor worked on it.
  void end_frame();
  [[nodiscard]] bool empty() const noexcept { return frames_.empty(); }
  /// The mean of each part over the frames, without the slowest hundredth of these.
  [[nodiscard]] FrameOfParts means() const;

 private:
  Array<FrameOfParts> frames_;
  double processor_ns_ = 0;  ///< when the frame began
};

/// Reads no time, so that whole passes have no clock in them.
struct NoPartClock {
  void begin() {}
  void end(Part) {}
};
class PartClock {
 public:
  explicit PartClock(FrameOfParts& spent_ns) : spent_ns_(spent_ns) {}
  void begin() { started_ = Clock::now(); }
  void end(Part part) {
    const Clock::time_point now = Clock::now();
    spent_ns_[static_cast<std::size_t>(part)] = std::chrono::duration<double, std::nano>(now - started_).count();
    started_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;

  FrameOfParts& spent_ns_;
  Clock::time_point started_;
};

}  // namespace stowage::workloads::game
