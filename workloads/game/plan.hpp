#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/contract/array.hpp"
#include "workloads/contract/random.hpp"
#include "workloads/game/description.hpp"

// What a game's frames do to whom, drawn before the clock starts: the same for every strategy, whatever its handles
// are. Entities are named by places 0 to n - 1; whoever is created for one that died takes its place and has what the
// place has.

namespace stowage::workloads::game {

using Places = Array<std::uint32_t>;

/// Which components each place has: bit i for component i.
class Sets {
 public:
  Sets(std::span<const Ownership> owners, std::size_t entities, double share_scale, Random& random);

  [[nodiscard]] std::uint32_t of(std::size_t place) const noexcept { return sets_[place]; }
  void flip(std::size_t place, std::size_t component) noexcept { sets_[place] ^= 1U << component; }
  [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }

  /// The places that have all of `components`; all places where none has.
  [[nodiscard]] Places having(std::uint32_t components) const;

 private:
  Array<std::uint32_t> sets_;
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

/// So many different places a frame, drawn at random from `candidates`.
class Draws {
 public:
  Draws(Places candidates, double per_frame, Random& random);

  /// Of the next frame.
  [[nodiscard]] std::span<const std::uint32_t> next() noexcept;
  [[nodiscard]] double per_frame() const noexcept { return rate_.per_frame(); }
  [[nodiscard]] std::size_t candidates() const noexcept { return candidates_; }

 private:
  std::size_t candidates_;
  Rate rate_;
  std::size_t most_ = 0;  ///< in a frame
  Places drawn_;
  std::size_t frame_ = 0;
};

/// Places one after the other, and again from the start.
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

/// Who loses a component and who gets it, pair by pair: their numbers stay. Where everybody has it, whoever loses it
/// gets it back.
class Swaps {
 public:
  Swaps(const Sets& sets, std::size_t component, double per_frame, Random& random);

  struct Pair {
    std::uint32_t loser;
    std::uint32_t winner;
  };
  [[nodiscard]] std::size_t next_count() noexcept { return exists() ? rate_.next() : 0; }
  [[nodiscard]] Pair next_pair() noexcept;
  [[nodiscard]] double per_frame() const noexcept { return exists() ? rate_.per_frame() : 0; }
  [[nodiscard]] std::size_t owners() const noexcept { return owners_.size(); }
  /// The place of one of those who have it now; `number` is less than owners(), which never changes.
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

/// Whose child each node is. Nodes are numbered tree by tree, and by breadth within one.
class Forest {
 public:
  static constexpr std::uint32_t no_parent = 0xffff'ffff;
  static constexpr std::uint32_t no_node = 0xffff'ffff;

  /// `nodes` are the places of the nodes, of `entities`.
  Forest(const Tree& tree, Places nodes, std::size_t entities);

  [[nodiscard]] const Places& nodes() const noexcept { return nodes_; }
  /// The place of the parent of whoever has `place`; no_parent for roots.
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t place) const noexcept { return parents_[place]; }
  [[nodiscard]] bool is_node(std::uint32_t place) const noexcept { return is_node_[place] != 0; }
  /// Everybody who has no child, nodes or not: who may die without orphans.
  [[nodiscard]] Places childless() const;

 private:
  Places nodes_;
  Places parents_;  ///< by place
  Array<std::uint8_t> is_node_, has_children_;
};

/// Frames that one pass goes through, so that all passes are as much work: the fewest in which each of these comes up
/// a whole number of times, within 2 %; 16 where no fewer do.
[[nodiscard]] std::size_t frames_in_a_pass(std::span<const double> rates);

}  // namespace stowage::workloads::game
