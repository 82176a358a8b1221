#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "harness/profile/profile.hpp"
#include "harness/profile/table.hpp"

// What must be true of the parts of a profile among themselves. Each takes the profile as far as it was read and the
// tables it came from, which know the places, and throws UserError for the first mistake.
namespace stowage::harness {

/// The place in Profile::components of the one that `key`, which is required, names.
[[nodiscard]] std::size_t component_in(const Profile& profile, const ProfileTable& table, std::string_view key);

/// The same for a list of names, none of which may come twice. No components where `key` is absent.
[[nodiscard]] std::vector<std::size_t> components_in(const Profile& profile, const ProfileTable& table,
                                                     std::string_view key);

void check_components(const Profile& profile, const std::vector<ProfileTable>& tables);
void check_systems(const Profile& profile, const std::vector<ProfileTable>& tables);
void check_lookups(const Profile& profile, const std::vector<ProfileTable>& tables);
void check_changes(const Profile& profile, const std::vector<ProfileTable>& tables);
void check_turnover(const Profile& profile, const ProfileTable& table);
void check_saves(const Profile& profile, const ProfileTable& table);
void check_hierarchy(const Profile& profile, const ProfileTable& table);
void check_budget(const Profile& profile, const ProfileTable& table);

/// That there is anything to measure at all.
void check_work(const Profile& profile, const ProfileTable& table);

}  // namespace stowage::harness
