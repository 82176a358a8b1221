#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/contract/array.hpp"
#include "workloads/contract/random.hpp"
#include "workloads/game/description.hpp"
#include "workloads/game/plan.hpp"

namespace stowage::workloads::game {

/// What a game's types say, as numbers: bit i stands for component i.
struct GameNumbers {
  std::size_t entities = 0;
  std::span<const Ownership> owners;
  std::span<const double> runs_per_frame;
  std::span<const LookupRate> lookups;
  std::span<const std::uint32_t> looked_up;  ///< what each look-up names
  std::span<const double> changes_per_frame;
  std::span<const std::uint32_t> changing;  ///< the component of each change, by its number
  double creations_per_frame = 0;
  Tree tree;
  std::uint32_t of_nodes = 0;  ///< what only nodes of the tree have
};

/// Everything that happens in a game and to whom, whatever the storage: who has what, who dies, who gets and loses
/// components, who is looked up, who moves.
class Course {
 public:
  /// So many entities; what is counted per frame in proportion to them, and as `scale` says.
  Course(const GameNumbers& game, std::size_t entities, const Scale& scale, Random random);

  [[nodiscard]] std::uint32_t set_of(std::size_t place) const noexcept { return sets_.of(place); }
  /// After an entity has lost a component, or got it.
  void flip(std::size_t place, std::size_t component) noexcept { sets_.flip(place, component); }

  [[nodiscard]] const Forest& forest() const noexcept { return forest_; }
  [[nodiscard]] bool all_nodes_move() const noexcept { return all_nodes_move_; }
  [[nodiscard]] std::span<const std::uint32_t> next_moving() noexcept { return moving_.next(); }

  [[nodiscard]] std::span<const std::uint32_t> next_deaths() noexcept { return deaths_.next(); }

  /// How often the system of that number runs in this frame.
  [[nodiscard]] std::size_t next_runs(std::size_t system) noexcept { return runs_[system].next(); }

  [[nodiscard]] std::size_t next_changes(std::size_t change) noexcept { return changes_[change].next_count(); }
  [[nodiscard]] Swaps::Pair next_change(std::size_t change) noexcept { return changes_[change].next_pair(); }

  [[nodiscard]] std::size_t next_lookups(std::size_t lookup) noexcept { return lookups_[lookup].walk.next_count(); }
  /// Whom it is for: somebody who has all that it names now, unless nobody has.
  [[nodiscard]] std::uint32_t next_target(std::size_t lookup) noexcept {
    Lookup& asked = lookups_[lookup];
    const std::uint32_t drawn = asked.walk.next_place();
    if (asked.change == no_change) return drawn;
    const Swaps& swaps = changes_[asked.change];
    return asked.needed == 0 ? swaps.owner(drawn) : owner_with(asked.needed, swaps, drawn);
  }

  /// Frames in which so many die, or change, that half of those who may have had their turn; 2000 at most.
  [[nodiscard]] std::size_t frames_of_deaths() const;
  [[nodiscard]] std::size_t frames_of_changes() const;
  /// That all passes are as much work.
  [[nodiscard]] std::size_t frames_in_a_pass() const noexcept { return frames_in_a_pass_; }

 private:
  static constexpr std::size_t no_change = static_cast<std::size_t>(-1);

  /// Places; of what comes and goes the numbers of owners, because who has it is another question in every frame.
  struct Lookup {
    std::size_t change = no_change;  ///< the rarest of its components that comes and goes
    std::uint32_t needed = 0;        ///< all that it names, where an owner of that may lack some; 0 elsewhere
    Walk walk;
  };

  void draw_lookups(const GameNumbers& game, double growth, Random& random);
  [[nodiscard]] std::uint32_t owner_with(std::uint32_t components, const Swaps& swaps,
                                         std::size_t number) const noexcept;
  void count_frames_in_a_pass();

  Sets sets_;
  Forest forest_;
  bool all_nodes_move_;
  Draws moving_;
  Draws deaths_;
  std::vector<Swaps, UncountedAllocator<Swaps>> changes_;
  std::vector<Lookup, UncountedAllocator<Lookup>> lookups_;
  Array<Rate> runs_;
  std::size_t frames_in_a_pass_ = 1;
};

}  // namespace stowage::workloads::game
