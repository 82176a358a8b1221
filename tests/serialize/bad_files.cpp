// Files that load() refuses: each with its own error, without a change to the storage, and without taking much memory.
#include <cstring>
#include <new>

#include <stowage/archetype_sections.hpp>
#include <stowage/hash_index.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/indirection_map_lanes.hpp>
#include <stowage/interleaved_pairs.hpp>
#include <stowage/sparse_direct.hpp>

#include "tests/serialize/scene.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/counting_new.hpp"

namespace stowage::serialize_test {

/// Components of which not all bytes are values, and what stands in their place when a file is made wrong.
enum class Mode : std::uint8_t { walking, flying };
struct Flags {
  float weight;
  bool is_on;
  std::array<bool, 2> both;
  bool each[2][2];
};
struct Coded {
  bool is_on;
};
/// Cannot be taken apart: only its format knows of the bool.
class Sealed {
 public:
  [[nodiscard]] bool is_sound() const noexcept {
    std::uint8_t byte;
    std::memcpy(&byte, &is_on_, sizeof byte);
    return byte < 2;
  }

 private:
  bool is_on_ = false;
};
template <class>
struct BytesOf {
  std::array<std::uint8_t, 1> bytes;
};
template <>
struct BytesOf<Flags> {
  float weight;
  std::array<std::uint8_t, 8> bytes;
};
static_assert(sizeof(BytesOf<Flags>) == sizeof(Flags));

}  // namespace stowage::serialize_test

namespace stowage {

template <>
struct ComponentFormat<serialize_test::Mode> {
  static constexpr std::string_view name = "mode";
  static bool valid(serialize_test::Mode mode) noexcept { return mode <= serialize_test::Mode::flying; }
};
template <>
struct ComponentFormat<serialize_test::Flags> {
  static constexpr std::string_view name = "flags";
};
template <>
struct ComponentFormat<serialize_test::Sealed> {
  static constexpr std::string_view name = "sealed";
  static bool valid(const serialize_test::Sealed& sealed) noexcept { return sealed.is_sound(); }
};
template <>
struct ComponentFormat<serialize_test::Coded> {
  static constexpr std::string_view name = "coded";
  static void encode(const serialize_test::Coded& coded, ByteWriter& to) { to.write(coded.is_on); }
  static serialize_test::Coded decode(ByteReader& from, std::uint32_t) { return {from.read<bool>()}; }
};
template <>
struct ComponentFormat<bool> {
  static constexpr std::string_view name = "bool";
};
template <class C>
struct ComponentFormat<serialize_test::BytesOf<C>> {
  static constexpr std::string_view name = ComponentFormat<C>::name;
};
template <>
struct ComponentFormat<serialize_test::BytesOf<serialize_test::Coded>> {
  static constexpr std::string_view name = "coded";
  static void encode(const serialize_test::BytesOf<serialize_test::Coded>& coded, ByteWriter& to) {
    to.write(coded.bytes[0]);
  }
  static serialize_test::BytesOf<serialize_test::Coded> decode(ByteReader& from, std::uint32_t) {
    return {{from.read<std::uint8_t>()}};
  }
};

}  // namespace stowage

namespace stowage::serialize_test {
namespace {

using Storage = IndirectionMap<Scene>;

/// Loads into a storage with residents, which stays as it was if that throws an `Expected`; false if it throws nothing.
template <class Expected = LoadError, class Target = Storage>
bool is_refused(const Bytes& file) {
  static Target storage;
  if (storage.size() == 0) fill(storage);
  const std::string before = seen(storage);
  bool refused = false;
  try {
    static_cast<void>(load(storage, file));
  } catch (const Expected&) {
    refused = true;
  }
  if (refused) {
    REQUIRE(seen(storage) == before);
  } else {
    storage.clear();
  }
  return refused;
}

/// A sample with a change, sealed.
Bytes changed(const std::function<void(Bytes&, const Map&)>& change) {
  Bytes file = sample<Storage>();
  change(file, map_of(file));
  seal(file);
  return file;
}

}  // namespace

TEST_CASE("a file is loaded as it is, and sealed anew") {
  CHECK_FALSE(is_refused(sample<Storage>()));
  CHECK_FALSE(is_refused(changed([](Bytes&, const Map&) {})));
}

TEST_CASE("a file that ends anywhere is refused") {
  const Bytes whole = sample<Storage>();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    Bytes file(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    INFO(length);
    REQUIRE(is_refused<WrongFileSize>(file));
    seal(file);
    REQUIRE(is_refused(file));
  }
  Bytes longer = whole;
  longer.resize(longer.size() + 64);
  CHECK(is_refused<WrongFileSize>(longer));
  seal(longer);
  CHECK(is_refused<MalformedFile>(longer));
}

TEST_CASE("a file in which any bit is wrong is refused") {
  const Bytes whole = sample<Storage>();
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Bytes file = whole;
    file[bit / 8] ^= std::byte{1} << bit % 8;
    INFO(bit);
    REQUIRE(is_refused(file));
  }
}

namespace {

struct Speed {
  float x, y, z;
};
struct Weight {
  float value;
};
using Crowd = Schema<Group<Speed, Weight>, Name>;

/// Entities with the same components, so that all of them are made together, and some without any.
template <class Target>
void fill_crowd(Target& storage, std::size_t entities) {
  for (std::size_t i = 0; i < entities; ++i) {
    const auto number = static_cast<float>(i);
    storage.create(Speed{number, -number, 1}, Weight{number + 1}, Name{"one of many"});
  }
  for (int i = 0; i < 3; ++i) static_cast<void>(storage.create());
}

template <class Target>
[[nodiscard]] double sum_of_crowd(const Target& storage) {
  double sum = static_cast<double>(storage.size());
  storage.template each<const Speed, const Weight, const Name>([&](const Speed& s, const Weight& w, const Name& n) {
    sum += s.x * 3.0 + s.y + s.z * 0.5 + w.value + static_cast<double>(n.text.size());
  });
  return sum;
}

}  // namespace

TEMPLATE_TEST_CASE("damaged columns that are summed up while they are copied are refused before an entity is made", "",
                   IndirectionMap<Crowd>, IndirectionMapLanes<Crowd>, InterleavedPairs<Crowd>, ArchetypeSections<Crowd>,
                   ArchetypeSectionsFixed32k<Crowd>) {
  TestType source;
  fill_crowd(source, 10'000);  // columns of more than one piece, and of a rest
  const Bytes file = saved(source);
  TestType target;
  CHECK(load(target, file).entities.size() == source.size());
  CHECK(sum_of_crowd(target) == sum_of_crowd(source));
  const Entity last = load(target, file).entities.back();
  const double before = sum_of_crowd(target);
  const std::size_t payload_before = target.memory().payload_bytes;
  const Map map = map_of(file);
  for (const Map::Section& section : map.sections) {
    for (const std::size_t at : {std::size_t{0}, section.bytes / 2, section.bytes - 1}) {
      INFO(section.start << " " << at);
      Bytes damaged = file;
      damaged[section.start + at] ^= std::byte{0x40};
      CHECK_THROWS_AS(load(target, damaged), DamagedFile);
      REQUIRE(target.size() == 2 * source.size());
      REQUIRE(target.template count<Name>() == 2 * 10'000);
      REQUIRE(target.memory().payload_bytes == payload_before);
      REQUIRE(sum_of_crowd(target) == before);
    }
  }
  CHECK(target.create().index() == last.index() + 1);  // no life has begun
}

TEST_CASE("other files are distinguished from damaged ones") {
  CHECK(is_refused<NotAStowageFile>(Bytes(1'000, std::byte{'x'})));
  CHECK(is_refused<NotAStowageFile>(Bytes(3, std::byte{'x'})));
  CHECK(is_refused<WrongFileSize>({}));
  CHECK(is_refused<UnknownFormatVersion>(changed([](Bytes& file, const Map&) { put<std::uint32_t>(file, 8, 2); })));
  Bytes damaged = sample<Storage>();
  damaged[map_of(damaged).sections.back().start] ^= std::byte{1};
  CHECK(is_refused<DamagedFile>(damaged));
}

TEST_CASE("impossible counts are refused") {
  using namespace serialize;
  const Bytes sound = sample<Storage>();
  const Map map = map_of(sound);
  const auto with = [](std::size_t at, auto number) {
    return changed([&](Bytes& file, const Map&) { put(file, at, number); });
  };
  for (const std::uint32_t absurd : {5u, 1'000u, 0x7fff'ffffu, 0xffff'fffeu, 0xffff'ffffu}) {
    INFO(absurd);
    for (const std::size_t at : {offsetof(FileHeader, entities), offsetof(FileHeader, components),
                                 offsetof(FileHeader, tables), offsetof(FileHeader, flags),
                                 offsetof(FileHeader, reserved), map.tables[0], map.tables[0] + 8, map.columns[0]}) {
      if (number_at<std::uint32_t>(sound, at) != absurd) CHECK(is_refused<MalformedFile>(with(at, absurd)));
    }
    CHECK(is_refused<MalformedFile>(with(map.columns[0] + 8, std::uint64_t{absurd})));
    CHECK(is_refused(with(map.components[0] + 12, absurd)));
  }
  CHECK(is_refused<DamagedFile>(with(offsetof(FileHeader, directory_bytes), ~std::uint64_t{0} - 7)));
}

TEST_CASE("components that this program has in another form are refused by name") {
  const auto other = [](std::size_t component, std::size_t at, std::uint32_t value) {
    return changed([&](Bytes& file, const Map& map) { put(file, map.components[component] + at, value); });
  };
  CHECK(is_refused<ComponentMismatch>(other(4, 4, 1)));                          // an older Health
  CHECK(is_refused<MalformedFile>(other(0, 8, 1)));                              // bytes and a codec
  CHECK(is_refused<ComponentMismatch>(changed([](Bytes& file, const Map& map) {  // Position as if by a codec
    put<std::uint32_t>(file, map.components[0], 0);
    put<std::uint32_t>(file, map.components[0] + 8, 1);
  })));
  CHECK_FALSE(is_refused<LoadError>(other(2, 4, 9)));  // the codec of Name is told
  try {
    Storage storage;
    static_cast<void>(load(storage, other(4, 4, 1)));
    FAIL("not refused");
  } catch (const ComponentMismatch& error) {
    CHECK_THAT(error.what(), ContainsSubstring("health") && ContainsSubstring("version 1"));
  }
}

TEST_CASE("an entity that is in a file twice is refused") {
  CHECK(is_refused<DuplicateEntity>(changed([](Bytes& file, const Map& map) {
    const std::size_t entities = map.sections[0].start;
    put(file, entities + 4, number_at<std::uint32_t>(file, entities));
  })));
  // two tables begin with lists of places here: the second entity of one becomes the first
  Storage storage;
  for (int i = 0; i < 3; ++i) storage.create(Position{}, Health{});
  storage.create(Health{});
  storage.create(Position{});
  Bytes file = saved(storage);
  const Map map = map_of(file);
  std::size_t lists = 0;
  for (std::size_t t = 0; t < map.tables.size(); ++t) {
    for (const Map::Section& section : map.sections) {
      if (section.checksum_at != map.tables[t] + offsetof(serialize::FileTable, list_checksum)) continue;
      ++lists;
      Bytes twice = file;
      put(twice, section.start + 4, number_at<std::uint32_t>(file, section.start));
      seal(twice);
      CHECK(is_refused<DuplicateEntity>(twice));
      Bytes beyond = file;
      put<std::uint32_t>(beyond, section.start, 1'000);
      seal(beyond);
      CHECK(is_refused<DanglingReference>(beyond));
    }
  }
  CHECK(lists != 0);
}

TEST_CASE("a component that refers to an entity that is not in the file is refused") {
  const Bytes file = sample<ArchetypeSections<Scene>>();
  const Map map = map_of(file);
  std::size_t references = 0;
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    if (number_at<std::uint32_t>(file, map.columns[c]) != 1) continue;  // Parent
    for (const Map::Section& section : map.sections) {
      if (section.checksum_at != map.columns[c] + offsetof(serialize::FileColumn, checksum)) continue;
      ++references;
      for (const std::uint64_t place : {std::uint64_t{4}, std::uint64_t{0xffff'ffff}, std::uint64_t{1} << 40}) {
        Bytes dangling = file;
        put(dangling, section.start, place);
        seal(dangling);
        CHECK(is_refused<DanglingReference>(dangling));
      }
    }
  }
  CHECK(references == 3);
}

TEST_CASE("a column that its codec refuses or leaves in part is refused") {
  const auto with_length = [](std::uint32_t length) {
    return changed([&](Bytes& file, const Map& map) {
      for (std::size_t c = 0; c < map.columns.size(); ++c) {
        if (number_at<std::uint32_t>(file, map.columns[c]) != 2) continue;  // Name
        for (const Map::Section& section : map.sections) {
          if (section.checksum_at == map.columns[c] + 16) put(file, section.start, length);
        }
      }
    });
  };
  for (const std::uint32_t length : {0u, 1u, 1'000u, 0xffff'ffffu})
    CHECK(is_refused<MalformedFile>(with_length(length)));
}

/// Loads two components, of which the second has this byte at `place`, and says what the storage holds then.
template <class Component>
std::size_t loaded(std::size_t place, std::uint8_t byte) {
  IndirectionMap<Schema<BytesOf<Component>>> source;
  BytesOf<Component> wrong{};
  source.create(wrong);
  wrong.bytes[place] = byte;
  source.create(wrong);
  const Bytes file = saved(source);
  const auto into = [&]<class Target>(Target&& target) {
    try {
      static_cast<void>(load(target, file));
    } catch (const InvalidValue& error) {
      CHECK(target.size() == 0);
      if (!serialize::HasCodec<Component>) {
        CHECK_THAT(error.what(), ContainsSubstring(std::string(ComponentFormat<Component>::name)));
        CHECK_THAT(error.what(), ContainsSubstring("row 1"));
      }
    }
    return target.size();
  };
  const std::size_t size = into(IndirectionMap<Schema<Component>>());
  CHECK(into(ArchetypeSections<Schema<Component>>()) == size);
  CHECK(into(SparseDirect<Schema<Component>>()) == size);
  return size;
}

TEST_CASE("a value that a type does not have is refused, with the component and its row") {
  for (std::size_t place = 0; place < 7; ++place) {
    CAPTURE(place);
    CHECK(loaded<Flags>(place, 1) == 2);
    CHECK(loaded<Flags>(place, 2) == 0);
    CHECK(loaded<Flags>(place, 255) == 0);
  }
  CHECK(loaded<Flags>(7, 255) == 2);  // padding
  CHECK(loaded<Mode>(0, 1) == 2);
  CHECK(loaded<Mode>(0, 2) == 0);
  CHECK(loaded<Sealed>(0, 1) == 2);
  CHECK(loaded<Sealed>(0, 3) == 0);
  CHECK(loaded<Coded>(0, 1) == 2);
  CHECK(loaded<Coded>(0, 128) == 0);
  CHECK(loaded<bool>(0, 1) == 2);
  CHECK(loaded<bool>(0, 2) == 0);
}

TEST_CASE("no more is taken from the heap than a few times the file") {
  constexpr std::size_t most_times = 16;  // docs/serialization.md
  constexpr std::size_t fixed_bytes = 16 * 1024;
  const auto peak_over = [](const Bytes& file) {
    const harness::HeapTracker heap;
    Storage storage;
    storage.reserve(64);
    const std::size_t before = heap.use().live_bytes;
    try {
      static_cast<void>(load(storage, file));
    } catch (const LoadError&) {
    }
    return heap.use().peak_bytes - before;
  };
  const Bytes whole = sample<Storage>();
  for (std::size_t at = 0; at + 4 <= whole.size(); at += 4) {
    for (const std::uint32_t absurd : {0x00ff'ffffu, 0x7fff'ffffu, 0xffff'ffffu}) {
      Bytes file = whole;
      put(file, at, absurd);
      seal(file);
      INFO(at << ": " << absurd);
      REQUIRE(peak_over(file) <= most_times * file.size() + fixed_bytes);
    }
  }
}

TEST_CASE("if a storage is full before all are loaded, none of them stays") {
  HashIndexFixedCapacity<Scene> storage;
  const auto residents = fill(storage);
  const std::string before = seen(storage);
  Storage many;
  for (std::uint32_t i = 0; i < 100'000; ++i) many.create(Health{i});
  many.create(Position{});
  const Bytes file = saved(many);
  CHECK_THROWS_AS(load(storage, file), CapacityExhausted);
  CHECK(seen(storage) == before);
}

TEST_CASE("if there is no memory for all, none of them stays") {
  const Bytes small = sample<Storage>();
  const auto load_into = [&]<class Target>(bool has_residents, TypeList<Target>) {
    for (std::size_t nth = 1;; ++nth) {
      Target target;
      if (has_residents) fill(target);
      const std::string untouched = has_residents ? seen(target) : "";
      const testing::Refusal refusal =
          testing::refuse(nth, testing::Shortage::passing, [&] { static_cast<void>(load(target, small)); });
      if (refusal.threw) REQUIRE((has_residents ? seen(target) == untouched : target.size() == 0));
      if (!refusal.happened) break;
    }
  };
  load_into(true, TypeList<SparseDirect<Scene>>{});
  load_into(false, TypeList<ArchetypeSections<Scene>>{});  // whose first loop over parents takes memory
}

}  // namespace stowage::serialize_test
