#include "tests/support/throwing_assert.hpp"

#include "tests/conformance/suite.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/partial_storage.hpp"

namespace stowage::conformance {

TEST_CASE("a check is left out for what it asks for, and says so") {
  std::set<std::string> capabilities;
  std::set<std::string> left_out;
  std::size_t checks = 0;
  for_each_check<testing::PartialStorage>([&](const Check& check) {
    ++checks;
    CHECK((check.run == nullptr) == !check.lacking.empty());
    if (check.run != nullptr) return;
    left_out.insert(check.name);
    capabilities.insert(std::string(check.lacking));
  });
  // of the checks of seven files, those that go without what the storage lacks
  for (const char* name : {"creation_takes_components", "a_stale_handle_is_not_its_successor", "clear_ends_every_life",
                           "each_calls_every_form_of_function", "loops_may_be_nested", "growth_keeps_everything",
                           "creation_from_own_components_at_every_size", "destruction_gives_everything_back",
                           "card_destroy_others_while_iterating", "creating_in_a_loop_reaches_its_end"}) {
    INFO(name);
    CHECK_FALSE(left_out.contains(name));
  }
  for (const char* name : {"bulk_creation_takes_one_of_each_column", "emplace_replaces",
                           "a_const_storage_shows_the_same", "tables_show_each_component_once", "reserve_never_shrinks",
                           "memory_adds_up_to_the_byte", "creation_survives_a_shortage"}) {
    INFO(name);
    CHECK(left_out.contains(name));
  }
  CHECK(capabilities == std::set<std::string>{"bulk_creation", "structural_change", "const_iteration", "filters",
                                              "table_exchange", "reservation", "memory_accounting",
                                              "strong_guarantee"});
  CHECK(checks - left_out.size() == 21);
}

}  // namespace stowage::conformance
