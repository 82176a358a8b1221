#pragma once

// The conformance suite: what it takes to be a storage, as named checks that need no test framework. A check throws
// Mismatch, with the place in the suite and what is wrong. What a storage says that it lacks (see
// contract/capabilities.hpp) is not checked; such a check has no run(), and says what is lacking.
//
//     #include "tests/support/throwing_assert.hpp"   // before any header of the library
//     #include "my_storage.hpp"
//     #include "tests/conformance/suite.hpp"         // and link tests/support/counting_new.cpp
//
//     template <class SchemaType> using Mine = MyStorage<SchemaType>;
//     for_each_check<Mine>([](const Check& check) { if (check.run != nullptr) check.run(); });

#include "tests/conformance/component_kinds.hpp"
#include "tests/conformance/copies.hpp"
#include "tests/conformance/exceptions.hpp"
#include "tests/conformance/iteration.hpp"
#include "tests/conformance/lifecycle.hpp"
#include "tests/conformance/memory.hpp"
#include "tests/conformance/registries.hpp"
#include "tests/conformance/semantics.hpp"
#include "tests/conformance/structural_change.hpp"
#include "tests/conformance/tables.hpp"

namespace stowage::conformance {

/// The whole contract, but for what a storage that takes objects one by one from the heap cannot give.
template <template <class> class Strategy, class Function>
void for_each_check(Function&& function) {
  for (const Check& check : lifecycle_checks<Strategy>) function(check);
  for (const Check& check : structural_change_checks<Strategy>) function(check);
  for (const Check& check : iteration_checks<Strategy>) function(check);
  for (const Check& check : component_kind_checks<Strategy>) function(check);
  for (const Check& check : table_checks<Strategy>) function(check);
  for (const Check& check : memory_checks<Strategy>) function(check);
  for (const Check& check : copy_checks<Strategy>) function(check);
  for (const Check& check : exception_checks<Strategy>) function(check);
  for (const Check& check : semantics_checks<Strategy>) function(check);
}

/// What every storage but `naive_objects` gives beside: components lie in arrays.
template <template <class> class Strategy, class Function>
void for_each_packed_check(Function&& function) {
  for (const Check& check : packed_memory_checks<Strategy>) function(check);
}

/// What every storage gives that does not ask the heap for something per entity.
template <template <class> class Strategy, class Function>
void for_each_reserved_check(Function&& function) {
  for (const Check& check : reserved_memory_checks<Strategy>) function(check);
}

/// What depends on the registry, for storages that take one as second parameter.
template <template <class, class> class StrategyWith, class Function>
void for_each_registry_check(Function&& function) {
  for (const Check& check : registry_checks<StrategyWith>) function(check);
}

}  // namespace stowage::conformance
