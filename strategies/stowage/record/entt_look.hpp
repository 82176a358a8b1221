#pragma once

// Looks at a registry of EnTT, from 3.13 on.

#include <stowage/record/recorder.hpp>

#include <entt/entt.hpp>

namespace stowage::record {

namespace detail {
/// The name of that function before and from EnTT 3.16 on.
template <class Pool>
[[nodiscard]] const auto& type_of(const Pool& pool) {
  if constexpr (requires { pool.info(); }) {
    return pool.info();
  } else {
    return pool.type();
  }
}

/// Numbers the pools of a registry: each is a component.
class EnttPools {
 public:
  template <class Pool>
  [[nodiscard]] std::size_t number_of(Recorder& recorder, entt::id_type id, const Pool& pool) {
    const auto [known, is_new] = numbers_.try_emplace(id);
    if (is_new) known->second = add(recorder, id, pool);
    return known->second;
  }

 private:
  /// By its type, if the id is that of the type; by the name of a Named<> with that id; else by the id.
  template <class Pool>
  [[nodiscard]] static std::size_t add(Recorder& recorder, entt::id_type id, const Pool& pool) {
    const std::string type = dotted(std::string(type_of(pool).name()));
    if (id == type_of(pool).hash() && !type.empty()) return recorder.component_of(id, type);
    const auto named = recorder.named(
        [&](const std::string& name) { return entt::hashed_string::value(name.data(), name.size()) == id; });
    if (named) return *named;
    std::array<char, 2 * sizeof(id) + 1> digits{};
    std::snprintf(digits.data(), digits.size(), "%llx", static_cast<unsigned long long>(id));
    const std::size_t number =
        recorder.component_of(id, (type.empty() || type == "void" ? "pool" : type) + "_" + digits.data());
    recorder.set_unnamed(number);
    if (const auto bytes = recorder.bytes_of(type)) recorder.set_bytes(number, *bytes);
    return number;
  }

  std::unordered_map<entt::id_type, std::size_t> numbers_;
};
}  // namespace detail

/// For a registry of EnTT, from 3.13 on. Each pool is a component: tell the recorder Named<"enemy"> before the first
/// frame() if a pool is `storage<void>("enemy"_hs)`, else it is called by its id. Pools of empty types have 0 bytes;
/// other sizes are known if the recorder was told them by components<>(), a system or a lookup. `parent_of`, if the
/// game has a hierarchy, returns the parent of an entity or entt::null.
template <class Registry, class ParentOf = std::nullptr_t>
[[nodiscard]] Recorder::Look entt_registry(const Registry& registry, ParentOf parent_of = nullptr) {
  using Traits = entt::entt_traits<typename Registry::entity_type>;
  const auto index_of = [](auto entity) { return static_cast<std::size_t>(Traits::to_entity(entity)); };
  return [&registry, parent_of, index_of, pools = detail::EnttPools()](Recorder& recorder) mutable {
    recorder.stores_in("entt");
    const auto* const entities = registry.template storage<typename Registry::entity_type>();
    for (std::size_t place = 0; entities != nullptr && place < entities->free_list(); ++place) {
      const auto entity = entities->data()[place];
      recorder.entity(index_of(entity), Traits::to_integral(entity));
      if constexpr (!std::is_same_v<ParentOf, std::nullptr_t>) {
        if (const auto parent = parent_of(entity); parent != entt::null) {
          recorder.child_of(index_of(entity), index_of(parent));
        }
      }
    }
    for (const auto& [id, pool] : registry.storage()) {
      const auto& type = detail::type_of(pool);
      if (type == entt::type_id<typename Registry::entity_type>() || type.name() == "entt::reactive") continue;
      const std::size_t number = pools.number_of(recorder, id, pool);
      for (std::size_t place = 0; place < pool.size(); ++place) {
        const auto entity = pool.data()[place];
        if (entity == entt::tombstone) continue;
        recorder.has(index_of(entity), number);
        if (pool.value(entity) == nullptr) recorder.set_bytes(number, 0);  // its type is empty
      }
    }
  };
}

}  // namespace stowage::record
