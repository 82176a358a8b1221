#pragma once

// All that happens in a game and to which entities, drawn before the clock starts, so that all storages get the same.
// Entities are named by places 0 to n - 1, whatever their handles are. An entity that is created for one that was
// destroyed takes its place and has the components of that place.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/game/description.hpp"
#include "workloads/support/array.hpp"
#include "workloads/support/random.hpp"

namespace stowage::workloads::game {

using Places = Array<std::uint32_t>;

/// The distance between the places that a checksum reads: it reads all or, from 32k on, 10 to 22 thousand.
[[nodiscard]] constexpr std::size_t checked_every(std::size_t places) noexcept { return places >> 14U | 1U; }

/// Which components each place has: a bit for each, in as few words as the game needs.
class Sets {
  static constexpr std::size_t word_bits = 64;

 public:
  Sets(std::span<const Ownership> owners, std::size_t entities, double share_scale, Random& random);
  /// `kinds_of_places` has the kind of each place.
  Sets(std::span<const Kind> kinds, std::size_t components, const Places& kinds_of_places);

  [[nodiscard]] const std::uint64_t* words_of(std::size_t place) const noexcept { return &words_[place * stride_]; }
  [[nodiscard]] bool has(std::size_t place, std::size_t component) const noexcept {
    return (words_of(place)[component / word_bits] >> component % word_bits & 1) != 0;
  }
  [[nodiscard]] bool has_all(std::size_t place, const ComponentSet& components) const noexcept {
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < stride_; ++i) missing |= components.word(i) & ~words_of(place)[i];
    return missing == 0;
  }
  void flip(std::size_t place, std::size_t component) noexcept {
    words_[place * stride_ + component / word_bits] ^= std::uint64_t{1} << component % word_bits;
  }
  [[nodiscard]] std::size_t size() const noexcept { return words_.size() / stride_; }

  /// The places that have all of `components`; all places if none has.
  [[nodiscard]] Places having(const ComponentSet& components) const;

 private:
  std::size_t stride_;  ///< words of a place
  Array<std::uint64_t> words_;
};

/// A number per frame that need not be whole: what is left over comes later.
class Rate {
 public:
  explicit Rate(double per_frame) : per_frame_(per_frame) {}

  [[nodiscard]] std::size_t next() noexcept {
    due_ += per_frame_;
    const auto whole = static_cast<std::size_t>(due_ + 1e-9);
    due_ -= static_cast<double>(whole);
    return whole;
  }
  [[nodiscard]] double per_frame() const noexcept { return per_frame_; }

 private:
  double per_frame_;
  double due_ = 0;
};

/// That many different places a frame, drawn at random from `candidates`.
class Draws {
 public:
  /// The draws start over after some frames, which are at least `fewest_frames` if there are many candidates.
  Draws(Places candidates, double per_frame, Random& random, std::size_t fewest_frames = 1);

  /// Of the next frame.
  [[nodiscard]] std::span<const std::uint32_t> next() noexcept;
  [[nodiscard]] double per_frame() const noexcept { return rate_.per_frame(); }
  [[nodiscard]] std::size_t candidates() const noexcept { return candidates_; }
  [[nodiscard]] std::size_t frames() const noexcept { return most_ == 0 ? 0 : drawn_.size() / most_; }

 private:
  std::size_t candidates_;
  Rate rate_;
  std::size_t most_ = 0;  ///< in a frame
  Places drawn_;
  std::size_t frame_ = 0;
};

/// Places one after the other, and again from the start. In space, eight entities that lie anywhere in memory share a
/// cell, each of them finds all eight, and then come those of the next cell.
class Walk {
 public:
  Walk(Places places, const LookupRate& rate, double scale, Random& random);

  [[nodiscard]] std::size_t next_count() noexcept { return rate_.next(); }
  [[nodiscard]] std::uint32_t next_place() noexcept {
    const std::uint32_t place = places_[at_];
    at_ = at_ + 1 == places_.size() ? 0 : at_ + 1;
    return place;
  }

 private:
  Rate rate_;
  Places places_;
  std::size_t at_ = 0;
};

/// Which entity loses a component and which gets it, pair by pair, so the number of owners stays. If all have it, the
/// one that loses it gets it back.
class Swaps {
 public:
  /// `owners` have the component, and `others` may get it.
  Swaps(Places owners, Places others, double per_frame, Random& random);

  struct Pair {
    std::uint32_t loser;
    std::uint32_t winner;
  };
  [[nodiscard]] std::size_t next_count() noexcept { return exists() ? rate_.next() : 0; }
  [[nodiscard]] Pair next_pair() noexcept;
  [[nodiscard]] double per_frame() const noexcept { return exists() ? rate_.per_frame() : 0; }
  [[nodiscard]] std::size_t owners() const noexcept { return owners_.size(); }
  /// The place of one that has it now; `number` is less than owners(), which never changes.
  [[nodiscard]] std::uint32_t owner(std::size_t number) const noexcept { return owners_[number]; }

 private:
  [[nodiscard]] bool exists() const noexcept { return !owners_.empty() || !others_.empty(); }
  [[nodiscard]] std::uint32_t next_draw() noexcept {
    const std::uint32_t drawn = draws_[at_];
    at_ = at_ + 1 == draws_.size() ? 0 : at_ + 1;
    return drawn;
  }

  Rate rate_;
  Places owners_, others_;
  Array<std::uint32_t> draws_;
  std::size_t at_ = 0;
};

inline constexpr std::uint32_t no_parent = 0xffff'ffff;

/// Which entities there are if they have kinds, in the order of creation: what hangs on an entity comes directly
/// behind it, and one tree behind the other, in random order.
struct Settlement {
  Settlement(std::span<const Kind> kinds, std::span<const ChildKind> children, std::size_t entities, Random& random);

  Places kinds;    ///< by place
  Places parents;  ///< by place; no_parent for those that hang on nothing
};

/// Which node is the child of which. Without kinds, nodes are numbered tree by tree, and by breadth within one.
class Forest {
 public:
  /// `nodes` are the places of the nodes, of `entities`.
  Forest(const Tree& tree, Places nodes, std::size_t entities);
  /// Of a settlement: every entity that hangs on another, or has something that hangs on it, is a node.
  explicit Forest(Places parents);

  [[nodiscard]] const Places& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t places() const noexcept { return is_node_.size(); }
  /// The place of the parent; no_parent for roots.
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t place) const noexcept { return parents_[place]; }
  [[nodiscard]] bool is_node(std::uint32_t place) const noexcept { return is_node_[place] != 0; }
  /// The places that have no child, nodes or not: they may be destroyed without orphans.
  [[nodiscard]] Places childless() const;
  /// Of a settlement: the place behind all that hangs on this one.
  [[nodiscard]] std::uint32_t end_of(std::uint32_t place) const noexcept;

 private:
  Places nodes_;
  Places parents_;  ///< by place
  Array<std::uint8_t> is_node_, has_children_;
};

using AllDraws = std::vector<Draws, UncountedAllocator<Draws>>;

/// Which entities are destroyed in each frame: children before what they hang on. New ones come in the reverse order.
class Deaths {
 public:
  /// What is drawn dies with all that hangs on it.
  Deaths(AllDraws draws, const Forest& forest, std::size_t fewest_frames = 1);

  /// Of the next frame.
  [[nodiscard]] std::span<const std::uint32_t> next() noexcept;
  [[nodiscard]] std::span<const Draws> draws() const noexcept { return draws_; }

 private:
  AllDraws draws_;
  Places places_;              ///< of all frames
  Array<std::uint32_t> ends_;  ///< in `places_`, of each frame
  std::size_t frame_ = 0;
};

/// Which entities there are, and what they have before the first frame.
struct Population {
  Sets sets;
  Forest forest;
  Places kinds;  ///< by place; empty if entities have none
};

/// Frames that one pass goes through, so that all passes are as much work: the fewest in which each of these rates
/// comes up a whole number of times, within 2 %; 16 if no fewer do.
[[nodiscard]] std::size_t frames_in_a_pass(std::span<const double> rates);

/// What a game's types say, as numbers.
struct GameNumbers {
  std::size_t entities = 0;
  std::span<const Ownership> owners;
  std::span<const Kind> kinds;  ///< none: components are given out by `owners`
  std::span<const ChildKind> children;
  std::span<const double> runs_per_frame;
  std::span<const LookupRate> lookups;
  std::span<const ComponentSet> looked_up;  ///< what each lookup names
  std::span<const double> changes_per_frame;
  std::span<const std::uint32_t> changing;  ///< the component of each change, by its number
  double creations_per_frame = 0;
  Tree tree;
  ComponentSet of_nodes = {};  ///< what only nodes of the tree have
};

/// The whole course of a game: the components of each place, and in each frame the entities that are destroyed, that
/// get and lose components, that are looked up and that move.
class Course {
 public:
  /// What is counted per frame is in proportion to `entities`, and as `scale` says. If entities have kinds, there
  /// are no shares to scale.
  Course(const GameNumbers& game, std::size_t entities, const Scale& scale, Random random);

  /// Of the components that a place has; see Sets.
  [[nodiscard]] const std::uint64_t* set_of(std::size_t place) const noexcept { return sets_.words_of(place); }
  /// The places that have all of these now.
  [[nodiscard]] Places places_with(const ComponentSet& components) const { return sets_.having(components); }
  /// The world is made, and aged if it is to be.
  void remember() { made_ = sets_; }
  /// How many places had all of `components` then, whatever was changed since.
  [[nodiscard]] std::size_t made_with(const ComponentSet& components) const { return made_.having(components).size(); }
  /// After an entity has lost a component, or got it.
  void flip(std::size_t place, std::size_t component) noexcept { sets_.flip(place, component); }

  [[nodiscard]] const Forest& forest() const noexcept { return forest_; }
  [[nodiscard]] bool all_nodes_move() const noexcept { return all_nodes_move_; }
  [[nodiscard]] std::span<const std::uint32_t> next_moving() noexcept { return moving_.next(); }

  /// Those that are destroyed in the next frame, in this order; they are created again in the reverse order.
  [[nodiscard]] std::span<const std::uint32_t> next_deaths() noexcept { return deaths_.next(); }
  /// The same while the world ages: after so many frames half of all that may be destroyed was replaced, of each kind.
  static constexpr std::size_t ageing_frames = 256;
  [[nodiscard]] std::span<const std::uint32_t> next_deaths_of_age() noexcept { return ageing_.next(); }
  /// Owners that lose a component while the world ages: half of them have lost it then.
  [[nodiscard]] std::size_t changes_of_age(std::size_t change) const noexcept;

  /// How often the system of that number runs in this frame.
  [[nodiscard]] std::size_t next_runs(std::size_t system) noexcept { return runs_[system].next(); }

  [[nodiscard]] std::size_t next_changes(std::size_t change) noexcept { return changes_[change].next_count(); }
  [[nodiscard]] Swaps::Pair next_change(std::size_t change) noexcept { return changes_[change].next_pair(); }

  [[nodiscard]] std::size_t next_lookups(std::size_t lookup) noexcept { return lookups_[lookup].walk.next_count(); }
  /// The target: a place that has all that the lookup names now, if there is one.
  [[nodiscard]] std::uint32_t next_target(std::size_t lookup) noexcept {
    Lookup& asked = lookups_[lookup];
    const std::uint32_t drawn = asked.walk.next_place();
    if (asked.change == no_change) return drawn;
    const Swaps& swaps = changes_[asked.change];
    return asked.may_lack_some ? owner_with(asked.needed, swaps, drawn) : swaps.owner(drawn);
  }

  /// So many that all passes are equal work.
  [[nodiscard]] std::size_t frames_in_a_pass() const noexcept { return frames_in_a_pass_; }

 private:
  static constexpr std::size_t no_change = static_cast<std::size_t>(-1);

  /// The targets are places. For a component that is added and removed they are numbers of owners, because in each
  /// frame other places have it.
  struct Lookup {
    std::size_t change = no_change;  ///< of the rarest of its components that is added and removed
    ComponentSet needed = {};        ///< all that it names
    bool may_lack_some = false;      ///< an owner of that component, of the others
    Walk walk;
  };

  Course(const GameNumbers& game, const Scale& scale, double growth, Population population, Random& random);

  void draw_lookups(const GameNumbers& game, double growth, Random& random);
  [[nodiscard]] std::uint32_t owner_with(const ComponentSet& components, const Swaps& swaps,
                                         std::size_t number) const noexcept;
  void count_frames_in_a_pass();

  Sets sets_, made_ = sets_;
  Forest forest_;
  bool all_nodes_move_;
  Draws moving_;
  Deaths deaths_, ageing_;
  std::vector<Swaps, UncountedAllocator<Swaps>> changes_;
  std::vector<Lookup, UncountedAllocator<Lookup>> lookups_;
  Array<Rate> runs_;
  std::size_t frames_in_a_pass_ = 1;
};

}  // namespace stowage::workloads::game
