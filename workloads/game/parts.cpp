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

double whole(const FrameOfParts& frame) { return std::accumulate(frame.parts.begin(), frame.parts.end(), 0.0); }

}  // namespace

FrameOfParts& PartLog::begin_frame(std::size_t systems) {
  FrameOfParts& frame = frames_.emplace_back();
  frame.systems.resize(systems);
  processor_ns_ = processor_ns();
  return frame;
}

void PartLog::end_frame() {
  const double worked_ns = processor_ns() - processor_ns_;
  if (whole(frames_.back()) > uninterrupted_share * worked_ns + clocks_ns) frames_.pop_back();
}

FrameOfParts PartLog::means() const {
  Array<FrameOfParts> frames = frames_;
  std::ranges::sort(frames, {}, whole);
  frames.resize(frames.size() - frames.size() / 100);
  FrameOfParts mean;
  mean.systems.resize(frames.front().systems.size());
  const auto add = [share = 1 / static_cast<double>(frames.size())](auto& sums, const auto& one) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += share * one[i];
  };
  for (const FrameOfParts& frame : frames) {
    add(mean.parts, frame.parts);
    add(mean.systems, frame.systems);
  }
  return mean;
}

}  // namespace stowage::workloads::game
