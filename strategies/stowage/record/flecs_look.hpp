#pragma once

// Looks at a world of flecs, from 4.1 on.

#include <stowage/record/recorder.hpp>

#include <flecs.h>

namespace stowage::record {

namespace detail {

/// Looks at a world of flecs. Entities that have no component, are prefabs or belong to flecs are not of the game.
class FlecsLook {
 public:
  explicit FlecsLook(ecs_world_t* world) : world_(world) {}

  void operator()(Recorder& recorder) {
    if (++looks_ == 1) {
      recorder.stores_in("flecs");
      ecs_measure_system_time(world_, true);
    }
    const ecs_entities_t entities = ecs_get_entities(world_);
    for (std::int32_t place = 0; place < entities.alive_count; ++place) look_at(recorder, entities.ids[place]);
  }

 private:
  /// What a look needs of a table.
  struct Table {
    std::uint64_t look = 0;     ///< in which it was compared last
    std::vector<ecs_id_t> ids;  ///< by which it is known again: one that is gone may have lent its address to another
    bool is_of_game = false;
    bool has_systems = false;
    std::size_t parent = 0;  ///< 0: none
    std::vector<std::size_t> components;
    std::vector<std::pair<ecs_id_t, std::size_t>> states;
  };

  struct KnownSystem {
    std::size_t number = 0;
    double spent_before = 0;  ///< seconds, before the first look
  };

  void look_at(Recorder& recorder, ecs_entity_t entity) {
    ecs_table_t* const address = ecs_get_table(world_, entity);
    if (address == nullptr) return;
    if (address != last_address_) last_ = &tables_[address];  // neighbours often share a table
    last_address_ = address;
    Table& table = *last_;
    if (table.look != looks_) {
      const ecs_type_t& type = *ecs_table_get_type(address);
      if (!std::equal(type.array, type.array + type.count, table.ids.begin(), table.ids.end()) || table.look == 0) {
        table = read(recorder, entity, type);
      }
      table.look = looks_;
    }
    if (table.has_systems) look_at_system(recorder, entity);
    if (!table.is_of_game) return;
    const std::size_t index = index_of(entity);
    recorder.entity(index, entity);
    for (const std::size_t component : table.components) recorder.has(index, component);
    for (const auto& [id, component] : table.states) {
      if (ecs_is_enabled_id(world_, entity, id)) recorder.has(index, component);
    }
    if (table.parent != 0) recorder.child_of(index, table.parent);
  }

  [[nodiscard]] Table read(Recorder& recorder, ecs_entity_t entity, const ecs_type_t& type) {
    Table table;
    table.ids.assign(type.array, type.array + type.count);
    bool is_of_game = !is_in_flecs(entity);
    for (std::int32_t place = 0; place < type.count; ++place) {
      const ecs_id_t id = type.array[place];
      if (ECS_IS_PAIR(id) && ECS_PAIR_FIRST(id) == EcsChildOf) table.parent = index_of(ECS_PAIR_SECOND(id));
      if (id == EcsSystem) table.has_systems = true;
      if (is_of_flecs(id)) is_of_game = false;
    }
    for (std::int32_t place = 0; is_of_game && place < type.count; ++place) {
      const ecs_id_t id = type.array[place];
      if (!is_component(id)) continue;
      const std::size_t component = number_of(recorder, id);
      const bool may_be_off =
          std::find(type.array, type.array + type.count, ECS_TOGGLE | id) != type.array + type.count;
      if (may_be_off) {
        recorder.set_state(component);
        table.states.emplace_back(id, component);
      } else {
        table.components.push_back(component);
      }
    }
    table.is_of_game = !table.components.empty() || !table.states.empty();
    return table;
  }

  [[nodiscard]] bool is_in_flecs(ecs_entity_t entity) const {
    while (entity != 0 && entity != EcsFlecs) entity = ecs_get_parent(world_, entity);
    return entity == EcsFlecs;
  }

  /// What an entity has that stands for a type, a prefab, a system or the like.
  [[nodiscard]] static bool is_of_flecs(ecs_id_t id) {
#ifdef FLECS_META
    if (id == ecs_id(EcsMember) || (ECS_IS_PAIR(id) && ECS_PAIR_FIRST(id) == EcsConstant)) return true;
#endif
#ifdef FLECS_SCRIPT
    if (id == ecs_id(EcsScript)) return true;
#endif
    return id == ecs_id(EcsComponent) || id == EcsModule || id == EcsPrefab || id == EcsSystem || id == EcsQuery ||
           id == EcsObserver;
  }

  /// Not a name, a bit, or one of flecs' own tags and relationships; but Disabled is a state like any other.
  [[nodiscard]] static bool is_component(ecs_id_t id) {
    if (!ECS_IS_PAIR(id) && (id & ECS_ID_FLAGS_MASK) != 0) return false;
    const ecs_entity_t first = ECS_IS_PAIR(id) ? ECS_PAIR_FIRST(id) : id;
    const bool is_of_flecs = first >= FLECS_HI_COMPONENT_ID && first < EcsFirstUserEntityId;
    return first == EcsDisabled || (!is_of_flecs && first != ecs_id(EcsIdentifier) && first != ecs_id(EcsPoly));
  }

  /// A pair is a component of its own if its target is a type, or a name for a kind: an entity that has a name and no
  /// component. If the target is an entity of the game, all pairs with that relationship are one component, which is a
  /// handle if it has no data.
  [[nodiscard]] std::size_t number_of(Recorder& recorder, ecs_id_t id) {
    const auto [known, is_new] = numbers_.try_emplace(id);
    if (is_new) known->second = add(recorder, id);
    return known->second;
  }

  [[nodiscard]] std::size_t add(Recorder& recorder, ecs_id_t id) const {
    const ecs_type_info_t* const type = ecs_get_type_info(world_, id);
    std::size_t bytes = type == nullptr ? 0 : static_cast<std::size_t>(type->size);
    std::string symbol = symbol_of_entity(ECS_IS_PAIR(id) ? ecs_pair_first(world_, id) : id);
    if (ECS_IS_PAIR(id)) {
      const ecs_entity_t second = ecs_pair_second(world_, id);
      if (is_kind(second)) {
        symbol += "-" + last_part(symbol_of_entity(second));
      } else {
        id = ecs_pair(ECS_PAIR_FIRST(id), 0);
        if (bytes == 0) bytes = sizeof(ecs_entity_t);
      }
    }
    const std::size_t number = recorder.component_of(id, symbol);
    recorder.set_bytes(number, bytes);
    return number;
  }

  [[nodiscard]] bool is_kind(ecs_entity_t target) const {
    if (ecs_get_symbol(world_, target) != nullptr) return true;
    const ecs_type_t* const type = ecs_get_type(world_, target);
    return ecs_get_name(world_, target) != nullptr &&
           (type == nullptr || std::none_of(type->array, type->array + type->count, is_component));
  }

  [[nodiscard]] std::string symbol_of_entity(ecs_entity_t entity) const {
    if (const char* const symbol = ecs_get_symbol(world_, entity)) return symbol;
    if (const char* const name = ecs_get_name(world_, entity)) return name;
    return "entity" + std::to_string(index_of(entity));
  }
  [[nodiscard]] static std::string last_part(const std::string& symbol) {
    return symbol.substr(symbol.find_last_of('.') + 1);
  }
  [[nodiscard]] static std::size_t index_of(ecs_entity_t entity) { return static_cast<std::uint32_t>(entity); }

  void look_at_system(Recorder& recorder, ecs_entity_t entity) {
    const ecs_system_t* const system = ecs_system_get(world_, entity);
    if (system == nullptr || system->query == nullptr) return;
    const auto [known, is_new] = systems_.try_emplace(entity);
    if (is_new) {
      const char* const name = ecs_get_name(world_, entity);
      known->second.number = recorder.add_system(name == nullptr ? "system" : name, use_of(recorder, *system->query));
      known->second.spent_before = system->time_spent;
    }
    const EcsTickSource* tick = nullptr;
    if (system->tick_source != 0) {
      tick = static_cast<const EcsTickSource*>(ecs_get_id(world_, system->tick_source, ecs_id(EcsTickSource)));
    }
    recorder.took(known->second.number, system->time_spent - known->second.spent_before);
    const bool has_tick = system->tick_source == 0 || (tick != nullptr && tick->tick);
    if (has_tick && system->last_frame >= ecs_get_world_info(world_)->frame_count_total) {
      recorder.ran(known->second.number);
    }
  }

  /// Terms about other entities than those that the system goes through are left out.
  [[nodiscard]] Use use_of(Recorder& recorder, const ecs_query_t& query) {
    Use use;
    for (int number = 0; number < query.term_count; ++number) {
      const ecs_term_t& term = query.terms[number];
      const bool is_of_this = ECS_TERM_REF_ID(&term.src) == EcsThis && (term.src.id & EcsSelf) != 0;
      if (!is_of_this || ecs_id_is_wildcard(term.id) || !is_component(term.id)) continue;
      const std::size_t component = number_of(recorder, term.id);
      if (term.oper == EcsNot) {
        use.without.set(component);
      } else if (term.oper == EcsOptional || term.oper == EcsOr ||
                 (term.src.id & EcsUp) != 0) {  // or its prefab has it
        use.optionally.set(component);
      } else if (term.inout == EcsInOutDefault || term.inout == EcsInOut || term.inout == EcsOut) {
        use.writes.set(component);
      } else {
        use.reads.set(component);
      }
    }
    return use;
  }

  ecs_world_t* world_;
  std::uint64_t looks_ = 0;
  const ecs_table_t* last_address_ = nullptr;
  Table* last_ = nullptr;  ///< in tables_, which moves none
  std::unordered_map<const ecs_table_t*, Table> tables_;
  std::unordered_map<ecs_id_t, std::size_t> numbers_;
  std::unordered_map<ecs_entity_t, KnownSystem> systems_;
};

}  // namespace detail

/// For a world of flecs, from 4.1 on, also a flecs::world. Systems are those of the world; a system counts as run if it
/// was due in the frame. Call frame() after progress(), or from a system in the last phase. flecs is told to time its
/// systems, which reads a clock twice for each.
[[nodiscard]] inline Recorder::Look flecs_world(ecs_world_t* world) { return detail::FlecsLook(world); }

}  // namespace stowage::record
