#pragma once

#include <cstddef>
#include <vector>

#include "harness/profile/profile.hpp"

// Who has which components in the game of a profile, and which sets of them are so common that entities are created
// with them at once.

namespace stowage::harness {

/// Of one component: so large a share of the entities has it, and those of one lot are given to the same entities.
struct Owner {
  double share = 1;
  std::size_t lot = 0;
};

/// By the places of the components: those of the profile, then the two transforms of its hierarchy, if it has one.
[[nodiscard]] std::vector<Owner> owners_of(const Profile& profile);

/// The commonest sets of a profile's components, largest first; the smallest is part of every other. Components by
/// their places.
[[nodiscard]] std::vector<std::vector<std::size_t>> prefabs_of(const Profile& profile);

}  // namespace stowage::harness
