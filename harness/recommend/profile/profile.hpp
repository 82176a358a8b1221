#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// A component of the game: so many bytes, or a struct of the user's own.
struct ProfileComponent {
  std::string name;
  std::size_t bytes = 0;              ///< if no type is named; 0 is a tag then
  std::string type = {};              ///< `game::Health`; empty if bytes say enough
  std::filesystem::path header = {};  ///< that defines it, absolute; empty if bytes say enough
  double share = 1;                   ///< of the entities that have it, more than 0 and at most 1
  /// Components with the same word belong to the same entities and are read together: a group of the schema. Empty for
  /// a component on its own; these are assigned to entities independently of each other.
  std::string together = {};
  /// Entities that gain it as a state in a frame, and as many others lose it: a ProfileChange of it says the same, but
  /// one that lost it may keep its bytes. 0: none.
  double toggled_per_frame = 0;
};

/// A loop over all entities that have certain components.
struct ProfileSystem {
  std::string name;
  std::vector<std::size_t> reads = {};     ///< components, by their place in Profile::components; none of `writes`
  std::vector<std::size_t> writes = {};    ///< read too
  double runs_per_frame = 1;               ///< below 1: in some frames only
  std::vector<std::size_t> without = {};   ///< entities that have one of these are left out
  std::vector<std::size_t> optional = {};  ///< read where an entity has them
  std::vector<std::size_t> deferred = {};  ///< whose changes it writes down, to be made together behind it
  bool changed_only = false;               ///< makes what it writes anew from what it reads, where that has changed
  std::size_t parts = 1;                   ///< of its entities, of which it writes one at each run
  std::optional<double> ms = {};           ///< of a frame, as it was recorded
};

enum class LookupOrder : std::uint8_t { random, local, space };

/// Components of single entities, read by handle: targets, owners, hits.
struct ProfileLookup {
  std::vector<std::size_t> reads = {};
  std::vector<std::size_t> writes = {};
  double per_frame = 0;
  /// local: entities that were created one after the other; space: neighbours in a grid, anywhere in memory.
  LookupOrder order = LookupOrder::random;
  double hot_share = 1;  ///< of the entities; nine tenths of the lookups find one of these
};

/// A component that is removed from some entities and added to as many others, so that its share stays; or, of one that
/// is toggled, switched off and on.
struct ProfileChange {
  std::size_t component = 0;
  double per_frame = 0;
};

/// Entities that have the same components.
struct ProfileKind {
  struct Children {
    std::size_t kind = 0;  ///< by its place in Profile::kinds, which is behind that of its parents
    double count = 1;      ///< on each entity; need not be whole
  };
  std::string name;
  std::size_t count = 0;
  std::vector<std::size_t> components;  ///< by their place in Profile::components, in order
  double created_per_frame = 0;         ///< as many are destroyed, each with all that hangs on it
  std::vector<Children> children = {};
};

/// Entities with a parent, with a transform each. If entities have kinds, these say what hangs on what, and only
/// `dirty_share` counts.
struct ProfileHierarchy {
  double share = 1;         ///< of the entities that are nodes
  std::size_t depth = 1;    ///< levels of a tree, its root included
  std::size_t fan_out = 1;  ///< children of each node above the last level
  double dirty_share = 1;   ///< of the nodes that move in a frame
};

struct ProfileBudget {
  std::optional<double> frame_ms;
  std::optional<double> worst_frame_ms;
  std::optional<std::size_t> memory_bytes;
};

/// What was recorded of the game as it is, on the machine where it ran.
struct ProfileRecording {
  std::string storage;  ///< that the game has; empty if it is not known
  std::size_t storage_line = 0;
  std::optional<double> frame_ms;
  std::optional<double> yardstick_ms;
  bool is_debug_build = false;
  std::size_t debug_build_line = 0;
};

/// What a game does with its entities in a frame, as its author describes it in a TOML file.
struct Profile {
  std::string name;
  std::filesystem::path file;
  std::size_t entities = 0;       ///< alive in a frame
  std::size_t entities_line = 0;  ///< of the file, which says so
  std::vector<ProfileComponent> components;
  std::vector<ProfileKind> kinds;  ///< none: components are given out by their shares
  std::vector<ProfileSystem> systems;
  std::vector<ProfileLookup> lookups;
  std::vector<ProfileChange> changes;
  double creations_per_frame = 0;  ///< as many die, so that the number of entities stays
  std::optional<ProfileHierarchy> hierarchy;
  double saves_per_minute = 0;
  double frames_per_second = 60;  ///< what saves_per_minute is spread over
  std::size_t threads = 1;        ///< on which systems run that do not touch what another one writes
  ProfileBudget budget;
  ProfileRecording recorded;
};

/// Of each kind, whether its entities hang on others or others on them.
[[nodiscard]] std::vector<bool> nodes_among(const std::vector<ProfileKind>& kinds);

/// Of each system the number of the stage in which it runs. Systems of a stage follow each other in the profile, and
/// none touches what another one of them writes; stages come one after the other. A system that needs the storage for
/// itself has its own.
[[nodiscard]] std::vector<std::size_t> stages_of(const std::vector<ProfileSystem>& systems);

/// All components that a system or a lookup needs an entity to have.
template <class Work>
[[nodiscard]] std::vector<std::size_t> touched_by(const Work& work) {
  std::vector<std::size_t> touched = work.reads;
  touched.insert(touched.end(), work.writes.begin(), work.writes.end());
  return touched;
}

/// How many entities have all of `components` and none of `without`. Without kinds, components that are together come
/// as one, others independently.
[[nodiscard]] double entities_with(const Profile& profile, const std::vector<std::size_t>& components,
                                   const std::vector<std::size_t>& without = {});

/// What a list of entities takes for each.
inline constexpr double handle_bytes = 8;
/// What the components of all entities take, the transforms of a hierarchy included and types of the user's left out.
[[nodiscard]] double component_bytes(const Profile& profile);

/// Reads a profile: a TOML file with the tables and keys of profiles/schema.json, which docs/profiles.md explains. The
/// result can be measured: names are resolved, shares and rates are such that the entities can have them, headers
/// exist. Throws UserError with one line, `FILE:LINE:COLUMN: what is wrong; what is accepted`, for the first mistake.
[[nodiscard]] Profile read_profile(const std::filesystem::path& path);

/// The same for the text of a file that need not exist: `path` is what messages and Profile::file name, and where
/// headers are looked for.
[[nodiscard]] Profile parse_profile(std::string_view text, const std::filesystem::path& path);

/// A larger file is no profile. A recorder may write 500 sets of 300 components, each with a name of 40 letters.
inline constexpr std::size_t most_profile_bytes = 8UL * 1024 * 1024;

/// The profile that shows every key, with comments: profiles/example.toml as it was when this program was built. Its
/// first line names to editors the schema that came with this program; if that is gone, the line is left out.
[[nodiscard]] std::string example_profile();

/// Writes example_profile() to `path`. Throws UserError if something is there already, or if it cannot be written.
void write_example_profile(const std::filesystem::path& path);

}  // namespace stowage::harness
