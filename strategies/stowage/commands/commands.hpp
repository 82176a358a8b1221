#pragma once

// Command buffers: structural changes that are written down while a loop runs, or by several threads, and made later.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/component_changes.hpp>
#include <stowage/parts/on_failure.hpp>

namespace stowage {

///     records_   [e7 emplace A #0 ->2] [e3 destroy] [e7 remove B] [new 0 create ->4] [new 0 emplace A #1] ...
///     values_    A: [ #0 ] [ #1 ]   B: ...                     what the records give, by component
///     last_      [ - ] ... [e3: 1] ... [e7: 2]                 entity index -> its last record, for the arrows
///
///     emplace, remove, destroy, create     append a record; the entity's last record points to it
///     apply      for the first record of each entity, in the order in which they were written: follow its arrows, and
///                make the sum of them at once: an entity moves once, however many components it gains and loses; a new
///                one is created with all that it gets
///
/// The sum needs a storage that has `change()`: sections, gaia. In all others nothing moves twice, there are no arrows,
/// and commands are made one by one in the order in which they were written.
///
/// An entity ends up with what its commands give one after the other. Commands for an entity that is not alive when
/// they are applied are skipped and counted, as are those behind its destruction.
///
/// A thread writes to Commands of its own. Storages may be read and looped over meanwhile, because nothing touches them
/// before apply(). One thread applies one buffer after the other, outside of loops. O(1) for each command, and what the
/// storage takes for each entity. A listener of the storage must not write to the buffer that is applied. Memory grows
/// with the most commands there were. If the storage has change(), each entity index up to the highest named takes 4
/// bytes more. Source: command buffers of Unity's entities, Bevy and flecs.
template <class Storage>
class Commands {
  using SchemaType = typename Storage::schema_type;
  template <class C>
  static constexpr std::size_t id = detail::component_id<C, SchemaType>;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr bool sums_up = requires(Storage& storage, typename Storage::entity_type entity) {
    storage.change(entity, ComponentChanges<SchemaType>{});
  };

 public:
  using entity_type = typename Storage::entity_type;

  /// An entity that apply() will create: for commands of the same buffer until then.
  class NewEntity {
    friend class Commands;
    explicit NewEntity(std::size_t number) noexcept : number_(static_cast<std::uint32_t>(number)) {}
    std::uint32_t number_;
  };

  struct Outcome {
    std::size_t made = 0;     ///< commands
    std::size_t skipped = 0;  ///< commands for entities that were not alive any more
  };

  /// summed_up: the changes of an entity are added up and made by one move, if the storage can. one_by_one: each
  /// command is made by itself.
  enum class Order : std::uint8_t { summed_up, one_by_one };

  template <class... Cs>
  NewEntity create(Cs&&... components) {
    begin();
    const NewEntity created(created_.size());
    parts::OnFailure undo([this, created, commands = records_.size()] {
      records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(commands), records_.end());
      if (last_of_new_.size() > created.number_) last_of_new_.pop_back();
      if (created_.size() > created.number_) created_.pop_back();
    });
    created_.push_back({});
    if constexpr (sums_up) last_of_new_.push_back(none);
    write(created, Kind::create, 0, 0);
    (emplace<std::remove_cvref_t<Cs>>(created, std::forward<Cs>(components)), ...);
    undo.release();
    return created;
  }
  /// `Target` is an entity or a NewEntity, here and below.
  template <class Target>
  void destroy(Target target) {
    write(target, Kind::destroy, 0, 0);
  }
  template <class C, class Target, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  void emplace(Target target, Arguments&&... arguments) {
    std::vector<Held<C>>& values = std::get<id<C>>(values_);
    values.push_back({detail::make<C>(std::forward<Arguments>(arguments)...)});
    write(target, Kind::emplace, id<C>, values.size() - 1);
  }
  template <class C, class Target>
    requires ComponentsOf<SchemaType, C>
  void remove(Target target) {
    write(target, Kind::remove, id<C>, 0);
  }

  /// Commands that wait.
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }

  /// Makes all commands. Then there are none, and their memory is kept for the next ones. If the storage throws, what
  /// was made before stays (with summed_up, all commands of an entity or none), and all others are lost.
  Outcome apply(Storage& storage, Order order = Order::summed_up) {
    const Applying applying(*this);
    Outcome outcome;
    if constexpr (sums_up) {
      if (order == Order::summed_up) {
        for (const Record& record : records_) {
          if (record.is_first) make_sum(storage, record, outcome);
        }
        return outcome;
      }
    }
    for (const Record& record : records_) make(storage, record, outcome);
    return outcome;
  }

  /// The entity that a NewEntity has become; null if the same batch destroyed it. Valid until the next command.
  [[nodiscard]] entity_type created(NewEntity created) const noexcept {
    STOWAGE_ASSERT(created.number_ < created_.size(),
                   "a NewEntity of this buffer is asked for before the next command");
    return created_[created.number_];
  }

  void clear() noexcept {
    records_.clear();
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) { std::get<id<C>>(values_).clear(); });
  }

  /// Index while commands wait, slack otherwise.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum{};
    const auto add = [&sum]<class T>(const std::vector<T>& array) {
      sum.index_bytes += array.size() * sizeof(T);
      sum.slack_bytes += (array.capacity() - array.size()) * sizeof(T);
      sum.allocations += array.capacity() != 0 ? 1 : 0;
    };
    add(records_);
    add(last_);
    add(last_of_new_);
    add(created_);
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) { add(std::get<id<C>>(values_)); });
    return sum;
  }

 private:
  enum class Kind : std::uint8_t { create, destroy, emplace, remove };
  struct Record {
    entity_type entity;    // null of a new one
    std::uint32_t number;  // of a new one
    std::uint32_t value;
    std::uint32_t next = none;  // command of the same entity
    std::uint16_t component;
    Kind kind;
    bool is_first = true;
  };
  /// Lies in memory by itself, even if it is a bool.
  template <class C>
  struct Held {
    C value;
  };
  template <class List>
  struct ValuesOf;
  template <class... Cs>
  struct ValuesOf<TypeList<Cs...>> {
    using type = std::tuple<std::vector<Held<Cs>>...>;
  };
  struct Applying {
    Commands& commands;

    explicit Applying(Commands& applied) noexcept : commands(applied) {
      if constexpr (STOWAGE_ASSERTS) commands.is_applied_ = true;
    }
    Applying(const Applying&) = delete;
    Applying& operator=(const Applying&) = delete;
    ~Applying() {
      commands.clear();
      if constexpr (STOWAGE_ASSERTS) commands.is_applied_ = false;
    }
  };

  /// The first command of a batch forgets what the batch before it created.
  void begin() noexcept {
    if (!records_.empty()) return;
    created_.clear();
    last_of_new_.clear();
  }
  void write(entity_type entity, Kind kind, std::size_t component, std::size_t value) {
    begin();
    if constexpr (sums_up) {  // first: what throws is no command
      if (!entity.is_null() && entity.index() >= last_.size()) last_.resize(entity.index() + std::size_t{1}, none);
    }
    Record& record = append(entity, none, kind, component, value);
    if constexpr (sums_up) {
      if (!entity.is_null()) point_to(record, last_[entity.index()]);
    }
  }
  void write(NewEntity created, Kind kind, std::size_t component, std::size_t value) {
    STOWAGE_ASSERT(created.number_ < created_.size() && (kind == Kind::create || !records_.empty()),
                   "a NewEntity is for commands of the same buffer until these are applied: then see created()");
    Record& record = append({}, created.number_, kind, component, value);
    if constexpr (sums_up) point_to(record, last_of_new_[created.number_]);
  }
  Record& append(entity_type entity, std::uint32_t number, Kind kind, std::size_t component, std::size_t value) {
    STOWAGE_ASSERT(!is_applied_, "no commands may be written to a buffer that is being applied");
    return records_.emplace_back(Record{.entity = entity,
                                        .number = number,
                                        .value = static_cast<std::uint32_t>(value),
                                        .component = static_cast<std::uint16_t>(component),
                                        .kind = kind});
  }
  /// `last` may be from an earlier batch or another life of the index; then the record there is of another entity.
  void point_to(Record& record, std::uint32_t& last) {
    const auto position = static_cast<std::uint32_t>(&record - records_.data());
    if (last < position && records_[last].entity == record.entity && records_[last].number == record.number) {
      record.is_first = false;
      records_[last].next = position;
    }
    last = position;
  }

  void make(Storage& storage, const Record& record, Outcome& outcome) {
    entity_type entity = record.entity;
    if (record.number != none) {
      if (record.kind == Kind::create) created_[record.number] = storage.create();
      entity = created_[record.number];
    }
    if (!storage.alive(entity)) {
      ++outcome.skipped;
      return;
    }
    if (record.kind == Kind::destroy) {
      storage.destroy(entity);
      if (record.number != none) created_[record.number] = {};
    } else if (record.kind != Kind::create) {
      with_component_of(record, [&]<class C>(TypeList<C>) {
        if (record.kind == Kind::remove) {
          storage.template remove<C>(entity);
        } else {
          storage.template emplace<C>(entity, std::move(std::get<id<C>>(values_)[record.value].value));
        }
      });
    }
    ++outcome.made;
  }

  /// All commands of an entity, by one change.
  void make_sum(Storage& storage, const Record& first, Outcome& outcome) {
    if (first.next == none) return make(storage, first, outcome);
    const bool is_new = first.number != none;
    const bool is_known = is_new || storage.alive(first.entity);
    ComponentChanges<SchemaType> changes;
    bool ends = !is_known;
    for (const Record* record = &first;; record = &records_[record->next]) {
      ++(ends ? outcome.skipped : outcome.made);
      ends |= record->kind == Kind::destroy;
      if (record->kind == Kind::emplace) {
        changes.add(record->component, value_of(*record));
      } else if (record->kind == Kind::remove) {
        changes.remove(record->component);
      }
      if (record->next == none) break;
    }
    if (!is_known || (is_new && ends)) return;
    if (ends) {
      storage.destroy(first.entity);
    } else if (is_new) {
      created_[first.number] = create_with(storage, changes);
    } else {
      storage.change(first.entity, changes);
    }
  }

  [[nodiscard]] void* value_of(const Record& record) {
    void* value = nullptr;
    with_component_of(
        record, [&]<class C>(TypeList<C>) { value = std::addressof(std::get<id<C>>(values_)[record.value].value); });
    return value;
  }

  [[nodiscard]] static entity_type create_with(Storage& storage, const ComponentChanges<SchemaType>& changes) {
    entity_type created;
    if constexpr (requires(ComponentColumns<SchemaType> columns) { storage.create(std::span(&created, 1), columns); }) {
      ComponentColumns<SchemaType> columns(1);
      detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
        if (changes.added().has(id<C>)) columns.template add<C>(std::span<C>(changes.template value<C>(), 1));
      });
      storage.create(std::span(&created, 1), columns);
    } else {
      created = storage.create();
      parts::OnFailure undo([&] { storage.destroy(created); });
      storage.change(created, changes);
      undo.release();
    }
    return created;
  }

  /// A chain of comparisons, of which the compiler makes a table of jumps.
  template <class Function>
  static void with_component_of(const Record& record, Function&& function) {
    [&]<class... Cs>(TypeList<Cs...>) {
      bool is_found = false;
      static_cast<void>(std::initializer_list<bool>{
          (is_found = is_found || (record.component == id<Cs> && (function(TypeList<Cs>{}), true)))...});
    }(typename SchemaType::components{});
  }

  std::vector<Record> records_;
  typename ValuesOf<typename SchemaType::components>::type values_;
  std::vector<std::uint32_t> last_;
  std::vector<std::uint32_t> last_of_new_;
  std::vector<entity_type> created_;
  bool is_applied_ = false;
};

}  // namespace stowage
