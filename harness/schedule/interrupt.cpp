#include "harness/schedule/interrupt.hpp"

#include <csignal>

namespace stowage::harness {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

extern "C" void note_signal(int signal) {
  signal_seen = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

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

}  // namespace stowage::harness
