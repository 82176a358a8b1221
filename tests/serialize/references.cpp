// Handles in components that refer to nothing: forged ones when they are saved, and what a codec has read as plain
// bytes.
#include <stowage/archetype_sections.hpp>
#include <stowage/indirection_map.hpp>

#include "tests/serialize/scene.hpp"
#include "tests/support/catch.hpp"

namespace stowage::serialize_test {

/// A forged handle looks alive if its generation is what the slot of a dead entity holds.
TEMPLATE_TEST_CASE("a forged handle gets no place that the file has no room for", "", IndirectionMap<Schema<Parent>>,
                   ArchetypeSections<Schema<Parent>>) {
  for (const std::uint32_t generation : {1u, ~1u, 0x8000'0001u}) {
    TestType storage;
    const Entity dead = storage.create();
    storage.create(Parent{Entity(dead.index(), generation)});
    storage.destroy(dead);
    const auto report = load(storage, saved(storage));
    REQUIRE(report.entities.size() == 1);
    CHECK(storage.template find<Parent>(report.entities.front())->entity.is_null());
  }
}

}  // namespace stowage::serialize_test
