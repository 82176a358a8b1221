#include "workloads/game/parts.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>

namespace stowage::workloads::game {
namespace {

/// A frame that took longer than this share of the processor's time, and then some for the clocks, was interrupted.
constexpr double uninterrupted_share = 1.1;
constexpr double clocks_ns = 3000;

/// What this thread has taken of the processor.
double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double whole(std::span<const double> frame) { return std::accumulate(frame.begin(), frame.end(), 0.0); }

}  // namespace

std::span<double> PartLog::begin_frame() {
  times_.resize(times_.size() + parts_);
  processor_ns_ = processor_ns();
  return std::span(times_).last(parts_);
}

void PartLog::end_frame() {
  const double worked_ns = processor_ns() - processor_ns_;
  const bool was_interrupted = whole(std::span(times_).last(parts_)) > uninterrupted_share * worked_ns + clocks_ns;
  if (was_interrupted && !waits_) times_.resize(times_.size() - parts_);
}

std::vector<double> PartLog::means() const {
  std::vector<std::size_t> frames(times_.size() / parts_);
  std::iota(frames.begin(), frames.end(), std::size_t{0});
  std::ranges::sort(frames, {}, [this](std::size_t number) { return whole(frame(number)); });
  frames.resize(frames.size() - frames.size() / 100);
  std::vector<double> mean(parts_);
  for (std::size_t part = 0; part < parts_; ++part) {
    for (const std::size_t number : frames) mean[part] += frame(number)[part] / static_cast<double>(frames.size());
  }
  return mean;
}

}  // namespace stowage::workloads::game
