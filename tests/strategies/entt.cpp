#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <stowage/contract/storage.hpp>

#include "peers/entt.hpp"
#include "tests/strategies/shown_changes.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/changes.hpp"

// What conformance, which knows of ticks alone, cannot see: loops over what has changed, and rows in another order.
namespace stowage {
namespace {

using Watched = Schema<Group<Changed<Position>, Mass>, Changed<Tag>>;

static_assert(!workloads::ShowsChangesOnce<peers::EnttRaw<Watched>, Position>);

TEMPLATE_TEST_CASE("entt shows once each entity that has changed, and no other", "", peers::Entt<Watched>,
                   peers::EnttViews<Watched>) {
  using Numbers = std::multiset<std::uint32_t>;
  static_assert(workloads::ShowsChangesOnce<TestType, Position> && !workloads::ShowsChangesOnce<TestType, Mass>);
  TestType storage;
  std::vector<typename TestType::entity_type> handles;
  for (std::uint32_t i = 0; i < 3; ++i) handles.push_back(storage.create(Position{i}, Mass{i}));
  const auto lone = storage.create(Position{9});
  CHECK(changed(storage) == Numbers{0, 1, 2});
  CHECK(changed(storage).empty());

  (void)storage.template find<const Position, Mass>(handles[1]);
  storage.template each<const Position, Mass>([](const Position&, Mass& mass) { ++mass.number; });
  CHECK(changed(storage).empty());

  storage.template find<Position>(handles[1])->number = 11;
  CHECK(changed(storage) == Numbers{11});
  std::get<0>(storage.template find<Position, Mass>(handles[1]))->number = 12;
  CHECK(changed(storage) == Numbers{12});
  std::get<1>(storage.template find<Mass, Position>(handles[1]))->number = 13;
  CHECK(changed(storage) == Numbers{13});
  CHECK(std::get<1>(storage.template find<Mass, Position>(lone))->number == 9);
  CHECK(changed(storage).empty());
  storage.template emplace<Position>(handles[0], 10u);
  CHECK(changed(storage) == Numbers{10});
  storage.template emplace<Tag>(handles[0]);
  CHECK(storage.template find<Tag>(handles[0]) != nullptr);
  CHECK(changed(storage).empty());
  storage.template each<Position, const Tag>([](Position& at, const Tag&) { ++at.number; });
  CHECK(changed(storage) == Numbers{11});
  storage.template each<Mass, Optional<Position>>([](Mass&, Position* at) { ++at->number; });
  CHECK(changed(storage) == Numbers{3, 12, 14});
  storage.template emplace<Mass>(lone, 0u);
  storage.destroy(handles[2]);
  storage.template find<Position>(lone)->number = 8;
  CHECK(changed(storage) == Numbers{8});
  handles.push_back(storage.create(Position{5}, Mass{}));
  CHECK(changed(storage) == Numbers{5});
}

struct Third {
  std::uint32_t number;
};
struct Lone {
  std::uint32_t number;
};
using Filtered = Schema<Group<Position, Mass, Third>, Tag, Lone>;

TEST_CASE("a loop of entt.views may take what it writes to from an entity, or end it") {
  peers::EnttViews<Watched> storage;
  for (std::uint32_t i = 0; i < 4; ++i) storage.create(Position{i}, Mass{i});
  CHECK(changed(storage).size() == 4);
  storage.each<Position>([&](auto entity, Position& at) {
    if (at.number == 1) {
      storage.remove<Position>(entity);
    } else if (at.number == 2) {
      storage.destroy(entity);
    }
  });
  CHECK(changed(storage) == std::multiset<std::uint32_t>{0, 3});
}

TEMPLATE_TEST_CASE("a filtered loop of entt visits the rows of a group and those behind it", "", peers::Entt<Filtered>,
                   peers::EnttRaw<Filtered>, peers::EnttViews<Filtered>) {
  using Numbers = std::multiset<std::uint32_t>;
  TestType storage;
  const auto has = [](std::uint32_t i, unsigned bit) { return (i >> bit & 1) != 0; };
  for (std::uint32_t i = 0; i < 32; ++i) {
    const auto entity = storage.create();
    if (has(i, 0)) storage.template emplace<Position>(entity, i);
    if (has(i, 1)) storage.template emplace<Mass>(entity, i);
    if (has(i, 2)) storage.template emplace<Third>(entity, i);
    if (has(i, 3)) storage.template emplace<Tag>(entity);
    if (has(i, 4)) storage.template emplace<Lone>(entity, i);
  }
  const auto expected = [&](auto admits) {
    Numbers numbers;
    for (std::uint32_t i = 0; i < 32; ++i) {
      if (has(i, 0) && has(i, 1) && admits(i)) numbers.insert(i);
    }
    return numbers;
  };
  Numbers seen;
  const auto note = [&](auto entity, const Position& at, const Mass& mass) {
    CHECK(at.number == mass.number);
    CHECK(storage.template find<const Position>(entity) == &at);
    seen.insert(at.number);
  };
  storage.template each<const Position, const Mass, Without<Tag>, Without<Lone>>(note);
  CHECK(seen == expected([&](std::uint32_t i) { return !has(i, 3) && !has(i, 4); }));
  seen.clear();
  storage.template each<const Position, const Mass, Without<Third>>(note);
  CHECK(seen == expected([&](std::uint32_t i) { return !has(i, 2); }));
  seen.clear();
  storage.template each<const Position, const Mass, With<Third>>(note);
  CHECK(seen == expected([&](std::uint32_t i) { return has(i, 2); }));
  seen.clear();
  storage.template each<const Position, With<Mass>, Optional<const Third>, Optional<const Lone>, Optional<const Tag>>(
      [&](const Position& at, const Third* third, const Lone* lone, const Tag* tag) {
        CHECK((third != nullptr) == has(at.number, 2));
        CHECK((lone != nullptr) == has(at.number, 4));
        CHECK((tag != nullptr) == has(at.number, 3));
        CHECK((third == nullptr || third->number == at.number));
        CHECK((lone == nullptr || lone->number == at.number));
        seen.insert(at.number);
      });
  CHECK(seen == expected([](std::uint32_t) { return true; }));
}

using Sorted = Schema<Group<Position, Mass>, Tag>;

TEMPLATE_TEST_CASE("entt visits rows in the order in which they were sorted", "", peers::Entt<Sorted>,
                   peers::EnttRaw<Sorted>, peers::EnttViews<Sorted>) {
  const bool anew = GENERATE(false, true);
  constexpr std::uint32_t count = 3000;
  TestType storage;
  std::vector<typename TestType::entity_type> handles;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = i * 7 % count;                      // 7 and 3000 have no common factor
    handles.push_back(i % 5 == 0 ? storage.create(Position{number})  // outside of the group
                                 : storage.create(Position{number}, Mass{number}));
  }
  const auto less = [](const Position& a, const Position& b) { return a.number < b.number; };
  anew ? storage.template sort_rows_anew<Position>(less) : storage.template sort_rows<Position>(less);

  std::vector<std::uint32_t> visited;
  storage.template each<const Position, const Mass>([&](const Position& at, const Mass& mass) {
    CHECK(at.number == mass.number);
    visited.push_back(at.number);
  });
  CHECK(visited.size() == count - count / 5);
  CHECK(std::ranges::is_sorted(visited));
  for (std::uint32_t i = 0; i < count; ++i) {
    CHECK(storage.template find<const Position>(handles[i])->number == i * 7 % count);
    const Mass* const mass = storage.template find<const Mass>(handles[i]);
    CHECK((mass == nullptr) == (i % 5 == 0));
    if (mass != nullptr) CHECK(mass->number == i * 7 % count);
  }
  CHECK(storage.template count<Position>() == count);
}

TEMPLATE_TEST_CASE("entt adds a component to many entities, whatever some of them are", "", peers::Entt<Sorted>,
                   peers::EnttViews<Sorted>) {
  const std::size_t other = GENERATE(0, 130, 200);  // is dead, and the next one has one; 200: neither
  constexpr std::uint32_t count = 200;
  TestType storage;
  std::vector<typename TestType::entity_type> handles;
  std::vector<Mass> masses;
  const std::vector<Tag> tags(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    handles.push_back(storage.create(Position{i}));
    masses.push_back({i});
  }
  if (other < count) {
    storage.destroy(handles[other]);
    storage.template emplace<Mass>(handles[other + 1], count);
    storage.template emplace<Tag>(handles[other + 1]);
  }
  const std::size_t living = other < count ? count - 1 : count;
  CHECK(emplace_all<Mass>(storage, handles, std::span<const Mass>(masses)) == living);
  CHECK(emplace_all<Tag>(storage, handles, std::span<const Tag>(tags)) == living);
  CHECK(storage.template count<Mass>() == living);
  CHECK(storage.template count<Tag>() == living);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Mass* const mass = storage.template find<const Mass>(handles[i]);
    CHECK((mass == nullptr) == (i == other));
    if (mass != nullptr) CHECK(mass->number == i);
  }
}

}  // namespace
}  // namespace stowage
