#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "workloads/support/array.hpp"

namespace stowage::workloads::game {

/// The parts of a frame, in their order.
enum class Part : std::uint8_t { systems, lookups, changes, hierarchy, turnover };
inline constexpr auto part_names = std::to_array<std::string_view>(
    {"frame_systems_ns", "frame_lookups_ns", "frame_changes_ns", "frame_hierarchy_ns", "frame_turnover_ns"});

/// The parts of frames that nothing interrupted.
class PartLog {
 public:
  /// Frames that wait for other threads work for less time than they take, so all of them count.
  explicit PartLog(std::size_t parts, bool waits = false) : parts_(parts), waits_(waits) {
    times_.reserve(usual_frames * parts);  // while a frame is timed, it does not grow
  }

  /// Nanoseconds of each part of the frame that begins now.
  [[nodiscard]] std::span<double> begin_frame();
  /// Forgets the frame if it took clearly longer than the processor worked on it.
  void end_frame();
  [[nodiscard]] bool empty() const noexcept { return times_.empty(); }
  /// The mean of each part over the frames, without the slowest hundredth of these. There must be a frame.
  [[nodiscard]] std::vector<double> means() const;

 private:
  [[nodiscard]] std::span<const double> frame(std::size_t number) const {
    return std::span(times_).subspan(number * parts_, parts_);
  }

  static constexpr std::size_t usual_frames = 1024;

  std::size_t parts_;
  bool waits_;
  Array<double> times_;      ///< frame by frame
  double processor_ns_ = 0;  ///< when the frame began
};

/// Reads no time, so that whole passes have no clock in them.
struct NoPartClock {
  [[nodiscard]] static constexpr bool is_of_systems() { return false; }
  void begin() {}
  void end_system(std::size_t) {}
  void end(Part) {}
};
/// Of the parts of a frame, or of the systems in the first of them: a clock between systems would make short frames
/// longer.
class PartClock {
 public:
  PartClock(std::span<double> spent_ns, bool is_of_systems) : spent_ns_(spent_ns), is_of_systems_(is_of_systems) {}
  [[nodiscard]] bool is_of_systems() const { return is_of_systems_; }
  void begin() { started_ = Clock::now(); }
  /// With all its runs and what it has written down.
  void end_system(std::size_t number) {
    if (is_of_systems_) end_of(number);
  }
  void end(Part part) {
    if (!is_of_systems_) end_of(static_cast<std::size_t>(part));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void end_of(std::size_t number) {
    const Clock::time_point now = Clock::now();
    spent_ns_[number] = std::chrono::duration<double, std::nano>(now - started_).count();
    started_ = now;
  }

  std::span<double> spent_ns_;
  bool is_of_systems_;
  Clock::time_point started_;
};

}  // namespace stowage::workloads::game
