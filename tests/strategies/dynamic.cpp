#include <cstring>

#include <stowage/archetype_sections_dynamic.hpp>
#include <stowage/contract/component_type.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/indirection_map_dynamic.hpp>

#include "tests/support/catch.hpp"

// Types that are added while the program runs, beside those of the schema.
namespace stowage {
namespace dynamic_test {

struct Position {
  std::uint64_t number;
};
struct Name {
  std::string text;
};
struct Frozen {};
/// Of a plugin: the schema does not know it.
struct Script {
  std::string text;
  std::shared_ptr<int> alive;
};

using Known = Schema<Position, Name, Frozen>;

/// Makes a component where its storage can relocate it from.
template <class C>
struct Raw {
  alignas(C) std::array<std::byte, sizeof(C)> bytes;
  explicit Raw(C component) { ::new (static_cast<void*>(bytes.data())) C(std::move(component)); }
};

TEMPLATE_TEST_CASE("a type that is added while entities live", "", ArchetypeSectionsDynamic<Known>,
                   IndirectionMapDynamic<Known>) {
  const auto alive = std::make_shared<int>(0);
  {
    TestType storage;
    std::vector<Entity> entities;
    for (std::uint64_t i = 0; i < 100; ++i)
      entities.push_back(storage.create(Position{i}, Name{"a name that is long"}));
    const std::size_t known = storage.type_count();
    CHECK(known == 3);
    const TypeId script = storage.add_type(component_type<Script>);
    CHECK(storage.type_count() == known + 1);
    CHECK(storage.find(entities[0], script) == nullptr);

    for (std::size_t i = 0; i < entities.size(); i += 2) {
      Raw<Script> made(Script{"script number " + std::to_string(i), alive});
      void* const place = storage.emplace(entities[i], script, made.bytes.data());
      CHECK(place == storage.find(entities[i], script));
    }
    Raw<Script> other(Script{"another", alive});
    storage.emplace(entities[0], script, other.bytes.data());  // in place of the one that is there
    CHECK(alive.use_count() == 51);

    for (std::size_t i = 0; i < entities.size(); i += 10) CHECK(storage.destroy(entities[i]));
    for (std::size_t i = 2; i < entities.size(); i += 20) CHECK(storage.remove(entities[i], script));
    CHECK_FALSE(storage.remove(entities[2], script));
    CHECK_FALSE(storage.remove(entities[0], script));
    CHECK(alive.use_count() == 36);

    std::size_t visited = 0;
    const std::array asked{script, storage.template type_of<Position>()};
    storage.each_rows(asked, [&](std::span<const EntityIndex> owners, std::span<void* const> columns) {
      for (std::size_t row = 0; row < owners.size(); ++row) {
        const auto& text = static_cast<const Script*>(columns[0])[row].text;
        const std::uint64_t number = static_cast<const Position*>(columns[1])[row].number;
        CHECK(text == "script number " + std::to_string(number));
        CHECK(entities[number].index() == owners[row]);
        ++visited;
      }
    });
    CHECK(visited == 35);
    for (std::uint64_t i = 1; i < 100; i += 2) {
      CHECK(storage.template find<Position>(entities[i])->number == i);
      CHECK(storage.template find<Name>(entities[i])->text == "a name that is long");
    }
  }
  CHECK(alive.use_count() == 1);
}

TEMPLATE_TEST_CASE("an entity is made of components that are known by their type's number", "",
                   ArchetypeSectionsDynamic<Known>, IndirectionMapDynamic<Known>) {
  TestType storage;
  const TypeId plain = storage.add_type({.size = 12, .alignment = 4});
  const TypeId tag = storage.add_type({});
  std::vector<Entity> entities;
  for (std::uint32_t i = 0; i < 40; ++i) {
    std::array<std::uint32_t, 3> bytes{i, i + 1, i + 2};
    Raw<Name> name(Name{"the name of " + std::to_string(i)});
    const std::array ids{plain, tag, storage.template type_of<Name>()};
    const std::array<void*, 3> components{bytes.data(), nullptr, name.bytes.data()};
    entities.push_back(storage.create(ids, components));
  }
  for (std::uint32_t i = 0; i < 40; i += 3) CHECK(storage.destroy(entities[i]));
  for (std::uint32_t i = 0; i < 40; ++i) {
    if (i % 3 == 0) {
      CHECK(storage.find(entities[i], plain) == nullptr);
      continue;
    }
    std::array<std::uint32_t, 3> bytes{};
    std::memcpy(bytes.data(), storage.find(entities[i], plain), sizeof bytes);
    CHECK(bytes == std::array{i, i + 1, i + 2});
    CHECK(storage.find(entities[i], tag) != nullptr);
    CHECK(storage.template find<Name>(entities[i])->text == "the name of " + std::to_string(i));
    CHECK_FALSE(storage.template contains<Position>(entities[i]));
  }
  CHECK(storage.template count<Name>() == 26);
  std::array<std::uint32_t, 3> spare{};
  CHECK_THROWS_AS(storage.emplace(entities[0], plain, spare.data()), DeadEntity);
}

TEST_CASE("archetype_sections.dynamic: one type more than there are numbers") {
  ArchetypeSectionsDynamic<Known> storage;
  const Entity entity = storage.create(Position{7});
  while (storage.type_count() < ArchetypeSectionsDynamic<Known>::most_types)
    storage.add_type({.size = 4, .alignment = 4});
  CHECK_THROWS_WITH(storage.add_type({}), "no component type can be added: this storage tells 512 apart");
  std::uint32_t value = 5;
  const auto last = static_cast<TypeId>(storage.type_count() - 1);
  storage.emplace(entity, last, &value);
  CHECK(*static_cast<const std::uint32_t*>(storage.find(entity, last)) == 5);
  CHECK(storage.find<Position>(entity)->number == 7);
}

}  // namespace dynamic_test
}  // namespace stowage
