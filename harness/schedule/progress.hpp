#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace stowage::harness {

/// Tells how far a run is: the pass, cells done, time left in the pass, and the cell in work. On a terminal one line is
/// redrawn in place; anywhere else a line is written every ten seconds at most.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::ostream& out, bool in_place, std::function<Clock::time_point()> now = Clock::now);

  /// `cells_done` of the pass's `cells_planned` were done before: by the run that is resumed.
  void start(std::size_t cells_planned, std::size_t cells_done, std::string_view pass = "time");
  void working_on(std::string_view cell, std::string_view step);
  /// The cells of a block are all done together, at its end; until then it is worth so many whole ones.
  void block_progressed(double cells);
  void block_done(std::size_t cells);
  /// Erases the line in place.
  void stop();

 private:
  [[nodiscard]] std::string time_left(Clock::time_point now) const;
  void rewrite(const std::string& line);

  std::ostream& out_;
  bool in_place_;
  std::function<Clock::time_point()> now_;
  std::string pass_;
  std::size_t cells_planned_ = 0;
  std::size_t cells_before_ = 0;
  std::size_t cells_done_ = 0;
  double cells_in_flight_ = 0;
  Clock::time_point started_;
  Clock::time_point next_write_;
};

}  // namespace stowage::harness
