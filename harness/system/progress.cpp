// What stowage says on stderr while it works: messages, the status line, interruptions, and where it crashed.
#include "harness/system/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>

#include "harness/system/platform.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

extern "C" void note_signal(int signal) {
  signal_seen = 1;
  std::signal(signal, SIG_DFL);
}

/// Of static storage, because a signal handler may neither allocate nor lock.
std::array<char, 256> work{};

extern "C" void say_where(int signal) {
  const auto say = [](std::string_view text) { static_cast<void>(!write(STDERR_FILENO, text.data(), text.size())); };
  say(stderr_is_terminal() ? "\nstowage: crashed (" : "stowage: crashed (");
  say(signal_name(signal));
  if (work.front() != '\0') {
    say(") in ");
    say(work.data());
  } else {
    say(")");
  }
  say("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

constexpr std::string_view erase_line = "\r\x1b[K";
constexpr std::size_t line_width = 79;
/// Writing to a terminal disturbs the caches that are being measured, and no reader is faster than this.
constexpr StatusLine::Clock::duration redraw_interval = std::chrono::milliseconds(250);
constexpr StatusLine::Clock::duration line_interval = std::chrono::seconds(10);

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

void note_work(std::string_view what) noexcept {
  const std::size_t length = std::min(what.size(), work.size() - 1);
  std::ranges::copy(what.substr(0, length), work.begin());
  work.at(length) = '\0';
}

void explain_crashes() { handle_crashes(say_where); }

void say(std::string_view message) { std::cerr << "stowage: " << on_terminal(message) << "\n" << std::flush; }

bool stderr_is_terminal() noexcept { return isatty(STDERR_FILENO) != 0; }

std::size_t page_columns() noexcept {
  constexpr std::size_t fewest = 80;
  constexpr std::size_t most = 100;
  return std::clamp(stdout_columns().value_or(most), fewest, most);
}

InterruptGuard::InterruptGuard() {
  signal_seen = 0;
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() noexcept { return signal_seen != 0; }

StatusLine::StatusLine(std::ostream& out, bool in_place, std::function<Clock::time_point()> now)
    : out_(out), in_place_(in_place), now_(std::move(now)), next_(now_()) {
  if (!in_place_) next_ += line_interval;
}

StatusLine::~StatusLine() { erase(); }

bool StatusLine::is_due() const { return now_() >= next_; }

void StatusLine::show(std::string_view line) {
  if (!is_due()) return;
  if (in_place_) {
    out_ << erase_line << line.substr(0, line_width) << std::flush;
  } else {
    out_ << line << "\n" << std::flush;
  }
  is_open_ = in_place_;
  next_ = now_() + (in_place_ ? redraw_interval : line_interval);
}

void StatusLine::erase() {
  if (is_open_) out_ << erase_line << std::flush;
  is_open_ = false;
}

Progress::Progress(std::ostream& out, bool in_place, std::function<Clock::time_point()> now)
    : now_(now), status_(out, in_place, std::move(now)), started_(now_()) {}

void Progress::start(std::size_t cells_planned, double cells_done, std::string_view pass) {
  pass_ = pass;
  cells_planned_ = cells_planned;
  cells_before_ = cells_done;
  cells_done_ = cells_done;
  cells_in_flight_ = 0;
  started_ = now_();
}

void Progress::working_on(std::string_view cell, std::string_view step) {
  note_work(cell);
  if (!status_.is_due()) return;
  status_.show(
      fmt::format("{} pass: {:.0f}/{} cells{}  {} ({})", pass_, cells_done_, cells_planned_, time_left(), cell, step));
}

void Progress::block_progressed(double cells) { cells_in_flight_ = cells; }

void Progress::block_done(double cells) {
  cells_done_ += cells;
  cells_in_flight_ = 0;
}

void Progress::stop() {
  note_work("");
  status_.erase();
}

std::string Progress::time_left() const {
  const double done = cells_done_ - cells_before_ + cells_in_flight_;
  // A forecast from less than one cell would jump about.
  if (done < 1) return "";
  const double elapsed_s = std::chrono::duration<double>(now_() - started_).count();
  const double left = static_cast<double>(cells_planned_) - cells_before_ - done;
  return fmt::format(", {} left", duration_text(elapsed_s / done * left));
}

}  // namespace stowage::harness
