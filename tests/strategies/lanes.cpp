// Lanes: which components are spread, where their scalars lie, and what pointers and references to a spread one do.
#include <bit>
#include <cmath>
#include <limits>

#include <stowage/archetype_sections_lanes.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/indirection_map_lanes.hpp>
#include <stowage/parts/layout/scalars.hpp>

#include "tests/support/catch.hpp"

namespace stowage {
namespace {

struct Vector3 {
  float x, y, z;
};
struct Scalar {
  float value;
};
struct Tag {};
struct Nested {
  Vector3 position;
  std::array<std::int16_t, 2> cells;
};
/// Of unlike scalars, with padding between them.
struct Mixed {
  std::uint8_t level;
  double weight;
  bool active;
};
struct alignas(32) Aligned {
  float x, y;
};
/// Has the functions of what stands for a spread component.
struct Text {
  std::string text;

  void lend() const {}
  void component() const {}
};
struct Long {
  std::array<float, 17> values;
};

// ---- which components

using parts::is_spread;
static_assert(is_spread<Vector3> && is_spread<Nested> && is_spread<Mixed>);
static_assert(!is_spread<Scalar>, "an array of its own already");
static_assert(!is_spread<Tag> && !is_spread<float>);
static_assert(!is_spread<Aligned>, "an over-aligned component stays whole");
static_assert(!is_spread<Text>, "what cannot be taken apart stays whole, too: see fields.cpp");
static_assert(!is_spread<Long>, "more streams than a processor follows");
static_assert(std::tuple_size_v<decltype(parts::scalars_of(std::declval<Nested&>()))> == 5);

using Components = Schema<Group<Vector3, Nested>, Mixed, Scalar, Tag, Text>;
using Pools = IndirectionMapLanes<Components>;
using InSections = ArchetypeSectionsLanes<Components>;
template <class Storage>
constexpr bool has_plain_access = std::is_same_v<typename Storage::template pointer<Scalar>, Scalar*> &&
                                  std::is_same_v<typename Storage::template reference<Text>, Text&>;
static_assert(has_plain_access<Pools> && has_plain_access<InSections>);

constexpr Vector3 vector3(std::size_t i) {
  const auto number = static_cast<float>(i);
  return {number, number + 0.25f, number + 0.5f};
}
bool is_vector3(const Vector3& v, std::size_t i) {
  return v.x == vector3(i).x && v.y == vector3(i).y && v.z == vector3(i).z;
}

template <class Storage>
std::vector<Entity> populate(Storage& storage, std::size_t count) {
  std::vector<Entity> entities;
  for (std::size_t i = 0; i < count; ++i) {
    const auto cell = static_cast<std::int16_t>(i);
    entities.push_back(storage.create(vector3(i), Nested{vector3(i + 1), {cell, cell}}, Mixed{1, 2.5, true}, Tag{}));
  }
  return entities;
}

// ---- where

constexpr std::size_t row_bytes = sizeof(Vector3) + (12 + 2 * 2) + (1 + 8 + 1);  // padding takes no room

TEMPLATE_TEST_CASE("every scalar is an array of its own, on lines of its own", "", Pools, InSections) {
  for (const std::size_t count : {1, 15, 17, 1'000, 5'000}) {
    TestType storage;
    populate(storage, count);
    CHECK(storage.memory().payload_bytes == count * row_bytes);
    std::size_t blocks = 0;
    storage.template each_block<const Vector3>([&](const auto& vectors) {
      ++blocks;
      REQUIRE(vectors.size() == count);
      const auto [x, y, z] = vectors.lanes();
      static_assert(std::is_same_v<decltype(x), const std::span<const float>>);
      for (std::size_t i = 0; i < count; ++i) REQUIRE(is_vector3({x[i], y[i], z[i]}, i));
      for (const auto& lane : {x, y, z}) {
        CHECK(reinterpret_cast<std::uintptr_t>(lane.data()) % cache_line_bytes == 0);
      }
      CHECK(y.data() >= x.data() + count);
      CHECK(z.data() - y.data() == y.data() - x.data());
    });
    CHECK(blocks == 1);
  }
}

TEST_CASE("long lanes start as far apart modulo 4096 as so many can") {
  for (const std::size_t lanes : {2, 3, 4, 8, 16}) {
    const parts::ColumnShape shape{4, 4, lanes};
    for (std::size_t rows = 512; rows < 5'000; rows += 7) {
      const std::size_t pitch = parts::lane_pitch(rows, shape);
      REQUIRE(pitch >= rows * 4);
      REQUIRE(pitch < rows * 4 + 4096 + cache_line_bytes);
      REQUIRE(pitch % 4096 == 4096 / lanes / cache_line_bytes * cache_line_bytes);
    }
    CHECK(parts::lane_pitch(16, shape) == cache_line_bytes);
  }
}

TEST_CASE("every component of a set has its lanes in the block of the section, and they move with it") {
  InSections storage;
  std::vector<Entity> entities = populate(storage, 3'000);  // grows, by way of every capacity
  for (std::size_t i = 0; i < entities.size(); i += 3) storage.emplace<Scalar>(entities[i], 1.0f);
  for (std::size_t i = 0; i < entities.size(); i += 3) storage.remove<Mixed>(entities[i]);
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const auto [vector, nested, mixed] = std::as_const(storage).find<Vector3, Nested, Mixed>(entities[i]);
    REQUIRE(is_vector3(*vector, i));
    REQUIRE(is_vector3(nested->position, i + 1));
    REQUIRE((mixed == nullptr) == (i % 3 == 0));
    if (mixed != nullptr) REQUIRE((mixed->level == 1 && mixed->weight == 2.5 && mixed->active));
  }
  std::size_t blocks = 0;
  storage.each_block<const Nested, const Vector3>([&](const auto& nested, const auto& vectors) {
    ++blocks;
    const auto [px, py, pz, cell0, cell1] = nested.lanes();
    const auto [x, y, z] = vectors.lanes();
    for (std::size_t i = 0; i < x.size(); ++i) REQUIRE((px[i] == x[i] + 1 && py[i] == y[i] + 1 && pz[i] == z[i] + 1));
    CHECK(cell1.data() >= cell0.data() + cell0.size());
  });
  CHECK(blocks == 2);
}

// ---- pointers and references

TEMPLATE_TEST_CASE("a pointer to a spread component is used like one", "", Pools, InSections) {
  TestType storage;
  const std::vector<Entity> entities = populate(storage, 10);
  const auto p = storage.template find<Vector3>(entities[3]);
  REQUIRE(p != nullptr);
  CHECK(p->y == 3.25f);
  p->y = 7;
  CHECK(storage.template find<Vector3>(entities[3])->y == 7);
  CHECK(p->x == 3);
  *p = Vector3{1, 2, 3};
  CHECK(storage.template find<Vector3>(entities[3])->z == 3);
  *p = Vector3{p->x + 1, p->y + 1, p->z + 1};  // what is read in the same expression is not written back
  const Vector3 moved = *p;
  CHECK((moved.x == 2 && moved.y == 3 && moved.z == 4));
  *p = *storage.template find<Vector3>(entities[4]);
  CHECK(is_vector3(*p, 4));
  CHECK(is_vector3(*storage.template find<Vector3>(entities[4]), 4));
  const typename TestType::template pointer<const Vector3> fixed = p;
  CHECK(fixed->x == 4);
  CHECK(&*p == p);
  CHECK(p != storage.template find<Vector3>(entities[4]));
  CHECK(storage.template find<Vector3>(Entity{}) == nullptr);
  CHECK_FALSE(static_cast<bool>(storage.template find<Vector3>(Entity{})));
}

TEMPLATE_TEST_CASE("a nested field is written alone", "", Pools, InSections) {
  TestType storage;
  const std::vector<Entity> entities = populate(storage, 10);
  storage.template find<Nested>(entities[5])->position.z = 9;
  storage.template find<Nested>(entities[5])->cells[1] = 8;
  const Nested nested = *storage.template find<Nested>(entities[5]);
  CHECK((nested.position.x == 6 && nested.position.z == 9 && nested.cells[0] == 5 && nested.cells[1] == 8));
  const Mixed mixed = storage.template emplace<Mixed>(entities[5], std::uint8_t{3}, 4.5, false);
  CHECK((mixed.level == 3 && mixed.weight == 4.5 && !mixed.active));
}

/// Overloads the operators that generic code likes to use.
struct Awkward {
  float x, y;

  void operator&() const = delete;
  template <class Other>
  void operator,(const Other&) const = delete;
};
static_assert(is_spread<Awkward>);

TEMPLATE_TEST_CASE("a spread component may overload operators", "", IndirectionMapLanes<Schema<Awkward>>,
                   ArchetypeSectionsLanes<Schema<Awkward>>) {
  TestType storage;
  const Entity entity = storage.create(Awkward{1, 2});
  storage.template find<Awkward>(entity)->y = 3;
  std::array<std::byte, sizeof(Awkward)> bytes{};
  storage.each_table([&](const RowTable& table) { table.columns[0].gather(0, 1, bytes.data()); });
  const auto whole = std::bit_cast<Awkward>(bytes);
  CHECK((whole.x == 1 && whole.y == 3));
}

// ---- loops

/// Every form of function that each() takes.
template <class Storage>
void move_all(Storage& storage, float by) {
  const auto without_state = [](Vector3& v, const Nested& n) {
    v.x = n.position.x;
    v.y += v.x;
  };
  static_assert(std::is_empty_v<decltype(without_state)>);
  storage.template each<Vector3, const Nested>(without_state);
  storage.template each<Vector3>([by](Vector3& v) { v.x += by; });
  storage.template each<Vector3>([by](Entity, Vector3& v) { v.x += by; });
  storage.template each<Vector3, Scalar>([by](auto& v, auto&) { v.x += by; });
  storage.template each<Vector3, const Text>([by](Vector3& v, const Text&) { v.x += by; });
  storage.template each<Vector3, const Mixed, const Tag>(
      [by](Vector3& v, const Mixed& m, const Tag&) { v.x += m.active ? by : 0; });
  storage.template each<Vector3>([by](typename Storage::template reference<Vector3> reference) {
    Vector3 v = reference;
    v.x += by;
    reference = v;
  });
}

TEMPLATE_TEST_CASE("each() shows a spread component as a reference, which is written back", "", Pools, InSections) {
  TestType storage;
  const std::vector<Entity> entities = populate(storage, 100);
  move_all(storage, 1);
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const Vector3 v = *storage.template find<Vector3>(entities[i]);
    REQUIRE(v.x == vector3(i + 1).x + 4);
    REQUIRE(v.y == vector3(i).y + vector3(i + 1).x);
    REQUIRE(v.z == vector3(i).z);
  }
}

TEMPLATE_TEST_CASE("what a function has changed before it throws is kept, as for any reference", "", Pools,
                   InSections) {
  TestType storage;
  const std::vector<Entity> entities = populate(storage, 3);
  const auto change_and_throw = [](Vector3& v) {
    v.x = -1;
    throw std::runtime_error("as told to");
  };
  CHECK_THROWS_AS(storage.template each<Vector3>(change_and_throw), std::runtime_error);
  CHECK(storage.template find<Vector3>(entities[0])->x == -1);
  CHECK(storage.template find<Vector3>(entities[1])->x == 1);
}

TEMPLATE_TEST_CASE("a value that is equal to none is written and kept bit by bit", "", Pools, InSections) {
  TestType storage;
  const Entity entity = storage.create(Vector3{0.0f, std::numeric_limits<float>::quiet_NaN(), 1.0f});
  storage.template find<Vector3>(entity)->x = -0.0f;
  const Vector3 v = *storage.template find<Vector3>(entity);
  CHECK(std::signbit(v.x));
  CHECK(std::isnan(v.y));
}

}  // namespace
}  // namespace stowage
