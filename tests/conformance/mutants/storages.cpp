#include "tests/support/throwing_assert.hpp"

#include "tests/conformance/mutants/broken_storages.hpp"
#include "tests/conformance/mutants/expect_caught.hpp"
#include "tests/conformance/suite.hpp"

// An operation or a line of the semantics card with one fault each: the check that is named catches it. All of them are
// made of IndirectionMap, of which conformance.indirection_map says that no check has anything against it.
namespace stowage::conformance::mutants {
namespace {

TEST_CASE("a last row that each() loses is caught by each_visits_all_that_match_once") {
  expect_caught(&each_visits_all_that_match_once<EachLosesTheLastRow>);
}
TEST_CASE("a block that is shown twice is caught by each_visits_all_that_match_once") {
  expect_caught(&each_visits_all_that_match_once<BlocksRepeatTheFirst>);
}
TEST_CASE("blocks that name the wrong entities are caught by a_const_storage_shows_the_same") {
  expect_caught(&a_const_storage_shows_the_same<BlocksNameOthers>);
}
TEST_CASE("an entity of a list that survives is caught by a_list_of_entities_is_destroyed") {
  expect_caught(&a_list_of_entities_is_destroyed<ListLosesTheLast>);
}
TEST_CASE("components of two entities in one find() are caught by creation_takes_components") {
  expect_caught(&creation_takes_components<FindMixesEntities>);
}
TEST_CASE("a count that is off is caught by emplace_replaces") { expect_caught(&emplace_replaces<CountIsOff>); }
TEST_CASE("a value that bulk creation repeats is caught by bulk_creation_takes_one_of_each_column") {
  expect_caught(&bulk_creation_takes_one_of_each_column<BulkRepeatsAValue>);
}
TEST_CASE("a row that tables lack is caught by tables_show_each_component_once") {
  expect_caught(&tables_show_each_component_once<TablesLackARow>);
}
TEST_CASE("columns that change owners are caught by creation_by_columns_gives_each_row_to_its_entity") {
  expect_caught(&creation_by_columns_gives_each_row_to_its_entity<ColumnsChangeOwners>);
}
TEST_CASE("slack that is miscounted is caught by memory_adds_up_to_the_byte") {
  expect_caught(&memory_adds_up_to_the_byte<SlackIsMiscounted>);
}
TEST_CASE("blocks that are miscounted are caught by memory_adds_up_to_the_byte") {
  expect_caught(&memory_adds_up_to_the_byte<BlocksAreMiscounted>);
}
TEST_CASE("a component lost to a constructor that throws is caught by emplace_survives_throwing_constructors") {
  expect_caught(&emplace_survives_throwing_constructors<EmplaceEndsTheOldFirst>);
}
TEST_CASE("an emplace() on the dead is caught by a_dead_handle_is_refused") {
  expect_caught(&a_dead_handle_is_refused<EmplaceRaisesTheDead>);
}
TEST_CASE("an allocation per entity is caught by creation_in_reserved_room_does_not_allocate") {
  expect_caught(&creation_in_reserved_room_does_not_allocate<CreationAllocates>);
}
TEST_CASE("an allocation per loop is caught by each_allocates_only_when_a_list_is_new") {
  expect_caught(&each_allocates_only_when_a_list_is_new<LoopsAllocate>);
}
TEST_CASE("a promise that is not kept is caught by card_pointer_stability_on_insert") {
  expect_caught(&card_pointer_stability_on_insert<CardPromisesTooMuch>);
}
TEST_CASE("a denial of what is kept is caught by card_creation_order") {
  expect_caught(&card_creation_order<CardDeniesTooMuch>);
}
TEST_CASE("a denial without a reason is caught by card_pointer_stability_on_erase") {
  expect_caught(&card_pointer_stability_on_erase<CardGivesNoReason>);
}

}  // namespace
}  // namespace stowage::conformance::mutants
