// Handles in components that refer to nothing: forged ones when they are saved, and what a codec has read as plain
// bytes.
#include <stowage/archetype_sections.hpp>
#include <stowage/indirection_map.hpp>

#include "tests/serialize/scene.hpp"
#include "tests/support/catch.hpp"

namespace stowage::serialize_test {

/// Its codec writes the whole of it, handle and all, as bytes.
struct Whole {
  Entity entity;
};

}  // namespace stowage::serialize_test

template <>
struct stowage::ComponentFormat<stowage::serialize_test::Whole> {
  static constexpr std::string_view name = "whole";
  static constexpr auto references = std::tuple{&serialize_test::Whole::entity};
  static void encode(const serialize_test::Whole& component, ByteWriter& to) { to.write(component); }
  static serialize_test::Whole decode(ByteReader& from, std::uint32_t) { return from.read<serialize_test::Whole>(); }
};

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

TEST_CASE("a place beyond the file that a codec has read as bytes is refused") {
  IndirectionMap<Schema<Whole>> storage;
  storage.create(Whole{Entity(7, 1)});
  const Bytes file = saved(storage);
  IndirectionMap<Schema<Whole>> other;
  CHECK_THROWS_AS(load(other, file), DanglingReference);
  CHECK(other.size() == 0);
}

}  // namespace stowage::serialize_test
