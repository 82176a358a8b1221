#pragma once

// Random work for a storage and the model beside it: for `stowage verify`, --storage, the tests and the fuzzer.

#include <exception>
#include <map>

#include <stowage/commands/commands.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/type_list.hpp>

#include "workloads/support/random.hpp"
#include "workloads/verify/reference_model.hpp"

namespace stowage::workloads::verify {

/// `Alignment` is that of the over-aligned component: 16 for a storage that lacks over_alignment.
template <std::size_t Alignment>
using ModelSchemaWith = Schema<Group<Changed<Position>, Unique, WideOf<Alignment>>, Sparse<Toggled<Changed<Frozen>>>,
                               Sparse<Toggled<Changed<Large>>>>;
using ModelSchema = ModelSchemaWith<64>;

// ---- work

enum class Kind : std::uint8_t {
  create_empty,
  create_group,    // Position, Unique, WideOf: a complete group
  create_partial,  // Unique, Large: part of the group and something else
  create_bulk,     // up to 64 entities with Position, Large, Frozen
  destroy,
  destroy_stale,  // a handle whose entity is gone
  emplace,        // component `pick % 5`
  remove,         // component `pick % 5`
  look_up,
  clear,
  audit,
  collect,      // if rows outlive their entities
  batch,        // `pick % 32` commands, drawn from `value`, for entities old, new and dead
  toggle,       // Large or Frozen, on or off by `value`, if the storage can
  change_list,  // up to 32 entities, old, new and dead, are destroyed, or gain or lose a component
  write,        // through find() or a loop; then what has changed since a tick is looked at, if the storage records it
  count_of_kinds
};
inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::count_of_kinds);
[[nodiscard]] const char* name_of(Kind kind) noexcept;

struct Operation {
  Kind kind = Kind::audit;
  std::uint32_t pick = 0;   ///< which entity, reduced modulo how many there are
  std::uint32_t value = 0;  ///< what components are made of
};

/// `count` operations from `seed`, in waves of growth to thousands of entities and decline to a handful, so that every
/// growth step and section boundary is crossed both ways.
[[nodiscard]] std::vector<Operation> random_operations(std::uint64_t seed, std::size_t count);

/// One operation per 9 bytes of a fuzzer's input.
[[nodiscard]] std::vector<Operation> decode_operations(const std::uint8_t* bytes, std::size_t size);

/// The mismatch with the operation that showed it: "... after operation 8123 of 20000, remove (pick 57, value 12)".
[[nodiscard]] std::string describe(const Mismatch& mismatch, const std::vector<Operation>& operations,
                                   std::size_t position);

template <std::size_t Alignment>
struct Audited<ModelSchemaWith<Alignment>> {
  using Wide = WideOf<Alignment>;
  using rows = TypeList<TypeList<Position>, TypeList<Unique, Wide>, TypeList<Position, Unique, Wide>,
                        TypeList<Large, Unique>, TypeList<Frozen, Large>>;
  using blocks = TypeList<TypeList<Position, Large>>;
  using filtered = TypeList<TypeList<const Position, With<Frozen>>, TypeList<Without<Wide>, const Position>,
                            TypeList<const Unique, Optional<const Position>, Optional<const Large>, Without<Frozen>>,
                            TypeList<With<Large>, With<Unique>, Without<Position>>>;
};

/// Gives a storage and the roster beside it the same work, and compares all that can be seen of the storage.
template <class Storage>
class ModelRun {
  using SchemaType = typename Storage::schema_type;
  static constexpr std::size_t components = SchemaType::component_count;
  using Wide = stowage::detail::element_at<2, typename SchemaType::components>;

 public:
  void apply(const Operation& operation) {
    const std::uint32_t value = operation.value;
    switch (operation.kind) {
      case Kind::create_empty:
        roster_.template create<>(value);
        return;
      case Kind::create_group:
        create_group(value, typename SchemaType::groups{});
        return;
      case Kind::create_partial:
        roster_.template create<Unique, Large>(value);
        return;
      case Kind::create_bulk:
        return create_bulk(operation.pick % 65, value);
      case Kind::destroy:
        return at_living(operation.pick, [&](std::size_t ordinal) { roster_.destroy(ordinal); });
      case Kind::destroy_stale:
        return destroy_stale(operation.pick);
      case Kind::emplace:
        return emplace(operation);
      case Kind::remove:
        return remove(operation);
      case Kind::look_up:
        if (roster_.created() != 0) look_up(operation.pick % roster_.created());
        return;
      case Kind::clear:
        roster_.clear();
        return audit();
      case Kind::audit:
        return audit();
      case Kind::collect:
        return collect(operation.pick);
      case Kind::batch:
        return batch(operation.pick % 32, value);
      case Kind::change_list:
        return change_list(operation.pick, value);
      case Kind::toggle:
        return value % 2 == 0 ? toggle<Large>(operation.pick, value) : toggle<Frozen>(operation.pick, value);
      case Kind::write:
        if constexpr (RecordsChanges<Storage, Position>) write(operation.pick, value);
        return;
      case Kind::count_of_kinds:
        return;
    }
  }

  /// Everything that can be seen: every handle ever given, every count, every iteration.
  void audit() {
    roster_.check();
    roster_.check_filters();
    // what the dead have left may be there until it is collected
    const auto wanted = static_cast<std::ptrdiff_t>(roster_.template holders<Unique>());
    require(Unique::living >= wanted, "components of the living are destroyed");
    require(Unique::living == wanted || !Storage::semantics.immediate_destruction.kept,
            "constructors and destructors are not balanced");
  }

  [[nodiscard]] const Storage& storage() const noexcept { return roster_.storage; }

 private:
  template <class... Cs, class... Others>
  void create_group(std::uint32_t value, TypeList<TypeList<Cs...>, Others...>) {
    roster_.template create<Cs...>(value);
  }

  void create_bulk(std::uint32_t count, std::uint32_t value) {
    if constexpr (offers<Storage, Capability::bulk_creation>) {
      roster_.template create_many<Position, Large, Frozen>(count, value);
    } else {
      for (std::uint32_t i = 0; i < count; ++i) roster_.template create<Position, Large, Frozen>(value + i);
    }
  }

  void destroy_stale(std::uint32_t pick) {
    if (roster_.created() == 0 || roster_.entry(pick % roster_.created()).alive) return;
    const auto stale = roster_[pick % roster_.created()];
    require(!roster_.storage.destroy(stale), "destroy() accepted a stale handle");
    if constexpr (offers<Storage, Capability::structural_change>) {
      require(!roster_.storage.template remove<Position>(stale), "remove() accepted a stale handle");
      require_throws<DeadEntity>([&] { roster_.storage.template emplace<Position>(stale, made_of<Position>(1)); },
                                 "emplace() accepted a stale handle");
    }
  }

  void emplace(const Operation& operation) {
    if constexpr (offers<Storage, Capability::structural_change>) {
      at_living(operation.pick, [&](std::size_t ordinal) {
        with_component(operation.pick,
                       [&]<class C>(TypeList<C>) { roster_.template emplace<C>(ordinal, operation.value); });
      });
    }
  }
  void remove(const Operation& operation) {
    if constexpr (offers<Storage, Capability::structural_change>) {
      at_living(operation.pick, [&](std::size_t ordinal) {
        with_component(operation.pick, [&]<class C>(TypeList<C>) { roster_.template remove<C>(ordinal); });
      });
    }
  }

  /// Up to 32 ordinals, `step` apart. None twice, and none whose handle has come back.
  [[nodiscard]] std::vector<std::size_t> ordinals_from(std::uint32_t pick, std::size_t step) const {
    std::vector<std::size_t> ordinals;
    for (std::size_t i = 0; i <= pick % 32; ++i) {
      const std::size_t ordinal = (pick / 32 + i * step) % roster_.created();
      const bool has_come_back = roster_.ordinal_of(roster_[ordinal]) != ordinal;
      if (!has_come_back && std::ranges::find(ordinals, ordinal) == ordinals.end()) ordinals.push_back(ordinal);
    }
    return ordinals;
  }
  /// In the order of their creation, or in another.
  void change_list(std::uint32_t pick, std::uint32_t value) {
    if (roster_.created() == 0) return;
    const std::vector<std::size_t> ordinals = ordinals_from(pick, value % 2 == 0 ? 1 : 7919);
    std::vector<typename Storage::entity_type> handles;
    for (const std::size_t ordinal : ordinals) handles.push_back(roster_[ordinal]);
    const std::span<const typename Storage::entity_type> list(handles);
    const auto count_if = [&](auto&& wanted) {
      return static_cast<std::size_t>(std::ranges::count_if(ordinals, wanted));
    };
    const auto is_alive = [&](std::size_t ordinal) { return roster_.entry(ordinal).alive; };
    if (value / 2 % 4 == 0) {
      const std::size_t alive = count_if(is_alive);
      require(destroy_all(roster_.storage, list) == alive, "destroy_all() says another number");
      for (const std::size_t ordinal : ordinals) {
        if (is_alive(ordinal)) roster_.forget(ordinal);
      }
    } else if constexpr (offers<Storage, Capability::structural_change>) {
      const auto change = [&]<class C>(TypeList<C>) {
        if (value % 3 == 0) {
          const auto has = [&](std::size_t ordinal) {
            return roster_.entry(ordinal).numbers[roster_.template id<C>].has_value();
          };
          const std::size_t owners = count_if(has);
          require(remove_all<C>(roster_.storage, list) == owners, "remove_all() says another number");
        } else {
          std::vector<C> components;
          for (std::uint32_t i = 0; i < list.size(); ++i) components.push_back(made_of<C>(value + i));
          require(emplace_all<C>(roster_.storage, list, std::span<const C>(components)) == count_if(is_alive),
                  "emplace_all() says another number");
        }
        for (std::uint32_t i = 0; i < list.size(); ++i) {
          if (!is_alive(ordinals[i])) continue;
          roster_.template note_component<C>(ordinals[i],
                                             value % 3 == 0 ? std::nullopt : std::optional<std::uint32_t>(value + i));
        }
      };
      if (value % 5 < 2) change(TypeList<Position>{});
      if (value % 5 == 2) change(TypeList<Frozen>{});
      if (value % 5 > 2) change(TypeList<Large>{});
    }
    for (const std::size_t ordinal : ordinals) look_up(ordinal);
  }

  /// Of any entity that there was: what it does not have cannot be switched.
  template <class C>
  void toggle(std::uint32_t pick, std::uint32_t value) {
    if constexpr (toggles<Storage, C>) {
      if (roster_.created() == 0) return;
      const std::size_t any = pick % roster_.created();
      const std::size_t ordinal =
          value % 8 < 2 || roster_.living() == 0 ? any : roster_.nth_living(any % roster_.living());
      if (roster_.ordinal_of(roster_[ordinal]) != ordinal) return;  // its handle has come back
      const bool on = value / 2 % 3 == 0;
      const auto set = [&] { roster_.storage.template set_enabled<C>(roster_[ordinal], on); };
      const auto& entry = roster_.entry(ordinal);
      if (!entry.alive) {
        require_throws<DeadEntity>(set, "set_enabled() accepted a stale handle");
      } else if (!entry.numbers[roster_.template id<C>].has_value()) {
        require_throws<MissingComponent>(set, "set_enabled() accepted an entity without the component");
      } else {
        set();
        roster_.template note_enabled<C>(ordinal, on);
      }
      roster_.check_entity(ordinal);
    }
  }

  /// Access that is not const, through each form that gives it. Values stay what they are.
  void write(std::uint32_t pick, std::uint32_t value) {
    if (value % 4 == 0) roster_.next_tick();
    auto& storage = roster_.storage;
    // notes what a loop visits; of it, all of Cs may have been written
    const auto noted = [this]<class... Cs>(TypeList<Cs...>) {
      return [this](typename Storage::entity_type handle, const auto&...) {
        roster_.template note_writes<Cs...>(roster_.ordinal_of(handle));
      };
    };
    switch (value / 4 % 32) {
      case 0:
        storage.template each<Position>(noted(TypeList<Position>{}));
        break;
      case 1:
        storage.template each<Large, const Position, Frozen>(noted(TypeList<Large, Frozen>{}));
        break;
      case 2:
        storage.template each<With<Unique>, Optional<Position>, Without<Large>>(noted(TypeList<Position>{}));
        break;
      case 3:
        storage.template each_step<Position>(0, storage.template loop_steps<Position>(), noted(TypeList<Position>{}));
        break;
      case 4:
        storage.template each_block<Large, Frozen>(
            [&](const typename Storage::block_entities& entities, const auto&...) {
              for (std::size_t i = 0; i < entities.size(); ++i) noted(TypeList<Large, Frozen>{})(entities[i]);
            });
        break;
      case 5:
        storage.template each_changed<Position, Optional<Large>>(storage.tick(), noted(TypeList<Position, Large>{}));
        break;
      case 6:
        storage.template each_changed<Large>(storage.tick() - 1, noted(TypeList<Large>{}));
        break;
      default:
        if (roster_.living() == 0) break;
        const std::size_t ordinal = roster_.nth_living(pick % roster_.living());
        if (value % 3 == 0) roster_.template check_found<Large, Frozen, const Position>(storage, ordinal);
        if (value % 3 == 1) roster_.template check_found<Position>(storage, ordinal);
        if (value % 3 == 2) roster_.template check_found<Position, Unique, Wide>(storage, ordinal);
        if (value % 3 == 0) roster_.template note_writes<Large, Frozen>(ordinal);
        if (value % 3 != 0) roster_.template note_writes<Position>(ordinal);
    }
    const Tick since = storage.tick() - pick % 4;
    if (value % 5 == 0) roster_.template check_changed<Position>(since);
    if (value % 5 == 1) roster_.template check_changed<Frozen>(since);
    if (value % 5 == 2) roster_.template check_changed<Large, const Position>(since);
    if (value % 5 == 3) roster_.template check_changed<Position, const Unique, Without<Frozen>>(since);
    if (value % 5 == 4) roster_.template check_changed<Large, Optional<const Position>>(since);
  }

  /// Some of what the dead have left, and sometimes all.
  void collect(std::uint32_t pick) {
    if constexpr (requires(Storage storage) { storage.collect(); }) {
      roster_.storage.collect();
      if (pick % 8 != 0) return;
      roster_.end_what_is_left();
      require(Unique::living == static_cast<std::ptrdiff_t>(roster_.template holders<Unique>()),
              "constructors and destructors are not balanced");
    }
  }

  /// What commands are expected to make of an entity: a number for a component that it gains, none for one it loses.
  struct Expected {
    bool alive = true;
    std::array<std::optional<std::optional<std::uint32_t>>, components> changes{};
  };

  /// Whatever the order in which commands are made, an entity has what they give one after the other.
  void batch(std::uint32_t count, std::uint32_t seed) {
    if constexpr (offers<Storage, Capability::structural_change>) {
      workloads::Random random(seed);
      std::map<std::size_t, Expected> old;
      std::vector<std::pair<typename Commands<Storage>::NewEntity, Expected>> made;
      std::size_t in_vain = 0;
      for (; count != 0; --count) {
        if (random.below(64) == 0) {
          Expected never{.alive = false};
          in_vain += command(random, typename Storage::entity_type{}, never);
        } else if (random.below(6) == 0) {
          made.emplace_back(commands_.create(), Expected{});
        } else if (!made.empty() && random.below(3) == 0) {
          auto& [entity, expected] = made[random.below(made.size())];
          in_vain += command(random, entity, expected);
        } else if (roster_.created() != 0) {
          const bool any = roster_.living() == 0 || random.below(2) == 0;
          const std::size_t ordinal =
              any ? random.below(roster_.created()) : roster_.nth_living(random.below(roster_.living()));
          if (roster_.ordinal_of(roster_[ordinal]) != ordinal) continue;  // its handle has come back
          Expected& expected = old.try_emplace(ordinal, Expected{roster_.entry(ordinal).alive}).first->second;
          in_vain += command(random, roster_[ordinal], expected);
        }
      }
      using Order = typename Commands<Storage>::Order;
      const auto outcome = commands_.apply(roster_.storage, seed % 2 == 0 ? Order::summed_up : Order::one_by_one);
      require(outcome.skipped == in_vain, "apply() skips other commands than those for dead entities");
      for (const auto& [ordinal, expected] : old) note(ordinal, expected);
      for (const auto& [entity, expected] : made) {
        const auto handle = commands_.created(entity);
        require(handle.is_null() != expected.alive,
                "apply() creates what the same commands destroy, or does not create");
        if (expected.alive) note(roster_.template note<>(handle, 0), expected);
      }
    }
  }
  /// A random command; 1 if it is in vain.
  template <class Target>
  std::size_t command(workloads::Random& random, Target target, Expected& expected) {
    const std::size_t in_vain = expected.alive ? 0 : 1;
    const auto number = static_cast<std::uint32_t>(random.below(1'000'000));
    if (random.below(8) == 0) {
      commands_.destroy(target);
      expected.alive = false;
      return in_vain;
    }
    with_component(static_cast<std::uint32_t>(random.below(components)), [&]<class C>(TypeList<C>) {
      auto& change = expected.changes[roster_.template id<C>];
      if (number % 2 == 0) {
        commands_.template emplace<C>(target, made_of<C>(number));
        change.emplace(number);
      } else {
        commands_.template remove<C>(target);
        change.emplace(std::nullopt);
      }
    });
    return in_vain;
  }
  void note(std::size_t ordinal, const Expected& expected) {
    if (roster_.entry(ordinal).alive && !expected.alive) roster_.forget(ordinal);
    if (!expected.alive) return;
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      const auto& change = expected.changes[roster_.template id<C>];
      if (change) roster_.template note_component<C>(ordinal, *change);
    });
    look_up(ordinal);
  }

  /// Changes one of the living, if there is any, and looks it up.
  template <class Change>
  void at_living(std::uint32_t pick, Change&& change) {
    if (roster_.living() == 0) return;
    const std::size_t ordinal = roster_.nth_living(pick / components % roster_.living());
    change(ordinal);
    look_up(ordinal);
  }

  template <class Function>
  static void with_component(std::uint32_t pick, Function&& function) {
    std::uint32_t left = pick % components;
    stowage::detail::for_each_component<SchemaType>([&](auto component) {
      if (left-- == 0) function(component);
    });
  }

  void look_up(std::size_t ordinal) {
    roster_.check_entity(ordinal);
    look_up_together(ordinal, typename SchemaType::groups{});
  }
  template <class... Cs, class... Others>
  void look_up_together(std::size_t ordinal, TypeList<TypeList<Cs...>, Others...>) {
    roster_.template check_found<Cs...>(std::as_const(roster_.storage), ordinal);
    roster_.template check_found<Large, Frozen>(std::as_const(roster_.storage), ordinal);
    roster_.template check_found<Unique>(roster_.storage, ordinal);
  }

  Roster<Storage> roster_;
  Commands<Storage> commands_;
};

/// Runs the operations on a fresh storage and audits it at the end; throws if it differs from the roster.
template <class Storage>
void run_against_model(const std::vector<Operation>& operations) {
  {
    ModelRun<Storage> run;
    std::size_t done = 0;
    try {
      for (; done < operations.size(); ++done) run.apply(operations[done]);
      run.audit();
    } catch (const Mismatch& mismatch) {
      throw std::runtime_error(describe(mismatch, operations, done));
    }
  }
  require(Unique::living == 0, "components outlive their storage");
}

/// What is wrong with the strategy, if anything, after random operations from `seed`.
template <template <class> class Strategy>
[[nodiscard]] std::optional<std::string> check_model(std::uint64_t seed, std::size_t operations) {
  try {
    constexpr std::size_t alignment = offers<Strategy<ProbeSchema>, Capability::over_alignment> ? 64 : 16;
    run_against_model<Strategy<ModelSchemaWith<alignment>>>(random_operations(seed, operations));
  } catch (const std::exception& failure) {
    Unique::living = 0;
    return failure.what();
  }
  return std::nullopt;
}

}  // namespace stowage::workloads::verify
