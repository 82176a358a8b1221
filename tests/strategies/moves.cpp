// What storages offer to code that keeps pointers: a count of what may have moved them, and rows in a given order.
#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_arena.hpp>
#include <stowage/archetype_sections_byte_stream.hpp>
#include <stowage/archetype_sections_changed.hpp>
#include <stowage/archetype_sections_free_list.hpp>
#include <stowage/archetype_sections_interleaved.hpp>
#include <stowage/archetype_sections_mixed.hpp>
#include <stowage/contract/moves.hpp>
#include <stowage/hash_index.hpp>
#include <stowage/hash_index_node.hpp>
#include <stowage/hybrid.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/indirection_map_changed.hpp>
#include <stowage/indirection_map_lazy.hpp>
#include <stowage/indirection_map_paired.hpp>
#include <stowage/interleaved_pairs.hpp>
#include <stowage/naive_objects.hpp>
#include <stowage/object_indices.hpp>
#include <stowage/offset_table.hpp>
#include <stowage/sparse_direct.hpp>

#include "tests/support/catch.hpp"

namespace stowage {
namespace moves_test {

struct Kept {
  std::uint64_t value;
};
struct Beside {
  std::string value;
};
struct Other {
  std::uint64_t value;
};

}  // namespace moves_test

template <>
inline constexpr bool tracks_moves<moves_test::Kept> = true;

namespace {

using namespace moves_test;
using Tracked = Schema<Group<Kept, Beside>, Other>;
using TrackedSparse = Schema<Sparse<Kept>, Beside, Sparse<Other>>;
using TrackedChanged = Schema<Group<Changed<Kept>, Beside>, Changed<Other>>;
using Untracked = Schema<Group<Beside, Other>>;

#define ORDER_IN_A_SHORT_RUN \
  IndirectionMap<Tracked>, InterleavedPairs<Tracked>, ArchetypeSectionsFixed4k<Tracked>, Hybrid<TrackedSparse>
#define COUNT_IN_A_SHORT_RUN SparseDirect<Tracked>, NaiveObjects<Tracked>, ArchetypeSectionsFreeList<Tracked>
#ifdef STOWAGE_TEST_ALL
#define STORAGES_THAT_ORDER                                                                                            \
  ORDER_IN_A_SHORT_RUN, IndirectionMapLazy<Tracked>, OffsetTable<Tracked>, ObjectIndices<Tracked>, HashIndex<Tracked>, \
      HashIndexNode<Tracked>, ArchetypeSections<Tracked>, ArchetypeSectionsArena<Tracked>,                             \
      ArchetypeSectionsInterleaved<Tracked>, ArchetypeSectionsMixed<Tracked>, ArchetypeSectionsByteStream<Tracked>,    \
      Hybrid<Tracked>, IndirectionMapChanged<TrackedChanged>, ArchetypeSectionsChanged<TrackedChanged>
#define STORAGES_THAT_COUNT \
  STORAGES_THAT_ORDER, COUNT_IN_A_SHORT_RUN, NaiveObjectsInlineFields<Tracked>, IndirectionMapPaired<Tracked>
#else
#define STORAGES_THAT_ORDER ORDER_IN_A_SHORT_RUN
#define STORAGES_THAT_COUNT ORDER_IN_A_SHORT_RUN, COUNT_IN_A_SHORT_RUN
#endif

template <class Storage>
typename Storage::entity_type create_one_of_four(Storage& storage, std::uint64_t number) {
  switch (number % 4) {
    case 0:
      return storage.create(Kept{number}, Beside{std::to_string(number)});
    case 1:
      return storage.create(Kept{number}, Beside{std::to_string(number)}, Other{number});
    case 2:
      return storage.create(Kept{number});
    default:
      return storage.create(Other{number});
  }
}

TEMPLATE_TEST_CASE("moves: pointers hold while the count is what it was", "", STORAGES_THAT_COUNT) {
  TestType storage;
  std::map<typename TestType::entity_type, const Kept*> known;
  std::uint64_t moves = storage.moves();
  std::mt19937_64 random(1);
  const auto any = [&] {
    return std::next(known.begin(), static_cast<std::ptrdiff_t>(random() % known.size()))->first;
  };
  std::size_t unchanged = 0;
  for (std::uint64_t step = 0; step < 4000; ++step) {
    const std::uint64_t what = random() % 20;
    if (what < 9 || known.empty()) {
      const auto created = create_one_of_four(storage, random());
      known[created] = std::as_const(storage).template find<Kept>(created);
    } else if (what < 13) {
      const auto ended = any();
      storage.destroy(ended);
      known.erase(ended);
    } else if (what < 14) {
      storage.template emplace<Kept>(any(), Kept{step});
    } else if (what < 15) {
      storage.template remove<Kept>(any());
    } else if (what < 16) {
      storage.template emplace<Beside>(any(), Beside{std::to_string(step)});
    } else if (what < 17) {
      storage.template remove<Beside>(any());
    } else if (what < 18) {
      storage.template emplace<Other>(any(), Other{step});
    } else if (what < 19) {
      storage.template remove<Other>(any());
    } else if (step % 64 == 0) {
      storage.clear();
      known.clear();
    } else if constexpr (requires { storage.defragment(std::size_t{1}); }) {
      static_cast<void>(storage.defragment(random() % 16));
    } else if constexpr (requires { storage.collect(); }) {
      static_cast<void>(storage.collect());
    }
    bool hold = true;
    for (auto& [entity, place] : known) {
      const Kept* const now = std::as_const(storage).template find<Kept>(entity);
      hold = hold && now == place;
      place = now;
    }
    REQUIRE((hold || storage.moves() != moves));
    unchanged += storage.moves() == moves ? 1 : 0;
    moves = storage.moves();
  }
  CHECK(unchanged > 1000);
}

TEMPLATE_TEST_CASE("moves: creating entities in room changes nothing", "", STORAGES_THAT_COUNT) {
  TestType storage;
  storage.template reserve<Kept, Beside>(100);
  const std::uint64_t moves = storage.moves();
  for (std::uint64_t i = 0; i < 100; ++i) static_cast<void>(storage.create(Kept{i}, Beside{}));
  CHECK(storage.moves() == moves);
}

TEST_CASE("moves: what is not tracked is not counted, and takes no room") {
  STATIC_REQUIRE(CountsMoves<IndirectionMap<Tracked>>);
  STATIC_REQUIRE_FALSE(CountsMoves<IndirectionMap<Untracked>>);
  STATIC_REQUIRE(std::is_empty_v<parts::MoveCounter<false>>);
  // storages whose rows have a place of their own order none
  STATIC_REQUIRE(OrdersRows<IndirectionMap<Tracked>, Kept, Beside>);
  STATIC_REQUIRE_FALSE(OrdersRows<SparseDirect<Tracked>, Kept>);
  STATIC_REQUIRE_FALSE(OrdersRows<NaiveObjects<Tracked>, Kept>);
  STATIC_REQUIRE_FALSE(OrdersRows<IndirectionMapPaired<Tracked>, Kept>);
  STATIC_REQUIRE_FALSE(OrdersRows<ArchetypeSectionsFreeList<Tracked>, Kept>);
}

TEMPLATE_TEST_CASE("order_rows: nothing changes but the order of loops", "", STORAGES_THAT_ORDER) {
  using Handle = typename TestType::entity_type;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 random(seed);
    TestType storage;
    std::map<Handle, std::uint64_t> numbers;
    std::vector<Handle> listed;
    for (std::uint64_t number = 0; number < 700; ++number) numbers[create_one_of_four(storage, number)] = number;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto ended = std::next(numbers.begin(), static_cast<std::ptrdiff_t>(random() % numbers.size()));
      storage.destroy(ended->first);
      if (i % 8 == 0) listed.push_back(ended->first);  // the dead are passed over
      numbers.erase(ended);
    }
    for (const auto& [entity, number] : numbers) {
      if (random() % 4 != 0) listed.push_back(entity);
    }
    for (std::size_t i = listed.size(); i-- > 1;) std::swap(listed[i], listed[random() % (i + 1)]);
    listed.push_back(Handle{});

    const std::uint64_t moves = storage.moves();
    const auto total = storage.memory().total_bytes();
    storage.template order_rows<Kept>(listed);
    CHECK(storage.moves() != moves);
    CHECK(storage.memory().total_bytes() == total);

    const auto are_found = [&] {
      bool found = storage.size() == numbers.size();
      for (const auto& [entity, number] : numbers) {
        const auto [kept, beside, other] = storage.template find<Kept, Beside, Other>(entity);
        found = found && (number % 4 == 3 ? kept == nullptr : kept != nullptr && kept->value == number);
        found = found && (number % 4 < 2 ? beside != nullptr && beside->value == std::to_string(number) : !beside);
        found = found && (number % 2 == 1 ? other != nullptr && other->value == number : !other);
      }
      return found;
    };
    CHECK(are_found());

    // those of one component set come in the order of the list, and before the others
    for (const std::uint64_t set : {0u, 2u}) {
      std::vector<std::uint64_t> expected, visited;
      for (const Handle entity : listed) {
        const auto known = numbers.find(entity);
        if (known != numbers.end() && known->second % 4 == set) expected.push_back(known->second);
      }
      storage.template each<const Kept>([&](const Kept& kept) {
        if (kept.value % 4 == set) visited.push_back(kept.value);
      });
      REQUIRE(visited.size() > expected.size());
      visited.resize(expected.size());
      CHECK(visited == expected);
    }

    // a list with repetitions does no harm
    for (std::size_t i = 0; i < 100; i += 3) listed.insert(listed.begin(), listed[2 * i]);
    storage.template order_rows<Beside, Kept>(listed);
    CHECK(are_found());

    // and life goes on
    for (auto& [entity, number] : numbers) REQUIRE(storage.destroy(entity));
    CHECK(storage.size() == 0);
  }
}

}  // namespace
}  // namespace stowage
