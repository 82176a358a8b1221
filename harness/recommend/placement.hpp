#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/recommend/profile/profile.hpp"

// Which component goes where: what a recommendation tries beside whole strategies.

namespace stowage::harness {

/// Where a component lies.
enum class Place : std::uint8_t {
  usual,   ///< where its strategy puts every component: in tables, or in a pool of its own or of its group
  sparse,  ///< apart, as Sparse<>
  bit,     ///< in its table also while it is off, as Toggled<>, if the strategy has bits for that
};

/// A strategy, and how it has the components of a profile.
struct Design {
  std::string strategy;
  std::vector<Place> places = {};          ///< by component of the profile
  std::vector<std::string> together = {};  ///< likewise: a word for each group, empty outside of them
  friend bool operator==(const Design&, const Design&) = default;
};

/// The components as the profile groups them.
[[nodiscard]] Design default_design(const std::string& strategy, const Profile& profile);

/// The name of its cells: that of the strategy, and what differs from the default: `hybrid+burning=sparse`,
/// `indirection_map+health=with.motion`.
[[nodiscard]] std::string name_of(const Design& design, const Profile& profile);

/// The design of that name; none if it is no such name.
[[nodiscard]] std::optional<Design> design_named(std::string_view name, const Profile& profile);

/// What differs from the default, in words: "burning sparse, health with motion"; empty if nothing does.
[[nodiscard]] std::string difference_text(const Design& design, const Profile& profile);

/// The entries of its schema, without the transforms of a hierarchy: components by their place in the profile.
struct SchemaEntryOf {
  std::vector<std::size_t> components;  ///< a group if there are several
  Place place = Place::usual;
};
[[nodiscard]] std::vector<SchemaEntryOf> entries_of(const Design& design);
/// "Group", "Sparse", "Toggled", or empty.
[[nodiscard]] std::string_view mark_of(const SchemaEntryOf& entry);

/// Whether its schema marks a component as Changed<>: a system visits only what has changed of it.
[[nodiscard]] bool is_recorded(std::size_t component, const Profile& profile);

/// Whether both have tables, or are one strategy: then a component that lies elsewhere is all that differs.
[[nodiscard]] bool are_of_a_kind(const Design& one, const Design& other);

/// Where a component lies, as an answer says it: "table", "sparse", "enable bit", "alone", "group motion".
[[nodiscard]] std::string place_text(const Design& design, std::size_t component);

/// One step from `design`: a component elsewhere, or a group split or merged. What gains most if it gains comes first:
/// what changes often, then what few entities have, then what many systems read together.
[[nodiscard]] std::vector<Design> steps_from(const Design& design, const Profile& profile);

/// `hybrid` with everything that changes apart from the rest; none if nothing changes.
[[nodiscard]] std::optional<Design> all_changing_apart(const Profile& profile);

/// `design` with all that `steps`, each a step from it, do to components. Those of another strategy than the first are
/// left out.
[[nodiscard]] Design joined(const Design& design, const std::vector<Design>& steps);

}  // namespace stowage::harness
