// Games as workloads: the same work on every storage, and entities, kinds, trees and rates as their profile says.
#include "workloads/game/game.hpp"

#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_changed.hpp>
#include <stowage/archetype_sections_enable_bits.hpp>
#include <stowage/hybrid.hpp>
#include <stowage/indirection_map_changed.hpp>
#include <stowage/indirection_map_lanes.hpp>
#include <stowage/naive_objects.hpp>

#include <algorithm>
#include <numbers>
#include <vector>

#include "tests/support/catch.hpp"
#include "workloads/game/course.hpp"
#include "workloads/game/plain_tables.hpp"
#include "workloads/game/read_back.hpp"
#include "workloads/game/works.hpp"

namespace stowage::workloads::game {
namespace {

/// A type of a user's: padding behind the flag, floats that must stay numbers.
struct Body {
  float speed = 1;
  bool frozen = false;
  std::uint16_t kind = 0;
};
/// One that cannot be copied.
struct Script {
  std::unique_ptr<int> state = std::make_unique<int>(7);
};

/// A game whose components are given out by their shares, with nothing else that its profile need not say.
struct Plain {
  static constexpr std::array<Kind, 0> kinds{};
  static constexpr std::array<ChildKind, 0> children{};
  using Lookups = TypeList<>;
  static constexpr std::array<LookupRate, 0> lookups{};
  static constexpr Tree tree{};
  static constexpr bool saves = false;
  using Dense = void;
  using Sparse = void;
  using Joined = void;
  using LookedUp = TypeList<>;
};

/// Has everything that a profile can say without kinds, with numbers that do not divide each other.
struct Everything : Plain {
  static constexpr std::string_view title = "everything";
  static constexpr std::size_t entities = 600;
  using C0 = Bytes<0, 12>;
  using C1 = Bytes<1, 7>;
  using C2 = Bytes<2, 0>;
  using C3 = Body;
  using Components = TypeList<C0, C1, C2, C3, LocalTransform, WorldTransform>;
  using Storage = Schema<Group<C0, C1>, C2, C3, Group<LocalTransform, WorldTransform>>;
  static constexpr std::array<Ownership, 6> owners{{{1, 0}, {1, 0}, {0.3, 1}, {0.55, 2}, {0.4, 3}, {0.4, 3}}};
  using Prefabs = TypeList<TypeList<C0, C1, C3>, TypeList<C0, C1>>;
  using Systems = TypeList<Access<TypeList<C1>, TypeList<C0>>, Access<TypeList<C0, C2>, TypeList<>>,
                           Access<TypeList<>, TypeList<C3>>>;
  static constexpr std::array<double, 3> runs_per_frame{{1, 2, 0.3}};
  using Deferred = TypeList<TypeList<>, TypeList<>, TypeList<>>;
  using Lookups = TypeList<Access<TypeList<C0>, TypeList<C3>>, Access<TypeList<C1>, TypeList<>>>;
  static constexpr std::array<LookupRate, 2> lookups{{{31, false}, {17.5, true}}};
  using Changes = TypeList<C2, C3>;
  static constexpr std::array<double, 2> changes_per_frame{{5, 2.5}};
  static constexpr double creations_per_frame = 7.3;
  static constexpr Tree tree{true, 4, 3, 0.2};
  static constexpr bool saves = true;
};

/// The first three systems run on two threads, and of two of them a part of the entities is written.
struct SideBySide : Everything {
  using Systems = TypeList<InParts<Access<TypeList<C1>, TypeList<C0>>, 3>, InParts<Access<TypeList<>, TypeList<C3>>, 2>,
                           Access<TypeList<C1>, TypeList<>>, Access<TypeList<C0>, TypeList<>>>;
  static constexpr std::array<double, 4> runs_per_frame{{1, 2, 0.3, 1}};
  using Deferred = TypeList<TypeList<>, TypeList<>, TypeList<>, TypeList<C3>>;
  static constexpr std::array<LookupRate, 2> lookups{{{31, false, 1, true}, {17.5, true}}};
  static constexpr std::size_t threads = 2;
  static constexpr std::array<std::size_t, 4> stages{{0, 0, 0, 1}};
};
/// The same on one thread.
struct InTurn : SideBySide {
  static constexpr std::size_t threads = 1;
};

struct Unsavable : Plain {
  static constexpr std::string_view title = "scripts";
  static constexpr std::size_t entities = 100;
  using Components = TypeList<Script>;
  using Storage = Schema<Script>;
  static constexpr std::array<Ownership, 1> owners{{{0.5, 0}}};
  using Prefabs = TypeList<TypeList<Script>>;
  using Systems = TypeList<Access<TypeList<>, TypeList<Script>>, Access<TypeList<Script>, TypeList<>>>;
  static constexpr std::array<double, 2> runs_per_frame{{1, 1}};
  using Deferred = TypeList<TypeList<>, TypeList<>>;
  using Lookups = TypeList<Access<TypeList<Script>, TypeList<>>>;
  static constexpr std::array<LookupRate, 1> lookups{{{3, false}}};
  using Changes = TypeList<Script>;
  static constexpr std::array<double, 1> changes_per_frame{{1}};
  static constexpr double creations_per_frame = 3;
  static constexpr bool saves = true;
};

/// Bars follow from what changes of health: by hits, by entities that get it, and with new ones.
struct Bars : Plain {
  static constexpr std::string_view title = "bars";
  static constexpr std::size_t entities = 400;
  using Health = Bytes<0, 8>;
  using Bar = Bytes<1, 12>;
  using Shape = Body;
  using Components = TypeList<Health, Bar, Shape>;
  using Storage = Schema<Group<Changed<Health>, Bar>, Shape>;
  static constexpr std::array<Ownership, 3> owners{{{0.5, 0}, {0.8, 0}, {0.6, 1}}};
  using Prefabs = TypeList<TypeList<Health, Bar>, TypeList<Bar, Shape>>;
  using Systems = TypeList<Derivation<Health, TypeList<Bar>>, Derivation<Health, TypeList<Shape>>>;
  static constexpr std::array<double, 2> runs_per_frame{{1, 0.5}};
  using Deferred = TypeList<TypeList<>, TypeList<>>;
  using Lookups = TypeList<Access<TypeList<>, TypeList<Health>>>;
  static constexpr std::array<LookupRate, 1> lookups{{{9, false}}};
  using Changes = TypeList<Health>;
  static constexpr std::array<double, 1> changes_per_frame{{2}};
  static constexpr double creations_per_frame = 3;
};

/// More components than are asked for one by one.
struct Many : Plain {
  static constexpr std::string_view title = "many";
  static constexpr std::size_t entities = 200;
  static constexpr std::size_t components = 40;
  template <std::size_t... Is>
  static auto all(std::index_sequence<Is...>) -> TypeList<Bytes<Is, 4>...>;
  using Components = decltype(all(std::make_index_sequence<components>{}));
  template <class... Cs>
  static auto schema(TypeList<Cs...>) -> Schema<Cs...>;
  struct Storage : decltype(schema(Components{})){};
  static constexpr auto owners = [] {
    std::array<Ownership, components> each;
    for (std::size_t i = 0; i < components; ++i) each[i] = {.share = i == 0 ? 1 : 0.1, .lot = i};
    return each;
  }();
  using Prefabs = TypeList<TypeList<Bytes<0, 4>>>;
  using Systems = TypeList<Access<TypeList<Bytes<0, 4>>, TypeList<Bytes<39, 4>>>>;
  static constexpr std::array<double, 1> runs_per_frame{{1}};
  using Deferred = TypeList<TypeList<>>;
  using Changes = TypeList<Bytes<35, 4>>;
  static constexpr std::array<double, 1> changes_per_frame{{2}};
  static constexpr double creations_per_frame = 5;
};

/// Entities of kinds, some of which hang on others.
struct Village {
  static constexpr std::string_view title = "village";
  static constexpr std::size_t entities = 500;
  using Place = Bytes<0, 12>;
  using Fuel = Bytes<1, 8>;
  using Fire = Bytes<2, 4>;
  using Components = TypeList<Place, Fuel, Fire, LocalTransform, WorldTransform>;
  using Storage = Schema<Place, Fuel, Fire, Group<LocalTransform, WorldTransform>>;
  template <class... Cs>
  static constexpr ComponentSet set = set_of<Components, most_components>(TypeList<Cs...>{});
  template <class... Cs>
  static constexpr ComponentSet node = set<Cs..., LocalTransform, WorldTransform>;
  static constexpr std::array<Ownership, 5> owners{{{1, 0}, {0.52, 1}, {0.02, 2}, {0.4, 3}, {0.4, 3}}};
  static constexpr std::array<Kind, 5> kinds{
      {{.share = 0.6, .components = set<Place>, .created_per_frame = 1.5},
       {.share = 0.02, .components = node<Place>, .created_per_frame = 0.25, .first_child = 0, .children = 2},
       {.share = 0.14, .components = node<Place, Fuel>, .first_child = 2, .children = 1},
       {.share = 0.02, .components = node<Place, Fuel, Fire>},
       {.share = 0.22, .components = node<Place>, .created_per_frame = 1}}};
  static constexpr std::array<ChildKind, 3> children{{{2, 7}, {3, 1}, {4, 1.5}}};
  using Prefabs = TypeList<TypeList<Place>>;
  using Systems = TypeList<Access<TypeList<Place>, TypeList<Fuel>>, Access<TypeList<Fire>, TypeList<Fuel>>>;
  static constexpr std::array<double, 2> runs_per_frame{{1, 1}};
  using Deferred = TypeList<TypeList<>, TypeList<>>;
  using Lookups = TypeList<Access<TypeList<Fire, Place>, TypeList<>>, Access<TypeList<Place>, TypeList<>>>;
  static constexpr std::array<LookupRate, 2> lookups{{{9, false}, {20, true}}};
  using Changes = TypeList<Fire>;
  static constexpr std::array<double, 1> changes_per_frame{{2}};
  static constexpr double creations_per_frame = 12;
  static constexpr Tree tree{.exists = true, .depth = 3, .dirty_share = 0.2};
  static constexpr bool saves = true;
  using Dense = Access<TypeList<Place>, TypeList<Fuel>>;
  using Sparse = Access<TypeList<Fire>, TypeList<Fuel>>;
  using Joined = Access<TypeList<Fire, Place>, TypeList<Fuel>>;
  using LookedUp = TypeList<TypeList<Place>, TypeList<Place, Fuel>>;
};

Parameters parameters(std::size_t entities, std::string rates = "100", std::string shares = "100",
                      std::string work = "frame") {
  return {.entities = entities,
          .values = {{"rates", std::move(rates)}, {"shares", std::move(shares)}, {"work", std::move(work)}}};
}

template <template <class> class Strategy, class Game>
std::uint64_t digest(const Parameters& wanted, std::size_t passes) {
  const std::unique_ptr<Measurement> made = GameWorkload<Game>::template make<Strategy>(wanted);
  made->prepare();
  made->run(passes);
  return made->checksum();
}

template <class SchemaType>
using Objects = NaiveObjects<SchemaType>;
template <class SchemaType>
using Sections = ArchetypeSections<SchemaType>;
template <class SchemaType>
using Lanes = IndirectionMapLanes<SchemaType>;

/// On objects, sections, and these.
template <class Game, template <class> class... Others>
std::uint64_t expect_same_work(const Parameters& wanted, std::size_t passes) {
  const std::uint64_t expected = digest<Objects, Game>(wanted, passes);
  CHECK(digest<Sections, Game>(wanted, passes) == expected);
  ([&] { CHECK(digest<Others, Game>(wanted, passes) == expected); }(), ...);
  return expected;
}

TEST_CASE("a game is the same work on every storage, with kinds of entities and with types that own something") {
  for (const Parameters& wanted : {parameters(600), parameters(300, "200", "50"), parameters(1200, "50", "200"),
                                   parameters(600, "100", "100", "save")}) {
    expect_same_work<Everything, Lanes, ContractReference>(wanted, 5);
  }
  for (const Parameters& wanted : {parameters(500), parameters(1), parameters(7, "200"), parameters(1000, "50"),
                                   parameters(500, "100", "100", "save")}) {
    expect_same_work<Village, Lanes>(wanted, 5);
  }
  expect_same_work<Unsavable, Lanes, ContractReference>(parameters(100), 3);
}

TEST_CASE("systems beside each other do the work that they do one after the other, on every storage") {
  const std::uint64_t beside = expect_same_work<SideBySide, Lanes, ContractReference>(parameters(600), 5);
  CHECK(expect_same_work<InTurn, Lanes>(parameters(600), 5) == beside);
  CHECK(digest<Sections, Everything>(parameters(600), 5) != beside);
}

/// Nothing changes but what one system writes.
struct Turns : Everything {
  using Systems = TypeList<InParts<Access<TypeList<C1>, TypeList<C0>>, 4>>;
  static constexpr std::array<double, 1> runs_per_frame{{1}};
  using Deferred = TypeList<TypeList<>>;
  using Lookups = TypeList<>;
  static constexpr std::array<LookupRate, 0> lookups{};
  using Changes = TypeList<>;
  static constexpr std::array<double, 0> changes_per_frame{};
  static constexpr double creations_per_frame = 0;
};

TEST_CASE("a system that writes one part of its entities has written all of them after so many runs") {
  GameCase<Turns, Sections<Turns::Storage>> made(parameters(600), {});
  const auto values = [&made] {
    std::vector<std::uint64_t> all;
    made.storage().template each<const Everything::C0>([&](const auto& each) { all.push_back(hash_all(each)); });
    return all;
  };
  std::vector<std::size_t> written(600, 0);
  for (int frame = 0; frame < 4; ++frame) {
    const std::vector<std::uint64_t> before = values();
    made.step(0);
    const std::vector<std::uint64_t> after = values();
    for (std::size_t row = 0; row < written.size(); ++row) written[row] += before[row] == after[row] ? 0 : 1;
    const auto now =
        static_cast<std::size_t>(std::ranges::count_if(written, [](std::size_t times) { return times > 0; }));
    CHECK((now > 100 * (frame + 1U) && now < 200 * (frame + 1U)));
  }
  CHECK(std::ranges::all_of(written, [](std::size_t times) { return times == 1; }));
}

template <template <class> class Strategy, Work work>
std::uint64_t digest_of_work(const Parameters& wanted) {
  const std::unique_ptr<Measurement> made = WorldWork<Village, work>::template make<Strategy>(wanted);
  for (int pass = 0; pass < 3; ++pass) {
    made->prepare();
    made->run(1);
  }
  return made->checksum();
}

TEST_CASE("each kind of work in a world is the same work on every storage") {
  const auto check = []<Work work>(std::integral_constant<Work, work>) {
    for (const char* age : {"fresh", "aged"}) {
      for (const std::size_t entities : {500UL, 1UL}) {
        const Parameters wanted{.entities = entities,
                                .values = {{"world", "village"}, {"age", age}, {"components", "2"}, {"threads", "2"}}};
        INFO(card_of(work).name << " at " << entities << " entities, " << age);
        const std::uint64_t expected = digest_of_work<Objects, work>(wanted);
        CHECK(digest_of_work<Sections, work>(wanted) == expected);
        CHECK(digest_of_work<ContractReference, work>(wanted) == expected);
      }
    }
  };
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    (check(std::integral_constant<Work, static_cast<Work>(Is)>{}), ...);
  }(std::make_index_sequence<work_cards.size()>{});
}

template <class Game, Work work>
std::uint64_t items_of(const Parameters& wanted) {
  return WorldWork<Game, work>::template make<Sections>(wanted)->items();
}

TEST_CASE("cases share a population, and those of a copy have one of their own") {
  using Shared = workloads::game::Populations<Village, Sections<Village::Storage>>;
  const Parameters original{.entities = 500, .values = {}};
  Parameters copy = original;
  copy.copy = 1;
  CHECK(Shared::take(original) != Shared::take(original));
  Shared::share();
  const auto first = Shared::take(original);
  const auto second = Shared::take(copy);
  CHECK(Shared::take(original) == first);
  CHECK(Shared::take(copy) == second);
  CHECK(first != second);
  CHECK(first->checksum() == second->checksum());
  Shared::part();
  CHECK(Shared::take(original) != first);
}

/// Two states that change on their own: how many entities have both is another number in every frame.
struct TwoStates : Everything {
  using Dense = Access<TypeList<C1>, TypeList<C0>>;
  using Sparse = Access<TypeList<C2>, TypeList<C3>>;
  using LookedUp = TypeList<TypeList<C0, C3>>;
};

TEST_CASE("an item of a shared population is one that it was made with, whatever other work has changed") {
  const Parameters wanted{.entities = 600, .values = {{"components", "2"}}};
  Populations<TwoStates, Sections<TwoStates::Storage>>::share();
  const std::uint64_t visited = items_of<TwoStates, Work::iterate_sparse>(wanted);
  const std::uint64_t looked_up = items_of<TwoStates, Work::lookup>(wanted);
  WorldWork<TwoStates, Work::structural>::make<Sections>(wanted)->run(7);
  CHECK(items_of<TwoStates, Work::iterate_sparse>(wanted) == visited);
  CHECK(items_of<TwoStates, Work::lookup>(wanted) == looked_up);
  Populations<TwoStates, Sections<TwoStates::Storage>>::part();
}

TEST_CASE("a world lacks work that its profile or its types lack") {
  CHECK(GameWorkload<Everything>::saves);
  CHECK_FALSE(GameWorkload<Unsavable>::saves);
  CHECK(items_of<Unsavable, Work::spike>({.entities = 9, .values = {}}) == 1);
  CHECK(WorldWork<Unsavable, Work::join>::make<Sections>({.entities = 9, .values = {}}) == nullptr);
  CHECK(WorldWork<Unsavable, Work::load>::make<Sections>({.entities = 9, .values = {}}) == nullptr);
  CHECK_THAT((WorldWork<Unsavable, Work::load>::obstacle<Sections>({})), ContainsSubstring("cannot be saved"));
  CHECK((WorldWork<Village, Work::load>::obstacle<Sections>({})).empty());
}

/// The same as SideBySide, but one system reads what only some of its entities have.
struct SideBySideOptional : SideBySide {
  using Systems = TypeList<Access<TypeList<C1>, TypeList<C0>, Optional<const C3>>, Access<TypeList<>, TypeList<C3>>,
                           Access<TypeList<C1>, TypeList<>>, Access<TypeList<C0>, TypeList<>>>;
};

TEST_CASE("a frame with filters on several threads needs a storage that has filters and may be read by all of them") {
  const auto has = [](const auto& needs, Capability wanted) { return std::ranges::find(needs, wanted) != needs.end(); };
  constexpr auto of_world = WorldWork<SideBySideOptional, Work::frame>::needs;
  CHECK(has(of_world, Capability::filters));
  CHECK(has(of_world, Capability::const_iteration));
  CHECK_FALSE(has(of_world, Capability::table_exchange));
  CHECK(of_world.size() == 3);
  CHECK(GameWorkload<SideBySideOptional>::needs.size() == 4);
  CHECK(WorldWork<Village, Work::frame>::needs.size() == 1);
  CHECK(has(WorldWork<Village, Work::save>::needs, Capability::table_exchange));
}

/// One in ten has no place.
struct Parcels : Plain {
  using Place = Bytes<0, 12>;
  using Owner = Bytes<1, 8>;
  using Weight = Bytes<2, 4>;
  using Components = TypeList<Place, Owner, Weight>;
  using Storage = Schema<Place, Owner, Weight>;
  static constexpr std::array<Ownership, 3> owners{{{0.9, 0}, {0.1, 1}, {0.1, 2}}};
  static constexpr std::array<Kind, 2> kinds{
      {{.share = 0.9, .components = set_of<Components, most_components>(TypeList<Place>{})},
       {.share = 0.1, .components = set_of<Components, most_components>(TypeList<Owner, Weight>{})}}};
};
/// The same without kinds.
struct ScatteredParcels : Parcels {
  static constexpr std::array<Kind, 0> kinds{};
};

TEMPLATE_TEST_CASE("a file in which entities have changed components has another digest", "", Parcels,
                   ScatteredParcels) {
  const auto digest_with = [](std::uint64_t first_weight, std::uint64_t second_weight) {
    Sections<Parcels::Storage> storage;
    storage.create(make_component<Parcels::Place>(1));
    storage.create(make_component<Parcels::Owner>(2), make_component<Parcels::Weight>(first_weight));
    storage.create(make_component<Parcels::Owner>(3), make_component<Parcels::Weight>(second_weight));
    return digest_of_components<TestType>(storage);
  };
  CHECK(digest_with(4, 5) == digest_with(4, 5));
  CHECK(digest_with(4, 5) != digest_with(5, 4));
}

TEST_CASE("an item of a loop in a world is an entity that it visits, and of a spike one that it creates") {
  const Parameters wanted{.entities = 500, .values = {{"components", "1"}}};
  CHECK(items_of<Village, Work::iterate_dense>(wanted) == 80);
  CHECK(items_of<Village, Work::iterate_sparse>(wanted) == 10);
  CHECK(items_of<Village, Work::lookup>(wanted) == 80);
  CHECK(items_of<Village, Work::spike>(wanted) == 31);
}

/// Of a library that has frames.
template <class SchemaType>
class WithFrames : public ArchetypeSections<SchemaType> {
 public:
  void end_frame() { ++ended; }
  std::size_t ended = 0;
};

TEST_CASE("a frame of a library ends with each frame of a game") {
  GameCase<Village, WithFrames<Village::Storage>> made(parameters(500), {});
  const std::size_t ended = made.storage().ended;
  for (int frame = 0; frame < 10; ++frame) made.step(0);
  CHECK(made.storage().ended == ended + 10);
}

TEST_CASE("as many entities of each kind are alive in every frame") {
  GameCase<Village, Sections<Village::Storage>> made(parameters(500), {});
  for (int frame = 0; frame < 100; ++frame) {
    CHECK(made.storage().size() == 500);
    CHECK(made.storage().template count<Village::Place>() == 500);
    CHECK(made.storage().template count<Village::Fuel>() == 80);
    CHECK(made.storage().template count<Village::Fire>() == 10);
    CHECK(made.storage().template count<LocalTransform>() == 200);
    made.step(0);
  }
}

TEST_CASE("kinds hang on others as their parents say, and a part of a number adds up") {
  Random random(1);
  const Settlement settled(Village::kinds, Village::children, 500, random);
  REQUIRE(settled.kinds.size() == 500);
  std::array<std::array<std::size_t, 5>, 5> hanging{};  // of each kind, on each kind
  std::size_t roots = 0;
  for (std::size_t place = 0; place < 500; ++place) {
    if (settled.parents[place] == no_parent) {
      ++roots;
    } else {
      CHECK(settled.parents[place] < place);
      ++hanging[settled.kinds[settled.parents[place]]][settled.kinds[place]];
    }
  }
  CHECK(roots == 300 + 10 + 5);  // and of the last kind what is left over
  CHECK(hanging[1][2] == 70);
  CHECK(hanging[1][3] == 10);
  CHECK(hanging[2][4] == 105);
}

TEST_CASE("what hangs on an entity dies before it, and once in a frame") {
  Random random(1);
  Settlement settled(Village::kinds, Village::children, 500, random);
  const Forest forest(settled.parents);
  AllDraws draws;
  Places inner;
  for (std::uint32_t place = 0; place < 500; ++place) {
    if (settled.kinds[place] == 1 || settled.kinds[place] == 2) inner.push_back(place);
  }
  draws.emplace_back(inner, 30, random);
  draws.emplace_back(in_order(500), 100, random);
  Deaths deaths(std::move(draws), forest);
  for (int frame = 0; frame < 50; ++frame) {
    std::vector<bool> is_dead(500, false);
    for (const std::uint32_t place : deaths.next()) {
      CHECK_FALSE(is_dead[place]);
      is_dead[place] = true;
      const std::uint32_t parent = forest.parent_of(place);
      if (parent != no_parent) CHECK_FALSE(is_dead[parent]);
    }
    for (std::uint32_t place = 0; place < 500; ++place) {
      if (forest.parent_of(place) != no_parent && is_dead[forest.parent_of(place)]) CHECK(is_dead[place]);
    }
  }
}

TEST_CASE("a world ages until half of what may die or lose a state has done so, however large it is") {
  Random random(1);
  constexpr std::uint32_t owners = 10'000;
  Places others = in_order(4 * owners);
  others.erase(others.begin(), others.begin() + owners);
  Swaps swaps(in_order(owners), std::move(others), 5, random);
  std::vector<bool> has_lost(4 * std::size_t{owners}, false);
  for (std::size_t i = static_cast<std::size_t>(std::numbers::ln2 * owners); i > 0; --i) {
    has_lost[swaps.next_pair().loser] = true;
  }
  const auto lost = std::count(has_lost.begin(), has_lost.begin() + owners, true);
  CHECK(lost > owners * 45 / 100);
  CHECK(lost < owners * 55 / 100);

  constexpr std::uint32_t many = 600'000;
  AllDraws draws;
  draws.emplace_back(in_order(many), std::numbers::ln2 * many / Course::ageing_frames, random, Course::ageing_frames);
  Deaths deaths(std::move(draws), Forest(Tree{}, Places(), many), Course::ageing_frames);
  std::vector<bool> has_died(many, false);
  for (std::size_t frame = Course::ageing_frames; frame > 0; --frame) {
    for (const std::uint32_t place : deaths.next()) has_died[place] = true;
  }
  const auto died = std::ranges::count(has_died, true);
  CHECK(died > many * 45LL / 100);
  CHECK(died < many * 55LL / 100);
}

TEST_CASE("what is made anew where its source has changed is as if it were made anew everywhere") {
  using Recording = ArchetypeSectionsChanged<Bars::Storage>;
  STATIC_REQUIRE(RecordsChanges<Recording, Bars::Health>);
  STATIC_REQUIRE_FALSE(RecordsChanges<Sections<Bars::Storage>, Bars::Health>);
  for (const std::size_t passes : {1U, 2U, 20U}) {
    expect_same_work<Bars, ArchetypeSectionsChanged, IndirectionMapChanged>(parameters(400), passes);
  }
}

TEST_CASE("entities of a game with many components have those of their places") {
  expect_same_work<Many, ContractReference>(parameters(200), 3);
  GameCase<Many, Sections<Many::Storage>> made(parameters(200), {});
  CHECK(made.storage().template count<Bytes<0, 4>>() == 200);
  CHECK(made.storage().template count<Bytes<33, 4>>() == 20);
  CHECK(made.storage().template count<Bytes<39, 4>>() == 20);
}

TEST_CASE("the number of entities and the shares of components stay what they are, and scaled ones stop at all") {
  using Made = GameCase<Everything, Sections<Everything::Storage>>;
  const auto counts = [](Made& made) {
    const auto& storage = made.storage();
    return std::array{storage.size(), storage.count<Everything::C0>(), storage.count<Everything::C2>(),
                      storage.count<Everything::C3>(), storage.count<LocalTransform>()};
  };
  Made made(parameters(600), {});
  for (int frame = 0; frame < 200; ++frame) made.step(0);
  CHECK(counts(made) == std::array<std::size_t, 5>{600, 600, 180, 330, 240});
  Made doubled(parameters(600), {.rates = 1, .shares = 2});
  CHECK(counts(doubled) == std::array<std::size_t, 5>{600, 600, 360, 600, 480});
}

TEST_CASE("the parts of a frame have their times if the game has them") {
  GameCase<Everything, Sections<Everything::Storage>> all(parameters(600), {});
  CHECK(all.part_times().empty());
  // a frame in which the thread had to wait for its processor does not count
  for (std::size_t frame = 0; frame < 1000 && all.part_times().empty(); ++frame) all.step(0);
  CHECK(all.part_times().size() == 5);
  std::vector<double> systems = all.system_times();
  for (std::size_t frame = 0; frame < 1000 && systems.empty(); ++frame) {
    all.step(0);
    systems = all.system_times();
  }
  CHECK(systems.size() == Everything::Systems::size);
  CHECK(std::ranges::all_of(systems, [](double ns) { return ns >= 0; }));
  GameCase<Unsavable, Sections<Unsavable::Storage>> few(parameters(100), {});
  for (std::size_t frame = 0; frame < 1000 && few.part_times().empty(); ++frame) few.step(0);
  std::vector<std::string_view> names;
  for (const auto& [name, ns] : few.part_times()) names.push_back(name);
  CHECK(names ==
        std::vector<std::string_view>{"frame_systems_ns", "frame_lookups_ns", "frame_changes_ns", "frame_turnover_ns"});
}

TEST_CASE("fractional rates add up over frames, and no place is drawn twice in one") {
  Rate rate(0.3);
  std::size_t sum = 0;
  for (int frame = 0; frame < 100; ++frame) sum += rate.next();
  CHECK(sum == 30);
  CHECK(frames_in_a_pass(std::array{3.0, 0.25, 0.5}) == 4);
  CHECK(frames_in_a_pass(std::array{0.001}) == 16);
  CHECK(frames_in_a_pass(std::array{0.0, 3.0}) == 1);
  CHECK(frames_in_a_pass(std::array{2.5}) == 2);
  CHECK(frames_in_a_pass(std::array{0.75, 1.5}) == 4);
  CHECK(frames_in_a_pass(std::array{1.0 / 16}) == 16);
  CHECK(frames_in_a_pass(std::array{350.4}) == 1);
  Random random(1);
  Draws draws(in_order(10), 9.5, random);
  for (int frame = 0; frame < 20; ++frame) {
    std::array<int, 10> seen{};
    const auto places = draws.next();
    CHECK(places.size() == (frame % 2 == 0 ? 9 : 10));
    for (const std::uint32_t place : places) CHECK(++seen[place] == 1);
  }
  CHECK(Draws(in_order(10), 0, random).next().empty());
}

TEST_CASE("the entity that loses a component has it, and the one that gets it has not, except if all have it") {
  Random random(1);
  Swaps of_all(in_order(10), {}, 2, random);
  for (int i = 0; i < 100; ++i) {
    const auto [loser, winner] = of_all.next_pair();
    CHECK(loser == winner);
  }
  const std::array<Ownership, 1> third{{{0.3, 0}}};
  Sets sets(third, 10, 1, random);
  Places others;
  for (std::uint32_t place = 0; place < sets.size(); ++place) {
    if (!sets.has(place, 0)) others.push_back(place);
  }
  Swaps swaps(sets.having(ComponentSet{}.with(0)), others, 2, random);
  for (int i = 0; i < 5000; ++i) {
    const auto [loser, winner] = swaps.next_pair();
    REQUIRE(sets.has(loser, 0));
    REQUIRE_FALSE(sets.has(winner, 0));
    sets.flip(loser, 0);
    sets.flip(winner, 0);
  }
}

/// States that come and go, loops that leave some out, and changes that a system writes down.
struct States : Plain {
  static constexpr std::string_view title = "states";
  static constexpr std::size_t entities = 300;
  using Place = Bytes<0, 12>;
  using Speed = Bytes<1, 12>;
  using Stunned = Bytes<2, 0>;
  using Burning = Bytes<3, 8>;
  using Cargo = Bytes<4, 4>;
  using Components = TypeList<Place, Speed, Stunned, Burning, Cargo>;
  using Storage = Schema<Group<Place, Speed>, Toggled<Stunned>, Toggled<Burning>, Cargo>;
  static constexpr std::array<Ownership, 5> owners{{{1, 0}, {1, 0}, {0.2, 1}, {0.3, 2}, {0.4, 3}}};
  using Prefabs = TypeList<TypeList<Place, Speed, Cargo>, TypeList<Place, Speed>>;
  using Systems =
      TypeList<Access<TypeList<Speed>, TypeList<Place>, Without<Stunned>, Optional<const Burning>>,
               Access<TypeList<Burning>, TypeList<>, Without<Stunned>>, Access<TypeList<>, TypeList<Cargo>>>;
  static constexpr std::array<double, 3> runs_per_frame{{1, 1, 2}};
  using Deferred = TypeList<TypeList<Burning, Cargo>, TypeList<>, TypeList<>>;
  using Lookups = TypeList<Access<TypeList<Burning>, TypeList<Place>>, Access<TypeList<Burning>, TypeList<>>,
                           Access<TypeList<Cargo>, TypeList<Burning>>>;
  static constexpr std::array<LookupRate, 3> lookups{{{50, false}, {50, true}, {50, false}}};
  using Changes = TypeList<Stunned, Burning, Cargo>;
  static constexpr std::array<double, 3> changes_per_frame{{7, 11, 5}};
  static constexpr double creations_per_frame = 4;
};

/// Counts lookups in vain.
template <class SchemaType>
class Watched : public ArchetypeSections<SchemaType> {
 public:
  template <class... Cs>
  [[nodiscard]] auto find(Entity entity) {
    const auto found = ArchetypeSections<SchemaType>::template find<Cs...>(entity);
    if constexpr (sizeof...(Cs) == 1) {
      missed += found == nullptr;
    } else {
      missed += std::apply([](const auto&... component) { return ((component == nullptr) || ...); }, found);
    }
    return found;
  }
  std::size_t missed = 0;
};

TEST_CASE("lookups of a component that is added and removed find an entity that has it at that time") {
  GameCase<States, Watched<States::Storage>> made(parameters(300), {});
  for (int frame = 0; frame < 50; ++frame) made.step(0);
  CHECK(made.storage().missed == 0);
}

/// Another placement of the same game.
template <class SchemaType>
using Apart = Hybrid<
    Schema<Group<States::Place, States::Speed>, States::Cargo, Sparse<States::Burning>, Sparse<States::Stunned>>>;

TEST_CASE("nine tenths of the lookups find the hot share of the entities") {
  Places places(1000);
  std::iota(places.begin(), places.end(), 0U);
  const auto found_by = [&](double hot_share) {
    Random random(1);
    Walk walk(places, {.per_frame = 5000, .hot_share = hot_share}, 1, random);
    std::map<std::uint32_t, std::size_t> times;
    for (int lookup = 0; lookup < 20000; ++lookup) ++times[walk.next_place()];
    std::vector<std::size_t> sorted;
    for (const auto& [place, count] : times) sorted.push_back(count);
    std::ranges::sort(sorted, std::greater());
    const auto in_first = std::accumulate(sorted.begin(), sorted.begin() + 50, std::size_t{0});
    return std::pair(sorted.size(), static_cast<double>(in_first) / 20000);
  };
  CHECK(found_by(0.05).second == Approx(0.905).margin(0.01));
  CHECK(found_by(0.05).first > 800);  // the others are found, too
  CHECK(found_by(1).second < 0.1);
}

TEST_CASE("states that are switched, removed, or kept apart are the same work") {
  const std::uint64_t expected =
      expect_same_work<States, ArchetypeSectionsEnableBits, Apart, ContractReference>(parameters(300), 6);
  CHECK(digest<Sections, States>(parameters(300, "200"), 6) != expected);
}

TEST_CASE("where a state can be switched off every entity keeps it") {
  GameCase<States, ArchetypeSectionsEnableBits<States::Storage>> switched(parameters(300), {});
  GameCase<States, Sections<States::Storage>> removed(parameters(300), {});
  for (int frame = 0; frame < 5; ++frame) {
    switched.step(0);
    removed.step(0);
  }
  CHECK(switched.storage().count<States::Burning>() == 300);
  CHECK(removed.storage().count<States::Burning>() == 90);
  CHECK(switched.checksum() == removed.checksum());
}

TEST_CASE("a forest has whole trees as far as its nodes go, and only the childless may die") {
  const Forest forest({true, 3, 2, 1}, in_order(10), 12);
  const std::vector<std::uint32_t> parents{no_parent, 0, 0, 1, 1, 2, 2, no_parent, 7, 7};
  for (std::uint32_t place = 0; place < 10; ++place) CHECK(forest.parent_of(place) == parents[place]);
  CHECK_FALSE(forest.is_node(11));
  const Places childless = forest.childless();
  CHECK(std::vector<std::uint32_t>(childless.begin(), childless.end()) ==
        std::vector<std::uint32_t>{3, 4, 5, 6, 8, 9, 10, 11});
}

static_assert(has_scalars<Body>);

TEST_CASE("floats stay numbers of a usual size, and the checksum of a component depends on each word") {
  Body body = make_component<Body>(12345);
  for (std::uint32_t i = 0; i < 1000; ++i) change_all(body, i * 0x9e3779b9u);
  CHECK(body.speed > -4);
  CHECK(body.speed < 4);
  Body other = body;
  CHECK(read_all(other) == read_all(body));
  other.kind ^= 1;
  CHECK((read_all(other) != read_all(body)) == has_scalars<Body>);
  auto made = make_component<Bytes<0, 12>>(12345);
  CHECK(made.words[0] != made.words[1]);
  CHECK(made.words[1] != made.words[2]);
  const Bytes<0, 12> swapped{{made.words[1], made.words[0], made.words[2]}};
  CHECK(read_all(swapped) == read_all(made));
  CHECK(hash_all(swapped) != hash_all(made));
}

/// Has components that lie whole in memory.
struct Whole {
  using entity_type = Entity;
  template <class C>
  C* find(Entity);
};

TEMPLATE_TEST_CASE("a loop over rows changes a component as anything else does", "", (Bytes<0, 12>), (Bytes<0, 32>),
                   (Bytes<0, 48>), (Bytes<0, 96>)) {
  auto expected = make_component<TestType>(12345);
  auto changed = expected;
  change_all(expected, 0x9e3779b9u);
  change_in_loop<Whole>(changed, 0x9e3779b9u);
  CHECK(changed.words == expected.words);
}

/// Saves nothing of what it holds.
template <class SchemaType>
class Forgetful : public ArchetypeSections<SchemaType> {};
template <class SchemaType, class Sink>
void save(const Forgetful<SchemaType>&, Sink& sink) {
  stowage::save(ArchetypeSections<SchemaType>(), sink);
}

TEST_CASE("another number of frames, and a save that lacks something, are other results") {
  const std::uint64_t once = digest<Sections, Everything>(parameters(600), 1);
  CHECK(digest<Sections, Everything>(parameters(600), 1) == once);
  CHECK(digest<Sections, Everything>(parameters(600), 2) != once);
  const Parameters wanted = parameters(600, "100", "100", "save");
  CHECK(digest<Forgetful, Everything>(wanted, 1) != digest<Sections, Everything>(wanted, 1));
}

}  // namespace
}  // namespace stowage::workloads::game
