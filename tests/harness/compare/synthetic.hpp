#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/measured_file.hpp"

/// Runs whose truth is known, drawn from seeds.
namespace stowage::harness::fake {

/// Draws that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}

  /// In (0, 1).
  double uniform() { return (static_cast<double>(bits_() >> 12U) + 0.5) / static_cast<double>(1ULL << 52U); }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  /// The noise of a timing: mostly small, always upwards when it is large.
  double timing_noise() { return 0.01 * normal() + (uniform() < 0.1 ? 0.2 * uniform() : 0); }

 private:
  std::mt19937_64 bits_;
};

struct RunShape {
  std::vector<std::string> strategies = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"};
  std::size_t blocks = 24;
  std::size_t rounds = 9;
  double run_scatter = 0.01;  ///< what one process has for all of a cell's repetitions
  /// By how much longer a cell takes than it would.
  std::function<double(const std::string& strategy, std::size_t block)> factor = [](const auto&, auto) { return 1.0; };
};

/// A round of a cell that took `ns` where its reference took 100.
inline MeasuredRound round_of(double ns) { return {.real_ns = ns, .cpu_ns = ns, .ratio = ns / 100}; }

inline std::string cell_name(const std::string& strategy, std::size_t block) {
  return "walk/" + strategy + "/entities:" + std::to_string(1024 + block);
}

inline MeasuredCell reference_cell(std::size_t block, std::size_t rounds) {
  return {.name = cell_name("reference", block),
          .rounds = std::vector<MeasuredRound>(rounds, round_of(100)),
          .median_ns = std::nullopt,
          .figures = {},
          .error = {}};
}

/// A run of `shape`; the same seed gives the same.
inline MeasuredFile run_of(const RunShape& shape, std::uint64_t seed) {
  Dice dice(seed);
  MeasuredFile file{.path = "a run", .is_of_stowage = true, .facts = {}, .exact_passes = {}, .cells = {}};
  for (std::size_t block = 0; block < shape.blocks; ++block) {
    file.cells.push_back(reference_cell(block, shape.rounds));
    for (const std::string& strategy : shape.strategies) {
      MeasuredCell& cell = file.cells.emplace_back();
      cell.name = cell_name(strategy, block);
      const double typical = 150 * shape.factor(strategy, block) * std::exp(shape.run_scatter * dice.normal());
      for (std::size_t round = 0; round < shape.rounds; ++round) {
        cell.rounds.push_back(round_of(typical * std::exp(dice.timing_noise())));
      }
    }
  }
  return file;
}

}  // namespace stowage::harness::fake
