#pragma once

// Workload: what it costs that a program has 300 component types, in systems over two and when entities end.

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard wide_card{
    .name = "wide",
    .setup =
        "a world of `types` component types of 4 bytes, of which entities have 8 (types:8) or 25, spread over the "
        "list; n entities of 200 kinds, of which a few are common and most rare, with 2 to 5 components each, gained "
        "one by one, so that most component sets are empty in the end; do:destroy made anew before every pass, systems "
        "once, with all values anew before every pass",
    .measured =
        "do:10_systems, do:100_systems one pass of so many systems: each a loop over two components, one added to the "
        "other. There are 20 loops, which 100 systems run five times each; do:destroy the end of 3/8 of the entities, "
        "one by one in a shuffle",
    .item = "system, or entity destroyed",
    .checksum = "hash(bits of each component) by type, and which entities were destroyed and are alive afterwards",
    .favours =
        "designs in which a type that an entity lacks costs nothing: sections whose columns are walked one by one",
    .disadvantages = "pools that are all asked when an entity ends, and records with a place for every type",
    .floor =
        "none for systems, which visit other numbers of rows with each seed; do:destroy: 1/8 line of the list of "
        "handles and a line with the generation",
    .smallest_entities = 1024,
    .sizes = {16 * 1024, 1024},
};

template <std::size_t I>
struct Field {
  float value = 0;
};

/// A world of so many types. What entities have are every `apart`-th of them.
template <std::size_t Types>
struct WideWorld {
  static constexpr std::size_t used = Types < 25 ? Types : 25;
  static constexpr std::size_t apart = Types / used;
  /// The first of those: systems read them, and write the others.
  static constexpr std::size_t hot = used < 25 ? 3 : 5;
  static constexpr std::size_t loops = 20;

  template <class Numbers>
  struct SchemaOf;
  template <std::size_t... Is>
  struct SchemaOf<std::index_sequence<Is...>> : Schema<Field<Is>...> {};
  /// A type of its own, so that the names of functions do not contain those of all components.
  struct schema : SchemaOf<std::make_index_sequence<Types>> {};

  template <std::size_t Use>
  using field = Field<Use * apart>;
  [[nodiscard]] static constexpr std::size_t written_by(std::size_t loop) noexcept { return hot + loop % (used - hot); }
  [[nodiscard]] static constexpr std::size_t read_by(std::size_t loop) noexcept { return loop % hot; }
};

/// Which entities there are, what they have, and which of them go: drawn in the same order for all.
class WidePlan {
 public:
  static constexpr std::size_t kinds = 200;
  /// The components of a kind, by use, in the order in which an entity gains them.
  using Kind = Array<std::size_t>;

  template <std::size_t Types>
  WidePlan(WideWorld<Types> /*world*/, const Parameters& parameters)
      : systems_(parameters.get("do") == "10_systems"    ? 10
                 : parameters.get("do") == "100_systems" ? 100
                                                         : 0) {
    using World = WideWorld<Types>;
    Random random(parameters.seed);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      std::array<bool, World::used> has{};
      for (int i = 0; i < 2; ++i) {
        const std::size_t loop = random.below(World::loops);
        has[World::written_by(loop)] = has[World::read_by(loop)] = true;
      }
      has[random.below(World::used)] = true;
      Kind& uses = kinds_.emplace_back();
      for (std::size_t use = 0; use < World::used; ++use) {
        if (has[use]) uses.push_back(use);
      }
    }
    // of the k-th kind there are as many as 1/k of the first
    double sum = 0;
    for (std::size_t kind = 0; kind < kinds; ++kind) sum += 1.0 / static_cast<double>(kind + 1);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const double share = 1.0 / static_cast<double>(kind + 1) / sum;
      const auto count = static_cast<std::size_t>(share * static_cast<double>(parameters.entities));
      kind_of_.insert(kind_of_.end(), count, static_cast<std::uint32_t>(kind));
    }
    kind_of_.resize(parameters.entities, 0);
    random.shuffle(kind_of_);
    doomed_ = random.permutation(parameters.entities);
    doomed_.resize(std::max<std::size_t>(parameters.entities * 3 / 8, 1));
  }

  [[nodiscard]] std::size_t size() const noexcept { return kind_of_.size(); }
  /// None if entities are to be destroyed.
  [[nodiscard]] std::size_t systems() const noexcept { return systems_; }
  [[nodiscard]] const Array<std::uint32_t>& doomed() const noexcept { return doomed_; }
  [[nodiscard]] std::uint64_t items() const noexcept { return systems_ != 0 ? systems_ : doomed_.size(); }
  [[nodiscard]] const Array<Kind>& all_kinds() const noexcept { return kinds_; }
  [[nodiscard]] std::size_t kind_number(std::size_t ordinal) const noexcept { return kind_of_[ordinal]; }
  [[nodiscard]] const Kind& kind(std::size_t ordinal) const noexcept { return kinds_[kind_of_[ordinal]]; }
  [[nodiscard]] static float value(std::size_t ordinal, std::size_t use) noexcept {
    return static_cast<float>(ordinal % 4096 + 4096 * (use + 1)) / 1024.0f;
  }

 private:
  std::size_t systems_;
  Array<Kind> kinds_;
  Array<std::uint32_t> kind_of_;
  Array<std::uint32_t> doomed_;
};

template <std::size_t Types, class Storage>
class WideCase {
  using World = WideWorld<Types>;
  using Handle = typename Storage::entity_type;

 public:
  static constexpr bool repeatable = false;

  explicit WideCase(const Parameters& parameters)
      : plan_(World{}, parameters), handles_(plan_.size()), doomed_(plan_.doomed().size()) {}

  /// Systems need no new entities: emplace() replaces what they wrote. A storage that gives up empty component sets, as
  /// gaia-ecs does, would otherwise look for those of each system again, inside the clock.
  void prepare() {
    const bool makes_entities = plan_.systems() == 0 || storage_.size() == 0;
    if (makes_entities) end_all(storage_);
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (makes_entities) handles_[i] = storage_.create();
      for (const std::size_t use : plan_.kind(i)) give[use](storage_, handles_[i], WidePlan::value(i, use));
    }
    for (std::size_t i = 0; i < doomed_.size(); ++i) doomed_[i] = handles_[plan_.doomed()[i]];
    destroyed_ = 0;
  }

  void run() {
    for (std::size_t i = 0; i < plan_.systems(); ++i) systems[i % World::loops](storage_);
    if (plan_.systems() == 0) {
      for (const Handle entity : doomed_) destroyed_ += storage_.destroy(entity) ? 1 : 0;
      collect_all(storage_);
    }
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return plan_.items(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    sum.add(destroyed_, storage_.size());
    for (std::size_t i = 0; i < handles_.size(); ++i) sum.add(i, storage_.alive(handles_[i]) ? 1 : 0);
    stowage::detail::for_each_index<World::used>([&](auto use) {
      using C = typename World::template field<use>;
      storage_.template each<const C>([&](const C& field) { sum.add_floats(use, field.value); });
    });
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear() { storage_.clear(); }

 private:
  template <std::size_t Use>
  static void give_one(Storage& storage, Handle entity, float value) {
    storage.template emplace<typename World::template field<Use>>(entity, value);
  }
  template <std::size_t Loop>
  static void run_loop(Storage& storage) {
    using Written = typename World::template field<World::written_by(Loop)>;
    using Read = typename World::template field<World::read_by(Loop)>;
    storage.template each<Written, const Read>([](Written& to, const Read& from) { to.value += from.value; });
  }
  static constexpr auto give = []<std::size_t... Uses>(std::index_sequence<Uses...>) {
    return std::array{&give_one<Uses>...};
  }(std::make_index_sequence<World::used>{});
  static constexpr auto systems = []<std::size_t... Loops>(std::index_sequence<Loops...>) {
    return std::array{&run_loop<Loops>...};
  }(std::make_index_sequence<World::loops>{});

  WidePlan plan_;
  Array<Handle> handles_;
  Array<Handle> doomed_;
  Storage storage_;
  std::size_t destroyed_ = 0;
};

/// What the hand-written forms have in common: handles, and what is alive of them.
template <std::size_t Types>
class WideFloor {
 public:
  static constexpr bool repeatable = false;

  [[nodiscard]] std::uint64_t items() const { return plan_.items(); }

 protected:
  using World = WideWorld<Types>;

  explicit WideFloor(const Parameters& parameters)
      : plan_(World{}, parameters), handles_(plan_.size()), doomed_(plan_.doomed().size()) {}

  /// Calls `add(ordinal)`, which gives an entity its rows and says where they are.
  template <class Add>
  void fill(Add&& add) {
    slots_.end_all();
    for (std::size_t i = 0; i < plan_.size(); ++i) handles_[i] = slots_.add(add(i));
    for (std::size_t i = 0; i < doomed_.size(); ++i) doomed_[i] = handles_[plan_.doomed()[i]];
    destroyed_ = 0;
    size_ = plan_.size();
  }
  /// Calls `end(index, place)` for each entity that is to go, if it is alive.
  template <class End>
  void destroy_doomed(End&& end) {
    for (const Entity entity : doomed_) {
      const std::uint32_t place = slots_.find(entity);
      if (place == SlotTable<>::none) continue;
      end(entity.index(), place);
      slots_.remove(entity);
      ++destroyed_;
    }
    size_ -= destroyed_;
  }
  [[nodiscard]] Checksum lives() const {
    Checksum sum;
    sum.add(destroyed_, size_);
    for (std::size_t i = 0; i < handles_.size(); ++i) sum.add(i, is_alive(i) ? 1 : 0);
    return sum;
  }
  /// An entity's index is its ordinal.
  [[nodiscard]] bool is_alive(std::size_t ordinal) const { return slots_.alive(handles_[ordinal]); }
  /// Of the slots, in so many bytes that the rows hold.
  [[nodiscard]] MemoryBreakdown memory_with(std::size_t payload, std::size_t owners, std::size_t held,
                                            std::size_t blocks) const {
    return {.payload_bytes = payload,
            .index_bytes = slots_.used_bytes() + owners,
            .slack_bytes = held + slots_.held_bytes() - slots_.used_bytes() - payload - owners,
            .allocations = blocks + slots_.allocations()};
  }

  WidePlan plan_;
  SlotTable<> slots_;

 private:
  Array<Entity> handles_;
  Array<Entity> doomed_;
  std::size_t destroyed_ = 0;
  std::size_t size_ = 0;
};

/// A table for each kind, and for each loop the list of tables that it goes through. If rows are not `Packed`, those of
/// the dead stay where they are.
template <std::size_t Types, bool Packed>
class WideTables : public WideFloor<Types> {
  using Base = WideFloor<Types>;
  using typename Base::World;
  static constexpr unsigned row_bits = 24;

  struct Table {
    WidePlan::Kind uses;
    Array<StoredArray<float>> columns;
    StoredArray<std::uint32_t> owners;

    [[nodiscard]] std::size_t column_of(std::size_t use) const {
      return static_cast<std::size_t>(std::ranges::find(uses, use) - uses.begin());
    }
  };
  struct Visit {
    Table* table;
    std::size_t to, from;
  };

 public:
  explicit WideTables(const Parameters& parameters) : Base(parameters) {
    for (const WidePlan::Kind& uses : this->plan_.all_kinds()) {
      const auto same = std::ranges::find(tables_, uses, &Table::uses);
      number_of_kind_.push_back(static_cast<std::uint32_t>(same - tables_.begin()));
      if (same == tables_.end()) tables_.push_back({uses, Array<StoredArray<float>>(uses.size()), {}});
    }
    for (std::size_t loop = 0; loop < World::loops; ++loop) {
      for (Table& table : tables_) {
        const std::size_t to = table.column_of(World::written_by(loop));
        const std::size_t from = table.column_of(World::read_by(loop));
        if (std::max(to, from) < table.uses.size()) visits_[loop].push_back({&table, to, from});
      }
    }
  }

  void prepare() {
    for (Table& table : tables_) {
      table.owners.clear();
      for (StoredArray<float>& column : table.columns) column.clear();
    }
    this->fill([&](std::size_t i) {
      const std::size_t number = number_of_kind_[this->plan_.kind_number(i)];
      Table& table = tables_[number];
      const std::size_t row = table.owners.size();
      table.owners.push_back(static_cast<std::uint32_t>(i));
      for (std::size_t c = 0; c < table.uses.size(); ++c) {
        table.columns[c].push_back(WidePlan::value(i, table.uses[c]));
      }
      return static_cast<std::uint32_t>(number << row_bits | row);
    });
  }

  void run() {
    for (std::size_t i = 0; i < this->plan_.systems(); ++i) {
      for (const Visit& visit : visits_[i % World::loops]) {
        float* const to = visit.table->columns[visit.to].data();
        const float* const from = visit.table->columns[visit.from].data();
        const std::size_t rows = visit.table->owners.size();
        for (std::size_t row = 0; row < rows; ++row) to[row] += from[row];
      }
    }
    if (this->plan_.systems() == 0) {
      this->destroy_doomed([&](std::uint32_t, std::uint32_t place) {
        if constexpr (!Packed) return;
        Table& table = tables_[place >> row_bits];
        const std::size_t row = place & ((1u << row_bits) - 1);
        for (StoredArray<float>& column : table.columns) {
          column[row] = column.back();
          column.pop_back();
        }
        const std::uint32_t moved = table.owners[row] = table.owners.back();
        table.owners.pop_back();
        this->slots_.set_place(moved, place);  // its own, if it was the last: it is about to end
      });
    }
    keep(tables_);
  }

  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum = this->lives();
    for (const Table& table : tables_) {
      for (std::size_t row = 0; row < table.owners.size(); ++row) {
        if (!this->is_alive(table.owners[row])) continue;
        for (std::size_t c = 0; c < table.uses.size(); ++c) sum.add_floats(table.uses[c], table.columns[c][row]);
      }
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    std::size_t payload = 0, owners = 0, held = 0, blocks = 0;
    const auto add = [&](const auto& column, std::size_t& bytes) {
      bytes += column.size() * 4;
      held += column.capacity() * 4;
      blocks += column.capacity() != 0 ? 1 : 0;
    };
    for (const Table& table : tables_) {
      add(table.owners, owners);
      for (const StoredArray<float>& column : table.columns) add(column, payload);
      if constexpr (Packed) continue;
      for (const std::uint32_t owner : table.owners) payload -= this->is_alive(owner) ? 0 : table.uses.size() * 4;
    }
    return this->memory_with(payload, owners, held, blocks);
  }

 private:
  Array<std::uint32_t> number_of_kind_;  // of its table
  Array<Table> tables_;
  std::array<Array<Visit>, World::loops> visits_;
};

/// The contract floor of pools: a packed array for each component, a map to its rows, and for each entity the bits of
/// what it has.
template <std::size_t Types>
class WidePools : public WideFloor<Types> {
  using Base = WideFloor<Types>;
  using typename Base::World;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct Pool {
    StoredArray<float> values;
    StoredArray<std::uint32_t> owners;
    StoredArray<std::uint32_t> rows;  ///< by owner
  };

 public:
  explicit WidePools(const Parameters& parameters) : Base(parameters), has_(this->plan_.size()) {}

  void prepare() {
    for (Pool& pool : pools_) {
      pool.values.clear();
      pool.owners.clear();
      pool.rows.assign(this->plan_.size(), none);
    }
    this->fill([&](std::size_t i) {
      has_[i] = 0;
      for (const std::size_t use : this->plan_.kind(i)) {
        Pool& pool = pools_[use];
        pool.rows[i] = static_cast<std::uint32_t>(pool.values.size());
        pool.values.push_back(WidePlan::value(i, use));
        pool.owners.push_back(static_cast<std::uint32_t>(i));
        has_[i] |= 1u << use;
      }
      return std::uint32_t{0};
    });
  }

  void run() {
    for (std::size_t i = 0; i < this->plan_.systems(); ++i) {
      run_loop(pools_[World::written_by(i % World::loops)], pools_[World::read_by(i % World::loops)]);
    }
    if (this->plan_.systems() == 0) {
      this->destroy_doomed([&](std::uint32_t index, std::uint32_t) {
        for (std::uint32_t left = has_[index]; left != 0; left &= left - 1) {
          erase(pools_[static_cast<std::size_t>(std::countr_zero(left))], index);
        }
      });
    }
    keep(pools_);
  }

  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum = this->lives();
    for (std::size_t use = 0; use < World::used; ++use) {
      for (const float value : pools_[use].values) sum.add_floats(use, value);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    std::size_t payload = 0, index = has_.size() * 4, held = has_.capacity() * 4, blocks = 1;
    for (const Pool& pool : pools_) {
      payload += pool.values.size() * 4;
      index += (pool.owners.size() + pool.values.size()) * 4;
      held += (pool.values.capacity() + pool.owners.capacity() + pool.rows.capacity()) * 4;
      blocks += (pool.values.capacity() != 0 ? 1 : 0) + (pool.owners.capacity() != 0 ? 1 : 0) + 1;
    }
    return this->memory_with(payload, index, held, blocks);
  }

 private:
  /// Along the rows of the rarer component.
  static void run_loop(Pool& to, const Pool& from) {
    if (to.values.size() <= from.values.size()) {
      for (std::size_t row = 0; row < to.values.size(); ++row) {
        const std::uint32_t other = from.rows[to.owners[row]];
        if (other != none) to.values[row] += from.values[other];
      }
    } else {
      for (std::size_t row = 0; row < from.values.size(); ++row) {
        const std::uint32_t other = to.rows[from.owners[row]];
        if (other != none) to.values[other] += from.values[row];
      }
    }
  }
  static void erase(Pool& pool, std::uint32_t index) {
    const std::uint32_t row = std::exchange(pool.rows[index], none);
    const std::uint32_t moved = pool.owners.back();
    pool.values[row] = pool.values.back();
    pool.values.pop_back();
    pool.owners[row] = moved;
    pool.owners.pop_back();
    if (moved != index) pool.rows[moved] = row;
  }

  std::array<Pool, World::used> pools_;
  StoredArray<std::uint32_t> has_;
};

struct Wide {
  static constexpr const WorkloadCard& card = wide_card;
  static constexpr std::array needs{Capability::structural_change};
  /// In a wide world the forms of a strategy do not differ, unless its types are known at run time only, or it has two
  /// bytes instead of four for each type that an entity could have (offset_table.16bit).
  template <class Storage>
  static constexpr bool tells_forms_apart = requires(const Storage& storage) { storage.type_count(); } || [] {
    if constexpr (requires { Storage::row_limit; }) return Storage::row_limit < 0xffff + 1;
    return false;
  }();

  template <class Name, template <std::size_t> class Case>
  struct ForTypes : Name {
    [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
      return with_number<8, 300>(parameters.get("types"),
                                 [&](auto types) { return make_case<Case<types>>(parameters); });
    }
  };
  template <std::size_t Types>
  using Unpacked = WideTables<Types, false>;
  template <std::size_t Types>
  using Packed = WideTables<Types, true>;
  /// The floor is tables as in sections, in which the rows of destroyed entities stay.
  using References =
      TypeList<ForTypes<FloorName, Unpacked>, ForTypes<StoreName, WidePools>, ForTypes<SectionsName, Packed>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"do", {"10_systems", "100_systems", "destroy"}, {"100_systems", "destroy"}},
            {"types", {"8", "300"}, {"300"}}};
  }
  /// As in `destroy`, in a shuffle: 8/64 of a handle, and a generation in a line of its own.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    if (parameters.get("do") != "destroy") return {};
    constexpr std::size_t generation_bytes = sizeof(EntityIndex);
    return {
        .lines_per_item = lines.in_sequence(sizeof(Entity)) + lines.touched({{0, generation_bytes}}, generation_bytes),
        .bytes_per_item = sizeof(Entity) + generation_bytes};
  }
  /// An adapter says how many component types its library knows, if that is few.
  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters& parameters) {
    using Storage = Strategy<ProbeSchema>;
    if constexpr (requires { Storage::most_component_types; }) {
      constexpr std::size_t most = Storage::most_component_types;
      if (parameters.get("types") == "300" && most < 300)
        return "not offered: the library has no more than " + std::to_string(most) + " component types";
    }
    return {};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_number<8, 300>(parameters.get("types"), [&](auto types) {
      return make_case<WideCase<types, Strategy<typename WideWorld<types>::schema>>>(parameters);
    });
  }
};

}  // namespace stowage::workloads
