#pragma once

#include <string>
#include <vector>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// One part of a run, and the directory that messages name.
struct MergedPart {
  std::string directory;
  Run run;
};

/// Throws UserError for a run that is not finished, with the command that goes on with it, and for a shard, with the
/// command that puts it together with the others.
void check_is_whole(const std::string& directory, const Run& run);

/// The shards of one selection as one run, with the blocks in the order in which it would have them in one piece, and
/// in each block the host that measured it if that is not the same everywhere. Throws UserError with one line for
/// shards that differ in more than their number and the name of their machine, for one that is there twice, for one
/// that is not finished, and for those that are missing, with the command that measures the first.
[[nodiscard]] Run merge_shards(std::vector<MergedPart> parts);

}  // namespace stowage::harness
