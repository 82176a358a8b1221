#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/support/measurement.hpp"
#include "workloads/support/parameters.hpp"

// The kinds of work that are measured in a world, each by itself. What each does with the components of a profile is
// said here, and chosen from its systems and components (harness/recommend/world.hpp).

namespace stowage::workloads::game {

enum class Work : std::uint8_t {
  iterate_dense,
  iterate_sparse,
  join,
  lookup,
  hierarchy,
  frame,
  churn,
  structural,
  spike,
  save,
  load,
  threads
};

/// Whether the world has aged before the work begins: so it is where nothing else is said.
[[nodiscard]] inline bool is_aged(const Parameters& parameters) {
  return std::ranges::none_of(parameters.values, [](const Parameter& parameter) {
    return parameter.key == "age" && parameter.value == "fresh";
  });
}

namespace detail {
inline constexpr const char* population =
    "the entities of a profile, created in order; with age:aged half of the destructible ones of each kind were then "
    "replaced, and half of the owners of each component that changes have lost it once";
inline constexpr const char* aged = "as in world.frame, aged";
inline constexpr const char* all_of_it =
    "hash(place, values of the components) of all entities, or of a sample in equal steps if there are 32,768 or more, "
    "and of all that was read";
inline constexpr const char* of_file = "how many entities and components are loaded from the file, and what these say";
[[nodiscard]] constexpr WorkloadCard card(const char* name, const char* setup, const char* measured, const char* item,
                                          const char* favours, const char* disadvantages, const char* floor,
                                          const char* checksum = all_of_it) {
  return {.name = name,
          .setup = setup,
          .measured = measured,
          .item = item,
          .checksum = checksum,
          .favours = favours,
          .disadvantages = disadvantages,
          .floor = floor};
}
}  // namespace detail

/// In the order of `Work`: what leaves a population as it was before what makes it older, and last what not every
/// strategy can do.
inline constexpr std::array work_cards{
    detail::card("world.iterate_dense", detail::population, "the writing system that visits most entities, once",
                 "entity visited", "packed arrays of each component, and tables", "rows with other components between",
                 "the bytes of the components that it reads and writes"),
    detail::card("world.iterate_sparse", detail::population, "the system that visits fewest entities, once",
                 "entity visited", "what finds the few without looking at the others",
                 "bits or slots that every entity has", "the bytes of the components that it reads and writes"),
    detail::card("world.join", detail::population, "the system that names most components, once", "entity visited",
                 "tables, in which an entity's components are in the same row", "pools, whose orders drift apart",
                 "the bytes of the components that it reads and writes"),
    detail::card("world.lookup", detail::population,
                 "`components:N`: the N components that most entities have, of every entity that has the four, in "
                 "random order",
                 "lookup", "one step from handle to component", "hashes, and a step for each component",
                 "none: random lines"),
    detail::card("world.hierarchy", detail::aged, "nodes that move, and the transforms of all that hangs on them",
                 "frame", "nodes in the order of their depth", "nodes that are found one by one", "none"),
    detail::card("world.frame", detail::population,
                 "frames: every system, lookup, change, the hierarchy, and what is destroyed and created", "frame",
                 "what does most of the profile's work at the least cost", "what is slow at the most frequent work",
                 "none: what a frame must touch depends on the order of its entities"),
    detail::card("world.churn", detail::aged,
                 "what a frame destroys and creates, by kinds, for some frames; trees are not put in order", "frame",
                 "rows that are filled and emptied in few places", "allocation, and one place for each component",
                 "none"),
    detail::card("world.structural", detail::aged,
                 "what a frame adds to entities and removes from them, for some frames", "frame",
                 "a component that lies by itself", "tables, which move all that an entity has", "none"),
    detail::card("world.spike", detail::aged,
                 "one sixteenth more entities, of all kinds, created one by one in the room that an earlier spike left",
                 "entity created", "room that is kept, and few places to fill",
                 "an allocation for each entity, and one place for each component", "none"),
    detail::card("world.save", detail::aged,
                 "all entities and components are saved to memory once, without parents and children", "save",
                 "components in arrays", "objects on the heap", "none", detail::of_file),
    detail::card("world.load", detail::aged, "a file of world.save is loaded into an empty storage that has had room",
                 "load", "many rows of one kind at a time", "one entity at a time", "none", detail::of_file),
    detail::card("world.threads", detail::population,
                 "the system of world.iterate_dense by `threads` threads, in chunks of 1024 rows", "entity visited",
                 "packed arrays, which are split anywhere", "few entities", "the bytes, as fast as memory gives them"),
};
[[nodiscard]] constexpr const WorkloadCard& card_of(Work work) { return work_cards[static_cast<std::size_t>(work)]; }

}  // namespace stowage::workloads::game
