#pragma once

// THE list of mutants: storages with one fault each, and the check that has to catch it. A new one takes an entry here,
// and a line of code that asks has("its name").
#include <limits>

#include "tests/conformance/check.hpp"

namespace stowage::conformance::mutants {

/// The sound storage that a mutant is made of, and the checks that are compiled for it.
enum class Original : std::uint8_t {
  pools,    ///< faulty_pools.hpp, all checks: indirection_map
  objects,  ///< faulty_objects.hpp, the semantics card: naive_objects, which promises what packed rows cannot keep
  card,     ///< wrong_card.hpp, the same: indirection_map, of whose card every line is wrong
  ticks,    ///< faulty_ticks.hpp, changes_are_recorded alone: indirection_map.changed
  queue     ///< wrong_card.hpp, freed_indices_wait alone: a registry in which freed indices do not wait
};

struct Mutant {
  std::string_view name;   ///< of the fault
  std::string_view check;  ///< the check that has to catch it
  std::string_view fault;  ///< in words
  Original original = Original::pools;
};

/// In the order of the checks. A fault may have several entries.
inline constexpr auto mutants = std::to_array<Mutant>({
    // ---- lifecycle.hpp
    {"an_index_is_cut_off", "creation_gives_distinct_living_entities", "a handle holds 5 bits of the index"},
    {"find_mixes_entities", "creation_takes_components", "find() of several components mixes two entities"},
    {"a_column_repeats_a_value", "bulk_creation_takes_one_of_each_column",
     "the last new entity gets the components of the first"},
    {"the_last_copy_is_left_out", "bulk_creation_takes_any_range",
     "create_copies() creates one entity less than there are handles"},
    {"bulk_creation_counts_the_dead", "bulk_creation_of_thousands_fills_holes",
     "bulk creation makes room as if no entity had ever been destroyed"},
    {"alive_ignores_the_generation", "destruction_ends_a_life", "alive() compares the index only"},
    {"a_moved_row_is_forgotten", "destruction_ends_a_life",
     "an entity that moved into a hole is still looked for at its old row"},
    {"a_component_stays_behind", "destruction_ends_a_life", "one of several components does not move with its row"},
    {"a_list_keeps_its_last", "a_list_of_entities_is_destroyed", "the last of a list is counted and not destroyed"},
    {"emplace_raises_the_dead", "a_dead_handle_is_refused", "emplace() on a dead handle creates an entity"},
    {"generations_stay_the_same", "a_stale_handle_is_not_its_successor", "every life of an index has generation 0"},
    {"a_lookup_ignores_the_generation", "a_stale_handle_is_not_its_successor",
     "a stale handle finds the rows of its successor"},
    {"clear_skips_destructors", "clear_ends_every_life", "components are destroyed one by one only, not by clear()"},

    // ---- structural_change.hpp
    {"remove_always_says_yes", "emplace_adds_and_remove_takes_away",
     "remove() returns true if the entity is alive, whether it had the component or not"},
    {"count_is_off_by_one", "emplace_replaces", "count() is one less from 17 components on"},
    {"emplace_keeps_the_old", "emplace_replaces", "emplace() keeps a component that is there, as std::map does"},
    {"a_dissolved_group_stays_in_the_index", "groups_form_and_dissolve_in_every_order",
     "the index keeps the row in the pool of a group that is no longer complete"},
    {"a_moved_row_has_11_bits", "thousands_change_their_components",
     "the row number of a moved entity is cut off at 2048"},
    {"clear_of_a_component_spares_one", "clear_takes_one_component_from_all",
     "clear<C>() leaves the first entity its component"},
    {"creation_grows_first", "creation_from_own_components_at_every_size",
     "the arrays grow before the arguments, which lie in them, are read"},
    {"creation_grows_first", "creation_of_thousands_from_own_components",
     "the arrays grow before the arguments, which lie in them, are read"},
    {"emplace_grows_first", "emplace_from_own_components_at_every_size",
     "the array grows before the argument, which lies in it, is read"},
    {"emplace_ends_the_old_first", "emplace_from_the_component_it_replaces",
     "the old component is removed before the new one, which may be copied from it, is made"},
    {"growth_forgets_a_row", "growth_keeps_everything", "one column grows without its last row"},
    {"growth_copies_bytes", "growth_moves_components_of_every_kind", "components are moved as bytes, as by realloc()"},

    // ---- iteration.hpp
    {"each_loses_the_last_row", "each_visits_all_that_match_once", "each() leaves out the last row"},
    {"a_block_comes_twice", "each_visits_all_that_match_once", "each_block() shows the first block twice"},
    {"without_is_forgotten", "filters_admit_what_they_say", "each() visits what Without<> excludes"},
    {"a_lookup_writes_no_tick", "changes_are_recorded", "find() that is not const is not recorded", Original::ticks},
    {"what_rests_has_changed", "changes_are_recorded", "each_changed() shows all that there is", Original::ticks},
    {"destruction_changes_all", "changes_are_recorded", "destroy() counts as access to all that is left",
     Original::ticks},
    {"a_form_of_each_loses_a_row", "each_calls_every_form_of_function",
     "each() leaves out the first row if the function takes no handle"},
    {"each_shows_copies", "changes_made_by_loops_are_found", "each() passes copies of the components"},
    {"blocks_are_copies", "changes_made_by_loops_are_found", "each_block() passes copies of the columns"},
    {"blocks_name_other_entities", "a_const_storage_shows_the_same",
     "the entities of a block are in the opposite order of its rows"},
    {"a_loop_counts_in_the_storage", "loops_may_be_nested", "what is left of a loop is a member of the storage"},
    {"a_loop_stays_locked", "a_loop_may_be_left_by_an_exception", "each() does not unlock the storage if it is left"},
    {"blocks_stay_locked", "a_loop_may_be_left_by_an_exception",
     "each_block() does not unlock the storage if it is left"},
    {"a_loop_allocates", "each_allocates_only_when_a_list_is_new", "each() allocates a list in every call"},

    // ---- component_kinds.hpp
    {"a_destructor_is_skipped", "constructors_and_destructors_balance",
     "the last of the rows to be destroyed keeps its component"},
    {"columns_are_misaligned", "over_aligned_components_are_aligned", "columns begin 16 bytes after a cache line"},
    {"a_number_is_taken_for_an_owner", "awkward_types_are_components",
     "a component with the type of a row's owner does not move with its row"},
    {"emplace_without_arguments_does_nothing", "emplace_constructs_from_arguments",
     "emplace() without arguments keeps a component that is there"},
    {"emplace_moves_what_it_makes", "emplace_makes_a_component_where_it_stays",
     "emplace() makes the component on the stack"},

    // ---- tables.hpp
    {"columns_change_owners", "creation_by_columns_gives_each_row_to_its_entity",
     "the first and the last new entity change places"},
    {"creation_by_columns_leaves_an_entity", "creation_by_columns_survives_a_shortage",
     "an entity that was created first is not destroyed if there is no memory for the others"},
    {"tables_lack_a_row", "tables_show_each_component_once", "each_table() leaves out the last row of a table"},

    // ---- memory.hpp
    {"slack_is_rounded", "memory_adds_up_to_the_byte", "slack is rounded down to whole cache lines"},
    {"blocks_are_miscounted", "memory_adds_up_to_the_byte", "one heap block is counted twice"},
    {"removed_components_stay_counted", "memory_adds_up_through_churn", "removed components stay in the payload"},
    {"a_destroyed_storage_leaks", "destruction_gives_everything_back", "the destructor gives no array back"},
    {"reserve_shrinks", "reserve_never_shrinks", "reserve(n) cuts the arrays down to n rows, or those in use"},
    {"growth_is_no_event", "events_tell_of_growth", "events() counts nothing"},
    {"a_tag_counts_a_byte", "tags_take_no_room", "a tag is sizeof(tag) bytes of payload"},
    {"ended_rows_are_zeroed", "clear_does_not_visit_trivial_components",
     "components without a destructor are overwritten with zeros"},
    {"creation_allocates", "creation_in_reserved_room_does_not_allocate", "create() allocates for every entity"},
    {"clear_gives_memory_back", "clear_keeps_memory", "clear() frees the arrays of components"},

    // ---- copies.hpp
    {"a_copy_uses_up_a_handle", "a_copy_is_the_same_world", "copy_from() creates an entity and destroys it"},
    {"a_copy_takes_memory_anew", "a_copy_uses_the_memory_it_has", "copy_from() cuts the arrays down to the rows"},
    {"a_failed_copy_leaves_an_entity", "a_copy_survives_a_shortage", "copy_from() that throws leaves an entity behind"},

    // ---- exceptions.hpp
    {"creation_adds_one_by_one", "creation_survives_throwing_constructors",
     "create(a, b) creates, then emplaces each, and does not destroy the entity if one throws"},
    {"bulk_creation_is_not_undone", "bulk_creation_survives_throwing_constructors",
     "bulk creation creates one by one and keeps those before the one that throws"},
    {"emplace_ends_the_old_first", "emplace_survives_throwing_constructors",
     "the old component is removed before the constructor of the new one throws"},
    {"size_is_raised_first", "creation_survives_a_shortage", "the registry counts an entity before it has a slot"},
    {"bulk_creation_is_not_undone", "bulk_creation_survives_a_shortage",
     "bulk creation creates one by one and keeps those for which there was memory"},
    {"emplace_takes_others_out_first", "emplace_survives_a_shortage",
     "another component is taken out for a move and not put back if there is no memory"},
    {"remove_takes_others_out_first", "remove_survives_a_shortage",
     "another component is taken out for a move and not put back if there is no memory"},
    {"destruction_allocates", "destruction_never_fails", "destroy() allocates a list of what it destroys"},
    {"reserve_creates_entities", "reserve_survives_a_shortage",
     "reserve(n) creates entities and destroys them, unless memory runs out before"},
    {"half_a_list_is_kept", "a_first_loop_survives_a_shortage",
     "the list of a loop's entities is used again although memory ran out while it was made"},

    // ---- semantics.hpp
    {"card_promises_stable_pointers", "card_pointer_stability_on_insert", "promised, although arrays move",
     Original::card},
    {"growth_moves_components", "card_pointer_stability_on_insert", "components move if a power of two is reached",
     Original::objects},
    {"card_gives_no_reason", "card_pointer_stability_on_erase", "denied without a reason", Original::card},
    {"a_hole_is_filled", "card_pointer_stability_on_erase", "destroy() moves a component of another entity",
     Original::objects},
    {"card_denies_an_order", "card_creation_order", "denied, although it is kept", Original::card},
    {"each_walks_backwards", "card_creation_order", "each() goes from the last row to the first"},
    {"card_lets_loops_create", "card_create_while_iterating", "promised, although an assertion forbids it",
     Original::card},
    {"a_loop_starts_again_after_growth", "card_create_while_iterating",
     "each() visits all once more if entities were created", Original::objects},
    {"a_loop_follows_its_end", "creating_in_a_loop_reaches_its_end", "each() goes on as long as entities are created",
     Original::objects},
    {"card_lets_loops_destroy", "card_destroy_current_while_iterating", "promised, although an assertion forbids it",
     Original::card},
    {"a_loop_skips_behind_the_destroyed", "card_destroy_current_while_iterating",
     "each() leaves out the entity after a destroyed one", Original::objects},
    {"card_lets_loops_destroy_others", "card_destroy_others_while_iterating",
     "promised, although an assertion forbids it", Original::card},
    {"a_loop_shows_the_dead", "card_destroy_others_while_iterating",
     "each() visits a list from before the loop, with those destroyed since", Original::objects},
    {"card_lets_loops_change_sets", "card_change_components_while_iterating",
     "promised, although an assertion forbids it", Original::card},
    {"a_changed_entity_comes_twice", "card_change_components_while_iterating",
     "each() visits an entity in its old section and in its new one", Original::objects},
    {"card_denies_destruction", "card_immediate_destruction", "denied, although it is kept", Original::card},
    {"removed_components_live_on", "card_immediate_destruction", "remove() keeps the component for later"},
    {"card_hides_why_rows_are_not_parallel", "card_parallel_rows", "denied without a reason", Original::card},
    {"a_range_of_steps_loses_its_last", "card_parallel_rows", "each_step() leaves out the last step"},
    {"steps_are_not_guarded", "card_parallel_rows", "each_step() lets its function destroy"},
    {"card_denies_growth", "card_growth", "denied, although it is kept", Original::card},
    {"rows_have_16_bits", "card_growth", "65,536 entities are the most"},
    {"card_denies_that_handles_stay_stale", "card_handles_stay_stale", "denied, although it is kept", Original::card},
    {"generations_stay_the_same", "card_handles_stay_stale", "every life of an index has generation 0"},

    // ---- registries.hpp
    {"exhaustion_is_untyped", "exhaustion_changes_nothing", "running out of indices is a std::runtime_error"},
    {"alive_ignores_that_an_index_waits", "generations_wrap_around",
     "alive() compares index and generation, and no entity need have the index"},
    {"waiting_indices_sleep_on_after_clear", "waiting_indices_live_again_after_clear",
     "an index that waited before clear() is not alive again after it"},
    {"freed_indices_never_return", "freed_indices_wait", "each entity gets an index that was never used"},
    {"freed_indices_return_at_once", "freed_indices_wait", "the index freed last is given out next", Original::queue},
    {"clear_keeps_the_index", "a_small_world_goes_on_and_on", "clear() does not clear the index"},
    {"waiting_indices_are_not_counted", "memory_adds_up_with_a_queued_registry",
     "memory() leaves out the queue of freed indices"},
    {"clear_tells_no_listener", "listeners_hear_of_every_death", "clear() tells no listener"},
    {"an_undone_creation_is_announced", "listeners_hear_nothing_of_failed_creations",
     "listeners hear of every index that is given back, and a failed creation gives one back"},
    {"listeners_are_not_counted", "memory_adds_up_with_listeners", "memory() leaves out the list of listeners"},
});

/// A name of the list; another one does not compile.
class Fault {
 public:
  consteval Fault(const char* name) : number_(number_of(name)) {}  // NOLINT(google-explicit-constructor)

  /// The fault of the first entry that has this name.
  [[nodiscard]] static constexpr std::size_t number_of(std::string_view name) {
    std::size_t number = 0;
    while (mutants.at(number).name != name) ++number;
    return number;
  }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

 private:
  std::size_t number_;
};

inline constexpr std::size_t no_fault = std::numeric_limits<std::size_t>::max();
/// The fault that all storages have now.
inline std::size_t fault = no_fault;

[[nodiscard]] inline bool has(Fault asked) noexcept { return fault == asked.number(); }

/// Blocks that a mutant reads after it should have freed them. They are freed after the check, so that the program goes
/// on.
inline std::vector<std::shared_ptr<void>> kept_blocks;

/// The checks that are compiled for an original; of pools these are all that there are.
[[nodiscard]] const std::vector<Check>& checks_of(Original original);
/// The part of them that contract.cpp compiles.
[[nodiscard]] std::vector<Check> contract_checks();

}  // namespace stowage::conformance::mutants
