// In the place of callgrind.cpp and child.cpp on Windows, where Valgrind does not run.
#include "harness/errors.hpp"
#include "harness/measure/simulated/callgrind.hpp"

namespace stowage::harness {

CallgrindSimulator::CallgrindSimulator(const CacheModel&, std::size_t) {
  throw EnvironmentError("caches are simulated by Valgrind, which does not run on Windows; use stowage on Linux");
}
bool CallgrindSimulator::is_ready_for(const std::string&) const { return false; }
void CallgrindSimulator::start(std::size_t, const SimulationRequest&) {}
std::optional<Simulator::Finished> CallgrindSimulator::next(std::chrono::milliseconds) { return std::nullopt; }

int serve_simulation(Catalogue) { return static_cast<int>(ExitCode::environment_lacks); }

}  // namespace stowage::harness
