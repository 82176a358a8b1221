#include "tests/support/throwing_assert.hpp"

#include "tests/conformance/mutants/broken_parts.hpp"
#include "tests/conformance/mutants/expect_caught.hpp"
#include "tests/conformance/suite.hpp"

// A registry, an index or a layout with one fault each: the check that is named catches it.
namespace stowage::conformance::mutants {
namespace {

using parts::ArrayIndexPolicy;

template <class S>
using Sound = Composed<S>;
template <class S, class Registry>
using SoundWith = Composed<S, Registry>;

// ---- registries

template <class S>
using NotBumped = Composed<S, GenerationIsNotBumped>;
TEST_CASE("a generation that is not bumped is caught by a_stale_handle_is_not_its_successor") {
  expect_caught(&a_stale_handle_is_not_its_successor<NotBumped>, &a_stale_handle_is_not_its_successor<Sound>);
}

template <class S>
using GenerationIgnored = Composed<S, AliveIgnoresTheGeneration>;
TEST_CASE("alive() that ignores the generation is caught by destruction_ends_a_life") {
  expect_caught(&destruction_ends_a_life<GenerationIgnored>, &destruction_ends_a_life<Sound>);
}

template <class S, class Registry>
using Untyped = Composed<S, ExhaustionIsUntyped<Registry>>;
TEST_CASE("an untyped error if indices run out is caught by exhaustion_changes_nothing") {
  const auto on_mutant = [] {
    try {
      exhaust_indices<Untyped<Plain, SmallRegistry>>();
    } catch (const std::runtime_error& error) {
      require(dynamic_cast<const harness::verify::Mismatch*>(&error) != nullptr, "an untyped error got through");
    }
  };
  expect_caught(on_mutant, &exhaust_indices<SoundWith<Plain, SmallRegistry>>);
}

template <class S, class Registry>
using NoQueue = Composed<S, FreedIndicesDoNotWait<Registry>>;
TEST_CASE("freed indices that come back at once are caught by freed_indices_wait") {
  expect_caught(&freed_indices_wait<NoQueue>, &freed_indices_wait<SoundWith>);
}

// ---- indices

template <class S>
using MovedForgotten = Composed<S, EntityRegistry<>, PolicyOf<ForgetsWhoMoved>>;
TEST_CASE("a moved owner that is forgotten is caught by destruction_ends_a_life") {
  expect_caught(&destruction_ends_a_life<MovedForgotten>, &destruction_ends_a_life<Sound>);
}

template <class S>
using StaleFound = Composed<S, EntityRegistry<>, PolicyOf<FindIgnoresTheGeneration>>;
TEST_CASE("a lookup that ignores the generation is caught by a_stale_handle_is_not_its_successor") {
  expect_caught(&a_stale_handle_is_not_its_successor<StaleFound>, &a_stale_handle_is_not_its_successor<Sound>);
}

// ---- layouts

template <class S>
using DestructorSkipped = Composed<S, EntityRegistry<>, ArrayIndexPolicy, LayoutPolicyOf<SkipsADestructor>>;
TEST_CASE("a destructor that is skipped is caught by constructors_and_destructors_balance") {
  expect_caught(&constructors_and_destructors_balance<DestructorSkipped>, &constructors_and_destructors_balance<Sound>);
}

template <class S>
using LeakyClear = Composed<S, EntityRegistry<>, ArrayIndexPolicy, LayoutPolicyOf<EmptyingLeaks>>;
TEST_CASE("components that clear() forgets are caught by clear_ends_every_life") {
  expect_caught(&clear_ends_every_life<LeakyClear>, &clear_ends_every_life<Sound>);
}

template <class S>
using LeftBehind = Composed<S, EntityRegistry<>, ArrayIndexPolicy, LayoutPolicyOf<RelocatesAllButOne>>;
TEST_CASE("a component that does not move with its row is caught by destruction_ends_a_life") {
  expect_caught(&destruction_ends_a_life<LeftBehind>, &destruction_ends_a_life<Sound>);
}

template <class S>
using Misaligned = Composed<S, EntityRegistry<>, ArrayIndexPolicy, LayoutPolicyOf<Misaligns>>;
TEST_CASE("columns that are misaligned are caught by over_aligned_components_are_aligned") {
  expect_caught(&over_aligned_components_are_aligned<Misaligned>, &over_aligned_components_are_aligned<Sound>);
}

}  // namespace
}  // namespace stowage::conformance::mutants
