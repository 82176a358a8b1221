#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace stowage::harness {

/// Tells a person how far a run is. On a terminal one line is rewritten in place: cells done, the current one, time
/// left; anywhere else each block gets one line when it is done.
class Progress {
 public:
  Progress(std::ostream& out, bool in_place);

  /// `cells_done` of `cells_planned` were done before: by the run that is resumed.
  void start(std::size_t cells_planned, std::size_t cells_done);
  void working_on(std::string_view cell, std::string_view step);
  /// The cells of a block are all done together, at its end; until then it is worth so many whole ones.
  void block_progressed(double cells);
  void block_done(std::size_t cells);
  /// A line that stays, where nothing is rewritten.
  void log(std::string_view what);
  /// Takes the line in place away.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string time_left() const;
  void rewrite(const std::string& line);

  std::ostream& out_;
  bool in_place_;
  std::size_t cells_planned_ = 0;
  std::size_t cells_before_ = 0;
  std::size_t cells_done_ = 0;
  double cells_in_flight_ = 0;
  Clock::time_point started_;
  Clock::time_point last_written_;
};

}  // namespace stowage::harness
