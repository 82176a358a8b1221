#pragma once

// THE list of mutants: storages with one fault each, and the check that has to catch it. A new one takes an entry here,
// and a line of code that asks has("its name").
#include <limits>

#include "tests/conformance/check.hpp"

namespace stowage::conformance::mutants {

/// The sound storage that a mutant is made of, and the checks that are compiled for it.
enum class Original : std::uint8_t {
  pools,    ///< faulty_pools.hpp, all checks: indirection_map
  objects,  ///< originals.cpp, the semantics card: naive_objects, which promises what packed rows cannot keep
  card,     ///< originals.cpp, the same: indirection_map, of whose card every line is wrong
  ticks,    ///< originals.cpp, changes_are_recorded alone: indirection_map.changed
  queue     ///< originals.cpp, freed_indices_wait alone: a registry in which freed indices do not wait
};

struct Mutant {
  std::string_view name;   ///< of the fault, which it says
  std::string_view check;  ///< the check that has to catch it
  Original original = Original::pools;
};

/// In the order of the checks. A fault may have several entries.
inline constexpr auto mutants = std::to_array<Mutant>({
    // ---- lifecycle.hpp
    {"an_index_is_cut_off", "creation_gives_distinct_living_entities"},
    {"find_mixes_entities", "creation_takes_components"},
    {"a_column_repeats_a_value", "bulk_creation_takes_one_of_each_column"},
    {"the_last_copy_is_left_out", "bulk_creation_takes_any_range"},
    {"bulk_creation_counts_the_dead", "bulk_creation_of_thousands_fills_holes"},
    {"alive_ignores_the_generation", "destruction_ends_a_life"},
    {"a_moved_row_is_forgotten", "destruction_ends_a_life"},
    {"a_component_stays_behind", "destruction_ends_a_life"},
    {"a_list_keeps_its_last", "a_list_of_entities_is_destroyed"},
    {"emplace_raises_the_dead", "a_dead_handle_is_refused"},
    {"generations_stay_the_same", "a_stale_handle_is_not_its_successor"},
    {"a_lookup_ignores_the_generation", "a_stale_handle_is_not_its_successor"},
    {"clear_skips_destructors", "clear_ends_every_life"},

    // ---- structural_change.hpp
    {"remove_always_says_yes", "emplace_adds_and_remove_takes_away"},
    {"count_is_off_by_one", "emplace_replaces"},
    {"emplace_keeps_the_old", "emplace_replaces"},
    {"a_dissolved_group_stays_in_the_index", "groups_form_and_dissolve_in_every_order"},
    {"a_moved_row_has_11_bits", "thousands_change_their_components"},
    {"clear_of_a_component_spares_one", "clear_takes_one_component_from_all"},
    {"creation_grows_first", "creation_from_own_components_at_every_size"},
    {"creation_grows_first", "creation_of_thousands_from_own_components"},
    {"emplace_grows_first", "emplace_from_own_components_at_every_size"},
    {"emplace_ends_the_old_first", "emplace_from_the_component_it_replaces"},
    {"growth_forgets_a_row", "growth_keeps_everything"},
    {"growth_copies_bytes", "growth_moves_components_of_every_kind"},

    // ---- iteration.hpp
    {"each_loses_the_last_row", "each_visits_all_that_match_once"},
    {"a_block_comes_twice", "each_visits_all_that_match_once"},
    {"without_is_forgotten", "filters_admit_what_they_say"},
    {"a_lookup_writes_no_tick", "changes_are_recorded", Original::ticks},
    {"what_rests_has_changed", "changes_are_recorded", Original::ticks},
    {"destruction_changes_all", "changes_are_recorded", Original::ticks},
    {"a_form_of_each_loses_a_row", "each_calls_every_form_of_function"},
    {"each_shows_copies", "changes_made_by_loops_are_found"},
    {"blocks_are_copies", "changes_made_by_loops_are_found"},
    {"blocks_name_other_entities", "a_const_storage_shows_the_same"},
    {"a_loop_counts_in_the_storage", "loops_may_be_nested"},
    {"a_loop_stays_locked", "a_loop_may_be_left_by_an_exception"},
    {"blocks_stay_locked", "a_loop_may_be_left_by_an_exception"},
    {"a_loop_allocates", "each_allocates_only_when_a_list_is_new"},

    // ---- component_kinds.hpp
    {"a_destructor_is_skipped", "constructors_and_destructors_balance"},
    {"columns_are_misaligned", "over_aligned_components_are_aligned"},
    {"a_number_is_taken_for_an_owner", "awkward_types_are_components"},
    {"emplace_without_arguments_does_nothing", "emplace_constructs_from_arguments"},
    {"emplace_moves_what_it_makes", "emplace_makes_a_component_where_it_stays"},

    // ---- tables.hpp
    {"columns_change_owners", "creation_by_columns_gives_each_row_to_its_entity"},
    {"creation_by_columns_leaves_an_entity", "creation_by_columns_survives_a_shortage"},
    {"tables_lack_a_row", "tables_show_each_component_once"},

    // ---- memory.hpp
    {"slack_is_rounded", "memory_adds_up_to_the_byte"},
    {"blocks_are_miscounted", "memory_adds_up_to_the_byte"},
    {"removed_components_stay_counted", "memory_adds_up_through_churn"},
    {"a_destroyed_storage_leaks", "destruction_gives_everything_back"},
    {"reserve_shrinks", "reserve_never_shrinks"},
    {"growth_is_no_event", "events_tell_of_growth"},
    {"a_tag_counts_a_byte", "tags_take_no_room"},
    {"ended_rows_are_zeroed", "clear_does_not_visit_trivial_components"},
    {"creation_allocates", "creation_in_reserved_room_does_not_allocate"},
    {"clear_gives_memory_back", "clear_keeps_memory"},

    // ---- copies.hpp
    {"a_copy_uses_up_a_handle", "a_copy_is_the_same_world"},
    {"a_copy_takes_memory_anew", "a_copy_uses_the_memory_it_has"},
    {"a_failed_copy_leaves_an_entity", "a_copy_survives_a_shortage"},

    // ---- exceptions.hpp
    {"creation_adds_one_by_one", "creation_survives_throwing_constructors"},
    {"bulk_creation_is_not_undone", "bulk_creation_survives_throwing_constructors"},
    {"emplace_ends_the_old_first", "emplace_survives_throwing_constructors"},
    {"size_is_raised_first", "creation_survives_a_shortage"},
    {"bulk_creation_is_not_undone", "bulk_creation_survives_a_shortage"},
    {"emplace_takes_others_out_first", "emplace_survives_a_shortage"},
    {"remove_takes_others_out_first", "remove_survives_a_shortage"},
    {"destruction_allocates", "destruction_never_fails"},
    {"reserve_creates_entities", "reserve_survives_a_shortage"},
    {"half_a_list_is_kept", "a_first_loop_survives_a_shortage"},

    // ---- semantics.hpp
    {"card_promises_stable_pointers", "card_pointer_stability_on_insert", Original::card},
    {"growth_moves_components", "card_pointer_stability_on_insert", Original::objects},
    {"card_gives_no_reason", "card_pointer_stability_on_erase", Original::card},
    {"a_hole_is_filled", "card_pointer_stability_on_erase", Original::objects},
    {"card_denies_an_order", "card_creation_order", Original::card},
    {"each_walks_backwards", "card_creation_order"},
    {"card_lets_loops_create", "card_create_while_iterating", Original::card},
    {"a_loop_starts_again_after_growth", "card_create_while_iterating", Original::objects},
    {"a_loop_follows_its_end", "creating_in_a_loop_reaches_its_end", Original::objects},
    {"card_lets_loops_destroy", "card_destroy_current_while_iterating", Original::card},
    {"a_loop_skips_behind_the_destroyed", "card_destroy_current_while_iterating", Original::objects},
    {"card_lets_loops_destroy_others", "card_destroy_others_while_iterating", Original::card},
    {"a_loop_shows_the_dead", "card_destroy_others_while_iterating", Original::objects},
    {"card_lets_loops_change_sets", "card_change_components_while_iterating", Original::card},
    {"a_changed_entity_comes_twice", "card_change_components_while_iterating", Original::objects},
    {"card_denies_destruction", "card_immediate_destruction", Original::card},
    {"removed_components_live_on", "card_immediate_destruction"},
    {"card_hides_why_rows_are_not_parallel", "card_parallel_rows", Original::card},
    {"a_range_of_steps_loses_its_last", "card_parallel_rows"},
    {"steps_are_not_guarded", "card_parallel_rows"},
    {"card_denies_growth", "card_growth", Original::card},
    {"rows_have_16_bits", "card_growth"},
    {"card_denies_that_handles_stay_stale", "card_handles_stay_stale", Original::card},
    {"generations_stay_the_same", "card_handles_stay_stale"},

    // ---- registries.hpp
    {"exhaustion_is_untyped", "exhaustion_changes_nothing"},
    {"alive_ignores_that_an_index_waits", "generations_wrap_around"},
    {"waiting_indices_sleep_on_after_clear", "waiting_indices_live_again_after_clear"},
    {"freed_indices_never_return", "freed_indices_wait"},
    {"freed_indices_return_at_once", "freed_indices_wait", Original::queue},
    {"clear_keeps_the_index", "a_small_world_goes_on_and_on"},
    {"waiting_indices_are_not_counted", "memory_adds_up_with_a_queued_registry"},
    {"clear_tells_no_listener", "listeners_hear_of_every_death"},
    {"an_undone_creation_is_announced", "listeners_hear_nothing_of_failed_creations"},
    {"listeners_are_not_counted", "memory_adds_up_with_listeners"},
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
