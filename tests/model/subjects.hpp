#pragma once

// What is done with every strategy: random work beside the reference model, and files that each one saves and each
// other one loads, of aged entities of many component sets that refer to each other.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stowage/contract/schema.hpp>
#include <stowage/serialize/serialize.hpp>

#include "workloads/support/random.hpp"
#include "workloads/verify/model_components.hpp"
#include "workloads/verify/random_work.hpp"

namespace stowage::model_test {

struct Spot {
  float x, y, z;
};
struct Number {
  std::uint32_t value;
};
/// A reference in a component of bytes.
struct Link {
  std::uint32_t weight;
  std::uint32_t unused;
  Entity target;
};
/// References in one that needs a codec, and text.
struct Crowd {
  std::string name;
  std::vector<Entity> members;
};
struct Mark {};
struct alignas(128) Wide {
  std::uint32_t value;
};

using RoundTripSchema = Schema<Group<Changed<Spot>, Number, Link>, Sparse<Changed<Crowd>>, Sparse<Mark>, Wide>;

}  // namespace stowage::model_test

template <>
struct stowage::ComponentFormat<stowage::model_test::Link> {
  static constexpr std::string_view name = "link";
  static constexpr auto references = std::tuple{&model_test::Link::target};
};

template <>
struct stowage::ComponentFormat<stowage::model_test::Crowd> {
  using Crowd = model_test::Crowd;
  static constexpr std::string_view name = "crowd";
  static constexpr std::uint32_t version = 3;
  static constexpr auto references = std::tuple{&Crowd::members};

  static void encode(const Crowd& crowd, ByteWriter& to) {
    to.write(std::string_view(crowd.name));
    to.write(static_cast<std::uint32_t>(crowd.members.size()));
    for (const Entity member : crowd.members) to.write(member);
  }
  static Crowd decode(ByteReader& from, std::uint32_t) {
    Crowd crowd{from.read_string(), {}};
    crowd.members.resize(from.read_count(sizeof(std::uint64_t)));
    for (Entity& member : crowd.members) member = from.read<Entity>();
    return crowd;
  }
};

namespace stowage::model_test {

using workloads::verify::require;

/// Every entity has a Number, and some of everything else; a third of them have gone again.
template <class Storage>
std::vector<Entity> fill_for_round_trip(Storage& storage) {
  constexpr std::uint32_t count = 300;
  workloads::Random random(23);
  std::vector<Entity> entities;
  const auto any_entity = [&] { return entities[random.below(entities.size())]; };
  for (std::uint32_t i = 0; i < count; ++i) {
    const Entity entity = storage.create(Number{i});
    entities.push_back(entity);
    const std::uint64_t kind = random.below(32);
    const auto coordinate = static_cast<float>(i);
    if ((kind & 1) != 0) storage.template emplace<Spot>(entity, coordinate, 1.0f, 2.0f);
    if ((kind & 2) != 0) storage.template emplace<Link>(entity, i, 0u, any_entity());
    if ((kind & 4) != 0)
      storage.template emplace<Crowd>(entity, std::to_string(i), std::vector{any_entity(), any_entity()});
    if ((kind & 8) != 0) storage.template emplace<Mark>(entity);
    if ((kind & 16) != 0) storage.template emplace<Wide>(entity, i);
  }
  for (std::uint32_t i = 0; i < count / 3; ++i) storage.destroy(any_entity());
  for (std::uint32_t i = 0; i < count / 8; ++i) storage.template remove<Number>(entities[i]);
  std::erase_if(entities, [&](Entity entity) { return !storage.alive(entity); });
  return entities;
}

/// What can be seen of some entities, whatever their handles and their order are: references count by the number of
/// the entity that they refer to, and may leave the selection only if that entity is gone.
template <class Storage>
[[nodiscard]] std::uint64_t digest_of(const Storage& storage, std::span<const Entity> entities) {
  using workloads::mixed;
  std::unordered_map<std::uint64_t, bool> selected;
  for (const Entity entity : entities) require(selected.emplace(entity.word(), true).second, "an entity comes twice");
  const auto number_of = [&](Entity entity) -> std::uint64_t {
    if (!storage.alive(entity)) return 1;
    require(selected.contains(entity.word()), "a reference leaves the file");
    const auto number = storage.template find<Number>(entity);
    return number != nullptr ? 2 + (*number).value : 2;
  };
  std::uint64_t sum = 0;
  for (const Entity entity : entities) {
    require(storage.alive(entity), "an entity of the file is not alive");
    std::uint64_t hash = mixed(number_of(entity));
    if (const auto spot = storage.template find<Spot>(entity); spot != nullptr) {
      const Spot whole = *spot;
      hash = mixed(hash, static_cast<std::uint64_t>(whole.x * 4 + whole.y * 2 + whole.z));
    }
    if (const auto link = storage.template find<Link>(entity); link != nullptr) {
      const Link whole = *link;
      hash = mixed(mixed(hash, whole.weight), number_of(whole.target));
    }
    if (const auto crowd = storage.template find<Crowd>(entity); crowd != nullptr) {
      for (const char letter : crowd->name) hash = mixed(hash, static_cast<unsigned char>(letter));
      for (const Entity member : crowd->members) hash = mixed(hash, number_of(member));
    }
    if (storage.template contains<Mark>(entity)) hash = mixed(hash, 7);
    if (const auto wide = storage.template find<Wide>(entity); wide != nullptr) hash = mixed(hash, (*wide).value);
    sum += mixed(hash);
  }
  return sum;
}

/// A file, and what can be seen of the entities in it.
struct Saved {
  ByteBuffer file;
  std::uint64_t digest = 0;
  std::size_t entities = 0;
};

template <class Storage>
[[nodiscard]] Saved save_for_round_trip() {
  Storage storage;
  const std::vector<Entity> entities = fill_for_round_trip(storage);
  Saved saved;
  save(std::as_const(storage), saved.file);
  saved.digest = digest_of(storage, entities);
  saved.entities = storage.size();
  require(saved.entities == entities.size(), "size() differs from what was filled in");
  return saved;
}

/// The file twice, beside what is in the storage already; throws if something is not as it was.
template <class Storage>
void load_for_round_trip(const Saved& saved) {
  Storage storage;
  const std::vector<Entity> residents = fill_for_round_trip(storage);
  const std::uint64_t before = digest_of(storage, residents);
  const auto first = load(storage, saved.file.bytes());
  const auto second = load(storage, saved.file.bytes());
  require(first.skipped.empty() && second.skipped.empty(), "a component is said to be unknown");
  require(storage.size() == residents.size() + 2 * saved.entities, "the number of entities is wrong");
  require(digest_of(storage, residents) == before, "the entities that were there have changed");
  require(digest_of(storage, first.entities) == saved.digest, "the first load differs from what was saved");
  require(digest_of(storage, second.entities) == saved.digest, "the second load differs from what was saved");

  // a copy refers to the same entity as its original, also to the original itself
  const Entity original = storage.create(Number{1'000}, Link{1, 0, residents.front()});
  for (const Entity target : {residents.front(), original}) {
    storage.template emplace<Link>(original, 1u, 0u, target);
    const Entity copy = duplicate(storage, original);
    const auto [number, link] = std::as_const(storage).template find<Number, Link>(copy);
    require(copy != original && number != nullptr && link != nullptr, "a copy is not there");
    require(Number(*number).value == 1'000 && Link(*link).target == target, "a copy differs from its original");
  }
}

using Operations = std::vector<workloads::verify::Operation>;

/// A strategy that can be given work beside the reference model; run() throws if the two differ, load() if what
/// another has saved does not come back. Where save and load are null, files are left to a run of all tests.
struct Subject {
  std::string_view name;
  void (*run)(const Operations& operations);
  Saved (*save)();
  void (*load)(const Saved& saved);
};

/// The file has references of default handles.
template <template <class> class Strategy>
void add_round_trip(Subject& subject) {
  using Storage = Strategy<RoundTripSchema>;
  if constexpr (std::is_same_v<typename Storage::entity_type, Entity>) {
    subject.save = &save_for_round_trip<Storage>;
    subject.load = &load_for_round_trip<Storage>;
  }
}

/// Every registered strategy. Defined in generated code.
[[nodiscard]] std::vector<Subject> subjects();

}  // namespace stowage::model_test
