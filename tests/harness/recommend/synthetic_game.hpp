#pragma once

#include <string>
#include <vector>

#include "harness/recommend/profile/profile.hpp"
#include "harness/results/run.hpp"
#include "tests/harness/sample_run.hpp"

namespace stowage::harness::fake {

inline const std::string frame_block = "entities:1000/rates:100/shares:100/work:frame";
inline const std::string save_block = "entities:1000/rates:100/shares:100/work:save";

/// What one process saw of a strategy: nine rounds around a median, and 144 frames one by one, of which two were long.
struct FrameSamples {
  std::string strategy;
  double frame_us = 0;
  double noise = 0.01;  ///< of the rounds, as a share of the median, alternating
  double bytes_per_entity = 100;
  Counters counters = {};  ///< others
  double worst_us = 0;     ///< of the frames; half as much again as the median if it is 0
};

inline CellResult frame_cell(const FrameSamples& samples) {
  std::vector<double> ns;
  for (int round = 0; round < 9; ++round) {
    ns.push_back(samples.frame_us * 1e3 * (1 + samples.noise * (round % 3 - 1)));
  }
  CellResult result = cell(samples.strategy, ns, 4);
  result.counters = samples.counters;
  result.counters["bytes_per_entity"] = samples.bytes_per_entity;
  result.frames_ns.assign(142, samples.frame_us * 1e3);
  result.frames_ns.push_back(samples.frame_us * 1.2e3);
  result.frames_ns.push_back(samples.worst_us > 0 ? samples.worst_us * 1e3 : samples.frame_us * 1.5e3);
  return result;
}

inline Run process(const std::vector<FrameSamples>& strategies, const std::string& parameters = frame_block) {
  Run run;
  run.options.preset = "quick";
  BlockResult block{.workload = "game", .parameters = parameters, .cells = {}};
  for (const FrameSamples& samples : strategies) block.cells.push_back(frame_cell(samples));
  run.blocks.push_back(std::move(block));
  return run;
}

inline Profile game() {
  Profile profile;
  profile.name = "a game";
  profile.file = "game.toml";
  profile.entities = 1000;
  profile.components = {{.name = "position", .bytes = 12}, {.name = "target", .bytes = 8, .share = 0.5}};
  profile.systems = {{.name = "move", .reads = {}, .writes = {0}, .runs_per_frame = 1}};
  return profile;
}

}  // namespace stowage::harness::fake
