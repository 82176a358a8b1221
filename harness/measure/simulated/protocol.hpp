#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/catalogue.hpp"
#include "harness/system/environment.hpp"
#include "workloads/support/parameters.hpp"

// What a stowage process and the simulated one that it started say to each other, in lines over stdin and stdout.
// Argument and environment of the simulated process are the same for every cell, because their length moves its stack
// and with it the misses.
namespace stowage::harness {

/// The only argument of a simulated process. Users do not type it.
inline constexpr std::string_view simulated_argument = "__simulated";

/// What is asked of the simulated process: one cell.
struct SimulationRequest {
  std::string workload;
  std::string strategy;
  std::string module = {};  ///< the file that has it; said to the process before all requests
  workloads::Parameters parameters;
  bool cold = false;  ///< with empty caches instead of those that an unmeasured pass has left

  friend bool operator==(const SimulationRequest&, const SimulationRequest&) = default;
};

/// What it answers: which process wrote its counts, or what went wrong.
struct SimulationAnswer {
  std::int64_t process = 0;
  std::uint64_t items = 0;
  std::uint64_t checksum = 0;
  std::string error = {};  ///< empty if all went well

  friend bool operator==(const SimulationAnswer&, const SimulationAnswer&) = default;
};

[[nodiscard]] std::string line_of(const SimulationRequest& request);
[[nodiscard]] std::string line_of(const SimulationAnswer& answer);
[[nodiscard]] std::string line_of(const Build& build);  ///< the first line: the build that answers

// Each reads what line_of() wrote, and throws std::invalid_argument for anything else.
[[nodiscard]] SimulationRequest parse_request(std::string_view line);
[[nodiscard]] SimulationAnswer parse_answer(std::string_view line);
[[nodiscard]] Build parse_build(std::string_view line);

/// What a simulated process does: reads the path of a module from stdin and loads it (none if the line is empty), says
/// how it was built, then reads one request after the other until that ends, and answers each on stdout. No other
/// module is loaded, so that the counts of a strategy do not depend on which others were selected. Every cell runs in a
/// fork of its own, and a request is read into a buffer that is always there: a cell finds the same heap and the same
/// empty caches whichever came before it. Of each cell Callgrind writes two dumps: what measuring nothing costs, then
/// the measured pass. Returns the exit code.
[[nodiscard]] int serve_simulation(Catalogue catalogue);

}  // namespace stowage::harness
