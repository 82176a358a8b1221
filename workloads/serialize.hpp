#pragma once

// Workload: saving a storage to memory and loading it again, with handles remapped or ids combined with a seed.

#include <unordered_map>
#include <unordered_set>

#include <stowage/serialize/serialize.hpp>

#include "workloads/create.hpp"
#include "workloads/support/memory_file.hpp"
#include "workloads/support/wicked_archive.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard serialize_card{
    .name = "serialize",
    .setup =
        "n entities with the four components of a point mass (one group, 40 bytes), and nothing more (ids:none), or "
        "one "
        "more of 8 bytes that refers to another entity: by its handle (ids:remap), or by a number of 31 bits that the "
        "entities keep beside (ids:xor); files are in memory that has been written before",
    .measured =
        "what:save the whole storage into a file in memory; what:load a file into a storage that has held as much "
        "before; what:twice the same file two times. All with checksums; references become those to the new entities "
        "(remap) or other numbers, without asking whether these are free (xor). form.wicked has numbers alone, and "
        "keeps "
        "them with ids:none",
    .item = "entity that is saved, or made",
    .checksum = "hash(ordinal, bits of all components, ordinal of the entity it refers to) of every entity loaded",
    .favours =
        "packed columns, which are files already; ids:xor, which leaves finding an entity by its number to others",
    .disadvantages = "heap objects, which are gathered one by one and made with five allocations each; hash maps",
    .floor = "88/64 lines per entity (ids:none) or 104/64: the bytes of the file read once and written once, by memcpy",
    .sizes = {16 * 1024, 256 * 1024},
};

/// ids:remap: refers to an entity.
struct Companion {
  Entity entity;
};
/// ids:xor: its own id, and the id of the entity it refers to.
struct NumberedCompanion {
  std::uint32_t self;
  std::uint32_t other;
};

using SerializeSchema = Schema<Group<Mass, Position, Velocity, Acceleration>, Companion, NumberedCompanion>;

/// The entity that each of n refers to: in an order that has nothing to do with their rows.
[[nodiscard]] inline Array<std::uint32_t> companions(const Parameters& parameters) {
  return Random(parameters.seed).permutation(parameters.entities);
}

}  // namespace stowage::workloads

template <>
struct stowage::ComponentFormat<stowage::workloads::Companion> {
  static constexpr auto references = std::tuple{&workloads::Companion::entity};
};
template <>
struct stowage::ComponentFormat<stowage::workloads::NumberedCompanion> {
  static constexpr auto seeded_ids =
      std::tuple{&workloads::NumberedCompanion::self, &workloads::NumberedCompanion::other};
};

namespace stowage::workloads {

/// Sums up all entities that have a point mass, in whatever number of loads they came.
template <class Storage>
[[nodiscard]] std::uint64_t digest_of_companions(const Storage& storage, std::string_view ids) {
  std::unordered_map<std::uint32_t, std::uint64_t> ordinals;  // by number
  if (ids == "xor") {
    storage.template each<const NumberedCompanion, const Mass>(
        [&](const NumberedCompanion& known, const Mass& mass) { ordinals[known.self] = Values::ordinal(mass); });
  }
  Checksum sum;
  storage.template each<const Mass, const Position, const Velocity, const Acceleration>(
      [&](Entity entity, const Mass& m, const Position& p, const Velocity& v, const Acceleration& a) {
        std::uint64_t other = 0;
        if (const auto companion = storage.template find<Companion>(entity); companion != nullptr) {
          const auto mass = storage.template find<Mass>(companion->entity);
          other = mass != nullptr ? 1 + Values::ordinal(*mass) : 0;
        } else if (const auto numbered = storage.template find<NumberedCompanion>(entity); numbered != nullptr) {
          other = 1 + ordinals.at(numbered->other);
        }
        sum.add_floats(mixed(Values::ordinal(m), other), m.value, p.x, p.y, p.z, v.x, v.y, v.z, a.x, a.y, a.z);
      });
  return sum.value();
}

template <class Storage>
class SerializeCase {
 public:
  static constexpr bool repeatable = false;

  explicit SerializeCase(const Parameters& parameters)
      : saves_(parameters.get("what") == "save"),
        loads_(parameters.get("what") == "twice" ? 2 : 1),
        ids_(parameters.get("ids")),
        entities_(parameters.entities) {
    make_room(storage_);
    fill(parameters);
    save(std::as_const(storage_), file_);
    prepare();
    run();  // memory has been touched once before it is measured
  }

  void prepare() {
    if (!saves_) storage_.clear();
  }
  void run() {
    if (saves_) {
      save(std::as_const(storage_), file_);
    } else {
      for (std::uint32_t i = 0; i < loads_; ++i) load(storage_, file_.bytes(), {.seed = ids_ == "xor" ? seed(i) : 0});
    }
    keep(file_);
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return entities_ * loads_; }
  [[nodiscard]] std::uint64_t checksum() {
    if (!saves_) return digest_of_companions(storage_, ids_);
    Storage loaded;
    make_room(loaded);
    load(loaded, file_.bytes());
    return digest_of_companions(loaded, ids_);
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear() { storage_.clear(); }

 private:
  void make_room(Storage& storage) const {
    workloads::make_room<Mass, Position, Velocity, Acceleration, Companion, NumberedCompanion>(storage,
                                                                                               entities_ * loads_);
  }

  /// Differs in bits above those of the numbers, so that two loads have no number in common: collisions are counted
  /// elsewhere.
  [[nodiscard]] static std::uint32_t seed(std::uint32_t load) noexcept { return (load + 1) << 28; }

  void fill(const Parameters& parameters) {
    const PointMassInput input(parameters);
    Array<Entity> handles(entities_);
    storage_.create(std::span(handles), std::span<const Mass>(input.masses), std::span<const Position>(input.positions),
                    std::span<const Velocity>(input.velocities), std::span<const Acceleration>(input.accelerations));
    if (ids_ == "none") return;
    const Array<std::uint32_t> others = companions(parameters);
    for (std::uint32_t i = 0; i < entities_; ++i) {
      if (ids_ == "remap") {
        storage_.template emplace<Companion>(handles[i], handles[others[i]]);
      } else {
        storage_.template emplace<NumberedCompanion>(handles[i], i + 1, others[i] + 1);
      }
    }
  }

  bool saves_;
  std::uint32_t loads_;
  std::string ids_;
  std::size_t entities_;
  Storage storage_;
  MemoryFile file_;
};

/// The floor: as many bytes as a file has, in one array, copied as a whole. Nothing is summed up, nothing found again.
class SerializeReference {
 public:
  static constexpr bool repeatable = false;

  explicit SerializeReference(const Parameters& parameters)
      : loads_(parameters.get("what") == "twice" ? 2 : 1),
        has_companions_(parameters.get("ids") != "none"),
        input_(parameters),
        count_(parameters.entities) {
    const std::size_t bytes = count_ * (has_companions_ ? 52 : 44);
    Array<std::byte> arrays(bytes);
    std::byte* to = arrays.data();
    const auto put = [&](const auto& column) {
      std::memcpy(to, column.data(), column.size() * sizeof column[0]);
      to += column.size() * sizeof column[0];
    };
    put(in_order(count_));
    put(input_.masses);
    put(input_.positions);
    put(input_.velocities);
    put(input_.accelerations);
    if (has_companions_) {
      Array<std::uint64_t> others;
      for (const std::uint32_t other : companions(parameters)) others.push_back(other);
      put(others);
    }
    from_ = std::move(arrays);
    to_.resize(bytes * loads_);
  }

  void run() {
    for (std::size_t i = 0; i < loads_; ++i) std::memcpy(to_.data() + i * from_.size(), from_.data(), from_.size());
    keep(to_);
  }

  [[nodiscard]] std::uint64_t items() const { return count_ * loads_; }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (std::size_t load = 0; load < loads_; ++load) {
      const std::byte* const start = to_.data() + load * from_.size();
      for (std::size_t i = 0; i < count_; ++i) {
        const auto m = at<Mass>(start + 4 * count_, i);
        const auto p = at<Position>(start + 8 * count_, i);
        const auto v = at<Velocity>(start + 20 * count_, i);
        const auto a = at<Acceleration>(start + 32 * count_, i);
        const std::uint64_t other = has_companions_ ? 1 + at<std::uint64_t>(start + 44 * count_, i) : 0;
        sum.add_floats(mixed(Values::ordinal(m), other), m.value, p.x, p.y, p.z, v.x, v.y, v.z, a.x, a.y, a.z);
      }
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return {.payload_bytes = to_.size(), .allocations = 1}; }

 private:
  template <class T>
  [[nodiscard]] static T at(const std::byte* column, std::size_t position) noexcept {
    T value;
    std::memcpy(&value, column + position * sizeof value, sizeof value);
    return value;
  }

  std::size_t loads_;
  bool has_companions_;
  PointMassInput input_;
  std::size_t count_;
  Array<std::byte> from_;
  StoredArray<std::byte> to_;
};

/// The contract floor: the arrays of a packed store dumped with a checksum for each; a file is checked before there are
/// new entities, and references are rows in the file. `Extra` is what refers to another entity, if anything does.
template <template <class...> class StoreOf, class... Extra>
class SerializeStore {
  using Store = StoreOf<Mass, Position, Velocity, Acceleration, Extra...>;
  static constexpr std::uint32_t no_row = Store::no_row;
  static constexpr std::size_t columns = 5 + sizeof...(Extra);

 public:
  static constexpr bool repeatable = false;

  explicit SerializeStore(const Parameters& parameters)
      : saves_(parameters.get("what") == "save"),
        loads_(parameters.get("what") == "twice" ? 2 : 1),
        entities_(parameters.entities),
        handles_(parameters.entities) {
    fill(parameters);
    save();
    prepare();
    run();  // memory has been touched once before it is measured
  }

  void prepare() {
    if (!saves_) store_.end_all();
  }
  void run() {
    if (saves_) {
      save();
    } else {
      for (std::uint32_t i = 0; i < loads_; ++i) load(store_, (i + 1) << 28);
    }
    keep(file_);
    keep(store_);
  }

  [[nodiscard]] std::uint64_t items() const { return entities_ * loads_; }
  [[nodiscard]] std::uint64_t checksum() {
    if (!saves_) return digest(store_);
    Store loaded;
    load(loaded, 0);
    return digest(loaded);
  }
  [[nodiscard]] MemoryBreakdown memory() const { return store_.memory(); }

 private:
  void fill(const Parameters& parameters) {
    const PointMassInput input(parameters);
    const Array<std::uint32_t> others = companions(parameters);
    for (std::size_t i = 0; i < entities_; ++i) {
      handles_[i] =
          store_.create(input.masses[i], input.positions[i], input.velocities[i], input.accelerations[i], Extra{}...);
    }
    for (std::uint32_t i = 0; i < entities_; ++i) {
      if constexpr (refers<Companion>) store_.template column<Companion>()[i] = {handles_[others[i]]};
      if constexpr (refers<NumberedCompanion>) {
        store_.template column<NumberedCompanion>()[i] = {i + 1, others[i] + 1};
      }
    }
  }
  template <class Column>
  using Component = std::remove_cvref_t<decltype(std::declval<Column>()[0])>;
  template <class C>
  static constexpr bool refers = (std::is_same_v<C, Extra> || ...);

  [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t entities) noexcept {
    return (columns + 1) * sizeof(std::uint64_t) + entities * (44 + (sizeof(Extra) + ... + 0));
  }

  void save() {
    const std::size_t count = store_.size();
    file_.resize(bytes_of(count));
    std::array<std::uint64_t, columns + 1> front{count};
    std::byte* to = file_.data() + sizeof front;
    std::size_t number = 1;
    const auto put = [&](auto column) {
      using T = Component<decltype(column)>;
      serialize::SectionSum sum(to);
      if constexpr (std::is_same_v<T, Companion>) {  // as a row, which an entity that is not alive has not
        in_pieces<T>(count, sum, [&](std::size_t row) {
          const std::uint64_t written = store_.row_of(column[row].entity);
          std::memcpy(to + row * sizeof written, &written, sizeof written);
        });
      } else if constexpr (std::is_pointer_v<decltype(column)>) {
        copy(sum, reinterpret_cast<const std::byte*>(column), to, count * sizeof(T));
      } else {
        in_pieces<T>(count, sum, [&](std::size_t row) { std::memcpy(to + row * sizeof(T), &column[row], sizeof(T)); });
      }
      front[number++] = sum.finish();
      to += count * sizeof(T);
    };
    put(store_.owners());
    put(store_.template column<Mass>());
    put(store_.template column<Position>());
    put(store_.template column<Velocity>());
    put(store_.template column<Acceleration>());
    (put(store_.template column<Extra>()), ...);
    std::memcpy(file_.data(), front.data(), sizeof front);
  }
  /// Calls `copy(row)` for every row, and has the bytes summed up while they are in the cache.
  template <class T, class Copy>
  static void in_pieces(std::size_t count, serialize::SectionSum& sum, Copy copy) {
    constexpr std::size_t piece = serialize::SectionSum::piece_bytes / sizeof(T);
    for (std::size_t done = 0; done < count;) {
      const std::size_t first = done;
      for (const std::size_t end = std::min(count, done + piece); done < end; ++done) copy(done);
      sum.advance((done - first) * sizeof(T));
    }
  }

  /// Once for all columns: in the loops that g++ 12 makes for each, fewer lanes of the checksum stay in registers.
  [[gnu::noinline]] static void copy(serialize::SectionSum& sum, const std::byte* from, std::byte* to,
                                     std::size_t bytes) noexcept {
    sum.copy(from, to, bytes);
  }

  void load(Store& store, std::uint32_t seed) {
    std::array<std::uint64_t, columns + 1> front{};
    if (file_.size() >= sizeof front) std::memcpy(front.data(), file_.data(), sizeof front);
    const std::size_t count = front[0];
    if (count > entities_ || file_.size() != bytes_of(count)) throw WrongFileSize("the file has another size");
    const std::byte* from = file_.data() + sizeof front;
    serialize::SectionSum owners(from);  // checked and not kept, because references are rows
    owners.advance(count * sizeof(std::uint32_t));
    if (owners.finish() != front[1]) throw DamagedFile("a checksum is not that of the bytes");
    from += count * sizeof(std::uint32_t);
    const bool is_sound = store.create_filled(std::span(handles_).first(count), [&](std::size_t row) {
      const bool all_are = take(from, &front[2], row, count, store.template column<Mass>(),
                                store.template column<Position>(), store.template column<Velocity>(),
                                store.template column<Acceleration>(), store.template column<Extra>()...);
      if constexpr (refers<Companion>) {
        if (all_are) check_references(store.template column<Companion>(), row, count);
      }
      return all_are;
    });
    if (!is_sound) throw DamagedFile("a checksum is not that of the bytes");
    const std::size_t first = store.size() - count;
    if constexpr (refers<Companion>) {
      const auto loaded = store.template column<Companion>();
      for (std::size_t i = 0; i < count; ++i) {
        Entity& entity = loaded[first + i].entity;
        const std::uint64_t row = entity.word();
        entity = row < count ? handles_[row] : Entity();
      }
    }
    if constexpr (refers<NumberedCompanion>) {
      const auto loaded = store.template column<NumberedCompanion>();
      for (std::size_t i = 0; i < count; ++i) {
        loaded[first + i].self ^= seed;
        loaded[first + i].other ^= seed;
      }
    }
  }

  /// Of a file, whose bytes are summed up on the way.
  template <class ColumnOf>
  struct Part {
    ColumnOf column;
    const std::byte* from;
    std::uint64_t expected;
    serialize::SectionSum sum;

    void take_one(std::size_t row, std::size_t i) {
      using T = Component<ColumnOf>;
      std::memcpy(&column[row + i], from + i * sizeof(T), sizeof(T));
    }
    void take_all(std::size_t row, std::size_t count) {
      copy(sum, from, reinterpret_cast<std::byte*>(column + row), count * sizeof(column[0]));
    }
  };
  /// Array by array, or row by row if all components of a row lie side by side. Says whether the checksums are right.
  template <class... ColumnsOf>
  [[nodiscard]] static bool take(const std::byte* from, const std::uint64_t* sums, std::size_t row, std::size_t count,
                                 ColumnsOf... into) {
    const auto part = [&]<class ColumnOf>(ColumnOf column) {
      const std::byte* const section = std::exchange(from, from + count * sizeof(Component<ColumnOf>));
      return Part<ColumnOf>{column, section, *sums++, serialize::SectionSum(section)};
    };
    std::tuple<Part<ColumnsOf>...> parts{part(into)...};
    return std::apply(
        [&](auto&... each) {
          if constexpr ((std::is_pointer_v<ColumnsOf> && ...)) {
            (each.take_all(row, count), ...);
          } else {
            constexpr std::size_t piece =
                256;  // rows: so few that their bytes are in the cache when they are summed up
            for (std::size_t done = 0; done < count;) {
              const std::size_t first = done;
              for (const std::size_t end = std::min(count, done + piece); done < end; ++done) {
                (each.take_one(row, done), ...);
              }
              (each.sum.advance((done - first) * sizeof(Component<ColumnsOf>)), ...);
            }
          }
          return ((each.sum.finish() == each.expected) && ...);
        },
        parts);
  }

  template <class Column>
  static void check_references(const Column& loaded, std::size_t first, std::size_t count) {
    std::size_t dangling = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t row = loaded[first + i].entity.word();
      dangling += row >= count && row != no_row ? 1 : 0;
    }
    if (dangling != 0) throw DanglingReference("a reference to an entity that is not in the file");
  }

  [[nodiscard]] static std::uint64_t digest(const Store& store) {
    const auto masses = store.template column<Mass>();
    std::unordered_map<std::uint32_t, std::uint64_t> ordinals;  // by number
    Checksum sum;
    if constexpr (refers<NumberedCompanion>) {
      for (std::size_t row = 0; row < store.size(); ++row) {
        ordinals[store.template column<NumberedCompanion>()[row].self] = Values::ordinal(masses[row]);
      }
    }
    for (std::size_t row = 0; row < store.size(); ++row) {
      std::uint64_t other = 0;
      if constexpr (refers<Companion>) {
        const Mass* const mass = store.template find<Mass>(store.template column<Companion>()[row].entity);
        other = mass != nullptr ? 1 + Values::ordinal(*mass) : 0;
      }
      if constexpr (refers<NumberedCompanion>) {
        other = 1 + ordinals.at(store.template column<NumberedCompanion>()[row].other);
      }
      const Position& p = store.template column<Position>()[row];
      const Velocity& v = store.template column<Velocity>()[row];
      const Acceleration& a = store.template column<Acceleration>()[row];
      sum.add_floats(mixed(Values::ordinal(masses[row]), other), masses[row].value, p.x, p.y, p.z, v.x, v.y, v.z, a.x,
                     a.y, a.z);
    }
    return sum.value();
  }

  bool saves_;
  std::uint32_t loads_;
  std::size_t entities_;
  Array<Entity> handles_;
  Store store_;
  Array<std::byte> file_;
};

template <class Name, template <class...> class StoreOf>
struct SerializeFloor : Name {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    const std::string& ids = parameters.get("ids");
    if (ids == "remap") return make_case<SerializeStore<StoreOf, Companion>>(parameters);
    if (ids == "xor") return make_case<SerializeStore<StoreOf, NumberedCompanion>>(parameters);
    return make_case<SerializeStore<StoreOf>>(parameters);
  }
};

struct WickedArraysName {
  static constexpr std::string_view name = "form.wicked", form = "exact",
                                    summary = "Wicked Engine's component managers as published";
};
struct WickedObjectsName {
  static constexpr std::string_view name = "form.wicked_objects",
                                    summary = "the same managers and maps, each component an object of its own";
};

/// Component managers and the remap table as published. The file has the number of its entity beside each component,
/// and references of 4 bytes. Numbers are kept if nothing refers to an entity (ids:none). They are random, as in the
/// article, if they are combined with a seed (ids:xor).
template <class Name, template <class> class Components>
class SerializeWicked : public Name {
  using Managers = WickedManagers<Components>;
  using As = WickedNumbers::As;

 public:
  static constexpr bool repeatable = false;

  /// Numbers that are kept are not distinct if they are loaded twice.
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return parameters.get("what") != "twice" || parameters.get("ids") != "none";
  }

  explicit SerializeWicked(const Parameters& parameters)
      : saves_(parameters.get("what") == "save"),
        loads_(parameters.get("what") == "twice" ? 2 : 1),
        numbers_(parameters.get("ids") == "none"    ? As::saved
                 : parameters.get("ids") == "remap" ? As::remapped
                                                    : As::seeded),
        has_companions_(parameters.get("ids") != "none"),
        entities_(parameters.entities) {
    fill(parameters);
    scene_.save(file_);
    prepare();
    run();  // memory has been touched once before it is measured
  }

  void prepare() {
    if (!saves_) scene_.clear();
  }
  void run() {
    if (saves_) {
      scene_.save(file_);
    } else {
      for (std::uint32_t i = 0; i < loads_; ++i) scene_.load(file_, numbers_, seed(i));
    }
    keep(file_);
    keep(scene_);
  }

  [[nodiscard]] std::uint64_t items() const { return entities_ * loads_; }
  [[nodiscard]] std::uint64_t checksum() {
    if (!saves_) return digest(scene_);
    Managers loaded;
    loaded.load(file_, As::saved);
    return digest(loaded);
  }
  [[nodiscard]] MemoryBreakdown memory() const { return scene_.memory(); }

 private:
  /// Its upper bits differ from load to load, so that two loads have no number in common.
  [[nodiscard]] static std::uint32_t seed(std::uint32_t load) noexcept {
    return (load + 1) << 29 | static_cast<std::uint32_t>(mixed(load, 0) >> 35);
  }

  /// Numbers that are combined with a seed are random ones; they have 28 bits here and 31 in the article, and none
  /// comes twice. Others are given one after the other.
  [[nodiscard]] Array<WickedEntity> numbered(std::uint64_t seed) {
    Array<WickedEntity> numbers;
    Random random(seed);
    std::unordered_set<WickedEntity> taken;
    while (numbers.size() < entities_) {
      const WickedEntity number =
          numbers_ == As::seeded ? static_cast<WickedEntity>(1 + random.below((1U << 28) - 1)) : scene_.create_entity();
      if (taken.insert(number).second) numbers.push_back(number);
    }
    return numbers;
  }

  void fill(const Parameters& parameters) {
    const PointMassInput input(parameters);
    const Array<WickedEntity> handles = numbered(parameters.seed);
    for (std::size_t i = 0; i < entities_; ++i) {
      const WickedEntity entity = handles[i];
      scene_.template of<Mass>().create(entity, input.masses[i]);
      scene_.template of<Position>().create(entity, input.positions[i]);
      scene_.template of<Velocity>().create(entity, input.velocities[i]);
      scene_.template of<Acceleration>().create(entity, input.accelerations[i]);
    }
    if (!has_companions_) return;
    const Array<std::uint32_t> others = companions(parameters);
    for (std::size_t i = 0; i < entities_; ++i) {
      scene_.template of<WickedCompanion>().create(handles[i], {handles[others[i]]});
    }
  }

  /// Equal numbers give no sum, and a companion counts if it was loaded with what refers to it: without both, entities
  /// of two loads have equal components and could not be told apart.
  [[nodiscard]] std::uint64_t digest(Managers& scene) const {
    if (!scene.has_distinct_numbers()) return 0;
    Checksum sum;
    const auto& masses = scene.template of<Mass>();
    for (std::size_t i = 0; i < masses.entities.size(); ++i) {
      const WickedEntity entity = masses.entities[i];
      const Mass& m = masses.components[i];
      const Position& p = *scene.template of<Position>().find(entity);
      const Velocity& v = *scene.template of<Velocity>().find(entity);
      const Acceleration& a = *scene.template of<Acceleration>().find(entity);
      std::uint64_t other = 0;
      if (const WickedCompanion* const companion = scene.template of<WickedCompanion>().find(entity)) {
        const std::size_t place = masses.places.at(companion->entity);
        if (place / entities_ == i / entities_) other = 1 + Values::ordinal(masses.components[place]);
      }
      sum.add_floats(mixed(Values::ordinal(m), other), m.value, p.x, p.y, p.z, v.x, v.y, v.z, a.x, a.y, a.z);
    }
    return sum.value();
  }

  bool saves_;
  std::uint32_t loads_;
  As numbers_;
  bool has_companions_;
  std::size_t entities_;
  Managers scene_;
  Array<std::byte> file_;
};

struct Serialize {
  static constexpr const WorkloadCard& card = serialize_card;
  static constexpr std::array needs{Capability::table_exchange, Capability::structural_change,
                                    Capability::const_iteration};
  using References =
      TypeList<SerializeReference, SerializeFloor<StoreName, PackedStore>,
               SerializeFloor<InterleavedName, InterleavedStore>, SerializeWicked<WickedArraysName, WickedArray>,
               SerializeWicked<WickedObjectsName, WickedObjects>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"what", {"save", "load", "twice"}, {"save", "load"}},
            {"ids", {"none", "remap", "xor"}, {"none", "remap"}}};
  }
  /// A file has the components and 4 bytes per entity, which name it: 44 bytes, or 52 with a reference. They are
  /// read once and written once: 88/64 = 1.375 or 104/64 = 1.625.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const double bytes = 2 * (parameters.get("ids") == "none" ? 44.0 : 52.0);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  /// Of one component there are twice as many if a file is loaded twice.
  [[nodiscard]] static std::size_t rows(const Parameters& parameters) {
    return parameters.entities * (parameters.get("what") == "twice" ? 2 : 1);
  }
  template <template <class> class Strategy>
  static constexpr bool has_its_handles = std::is_same_v<typename Strategy<ProbeSchema>::entity_type, Entity>;
  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters&) {
    return has_its_handles<Strategy> ? ""
                                     : "references in the file of this workload have the bits of the default handle";
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if constexpr (has_its_handles<Strategy>) {
      return make_case<SerializeCase<Strategy<SerializeSchema>>>(parameters);
    } else {
      return nullptr;  // never called: see obstacle()
    }
  }
};

}  // namespace stowage::workloads
