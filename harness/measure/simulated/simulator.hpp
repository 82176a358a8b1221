#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "harness/measure/simulated/figures.hpp"
#include "harness/measure/simulated/protocol.hpp"

namespace stowage::harness {

/// Simulates cells, several at a time. Tests put one of known figures here.
class Simulator {
 public:
  /// What came of the cell that was started with that ticket: `simulation`, or the reason why there is none.
  struct Finished {
    std::size_t ticket = 0;
    Simulation simulation;
    std::string error;
  };

  Simulator() = default;
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  virtual ~Simulator() = default;

  /// How many cells may be under way together.
  [[nodiscard]] virtual std::size_t workers() const = 0;
  /// Whether a cell of `module` can be started without loading another module first.
  [[nodiscard]] virtual bool is_ready_for(const std::string& /*module*/) const { return true; }
  /// Only while fewer than workers() are under way.
  virtual void start(std::size_t ticket, const SimulationRequest& request) = 0;
  /// A cell that is done; none where no cell became so within `patience`.
  [[nodiscard]] virtual std::optional<Finished> next(std::chrono::milliseconds patience) = 0;
};

}  // namespace stowage::harness
