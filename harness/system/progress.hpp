#pragma once

#include <fmt/format.h>

#include <boost/core/noncopyable.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

// What a long command needs: a clock, a progress line, and a check whether to stop.
namespace stowage::harness {

/// Of the steady clock; only differences mean something.
[[nodiscard]] inline double steady_now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
[[nodiscard]] inline double steady_now_s() { return steady_now_ns() / 1e9; }

/// "14 s" or, from 90 s on, "3 min": for estimates.
[[nodiscard]] inline std::string rough_duration(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", std::ceil(seconds))
                      : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

/// Whether stderr is a terminal, so that a line may be rewritten in place.
[[nodiscard]] bool stderr_is_terminal() noexcept;

/// Characters in a line of what goes to stdout: as many as its terminal shows, but 80 at least and 100 at most; 100
/// if it is no terminal.
[[nodiscard]] std::size_t page_columns() noexcept;

/// Writes `stowage: <message>` as one line on stderr, whatever is in the message.
void say(std::string_view message);
/// The same with a format of fmt, and what it is filled with.
template <class First, class... Rest>
void say(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  say(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...));
}

/// Asked between two steps of a long job: true to give up.
using StopRequest = std::function<bool()>;

/// While one lives, the first SIGINT or SIGTERM is noted instead of ending the process, so that a run can stop between
/// two repetitions. A second one ends the process as usual. One at a time.
class InterruptGuard : boost::noncopyable {
 public:
  InterruptGuard();
  ~InterruptGuard();

  [[nodiscard]] static bool interrupted() noexcept;
};

/// What a crash is said to have happened in, such as "lookup/mine/entities:1024"; its first 255 bytes are kept. Empty:
/// in nothing that has a name.
void note_work(std::string_view what) noexcept;
/// From here on a crash says on stderr what note_work() was told last, before the signal ends the process as usual.
void explain_crashes();

/// One line that says how far something is. On a terminal it is redrawn in place, four times a second at most, and
/// erased at the end; anywhere else a line is written every ten seconds at most, the first after ten.
class StatusLine : boost::noncopyable {
 public:
  using Clock = std::chrono::steady_clock;

  StatusLine(std::ostream& out, bool in_place, std::function<Clock::time_point()> now = Clock::now);
  ~StatusLine();

  /// Whether show() would write now.
  [[nodiscard]] bool is_due() const;
  void show(std::string_view line);
  void erase();

 private:
  std::ostream& out_;
  bool in_place_;
  std::function<Clock::time_point()> now_;
  Clock::time_point next_;
  bool is_open_ = false;
};

/// Shows in a status line how far a run is: the pass, cells done, time left in the pass, and the cell in work.
class Progress {
 public:
  using Clock = StatusLine::Clock;

  Progress(std::ostream& out, bool in_place, std::function<Clock::time_point()> now = Clock::now);

  /// `cells_done` of the pass's `cells_planned` were done before: by the run that is resumed.
  void start(std::size_t cells_planned, double cells_done, std::string_view pass = "time");
  void working_on(std::string_view cell, std::string_view step);
  /// The cells of a block are all done together, at its end; until then it is worth so many whole ones. So is a block
  /// that is measured in parts.
  void block_progressed(double cells);
  void block_done(double cells);
  /// Erases the line; a later crash is no longer said to be in a cell.
  void stop();

 private:
  [[nodiscard]] std::string time_left() const;

  std::function<Clock::time_point()> now_;
  StatusLine status_;
  std::string pass_;
  std::size_t cells_planned_ = 0;
  double cells_before_ = 0;
  double cells_done_ = 0;
  double cells_in_flight_ = 0;
  Clock::time_point started_;
};

}  // namespace stowage::harness
