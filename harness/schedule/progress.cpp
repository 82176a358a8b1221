#include "harness/schedule/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

namespace stowage::harness {
namespace {

constexpr std::size_t line_width = 79;
/// Writing to a terminal disturbs the caches that are being measured; a person reads no faster than this.
constexpr auto write_interval = std::chrono::milliseconds(250);

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(std::ostream& out, bool in_place) : out_(out), in_place_(in_place) {}

void Progress::start(std::size_t cells_planned, std::size_t cells_done) {
  cells_planned_ = cells_planned;
  cells_before_ = cells_done;
  cells_done_ = cells_done;
  cells_in_flight_ = 0;
  started_ = Clock::now();
}

void Progress::working_on(std::string_view cell, std::string_view step) {
  if (!in_place_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_written_ < write_interval) return;
  last_written_ = now;
  const std::string head = fmt::format("{}/{} cells{}  ", cells_done_, cells_planned_, time_left());
  rewrite(fmt::format("{}{} ({})", head, cell, step));
}

void Progress::block_progressed(double cells) { cells_in_flight_ = cells; }

void Progress::block_done(std::size_t cells) {
  cells_done_ += cells;
  cells_in_flight_ = 0;
}

void Progress::log(std::string_view what) {
  if (in_place_) return;
  out_ << fmt::format("[{}/{} cells] {}\n", cells_done_, cells_planned_, what) << std::flush;
}

void Progress::stop() {
  if (in_place_) rewrite("");
}

std::string Progress::time_left() const {
  const double done = static_cast<double>(cells_done_ - cells_before_) + cells_in_flight_;
  // A forecast from less than one cell would jump about.
  if (done < 1) return "";
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - started_).count();
  const double left = static_cast<double>(cells_planned_ - cells_before_) - done;
  return fmt::format(", {} left", duration_text(elapsed_s / done * left));
}

void Progress::rewrite(const std::string& line) {
  constexpr std::string_view erase_line = "\r\x1b[K";
  out_ << erase_line << line.substr(0, line_width) << std::flush;
}

}  // namespace stowage::harness
