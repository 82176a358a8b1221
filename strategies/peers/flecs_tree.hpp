#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>

#include "peers/flecs_components.hpp"

namespace stowage::peers {

/// A hierarchy as flecs' manual has it. It keeps no dirty flags: update_all() computes all.
///
/// `Fragmenting`: the relationship ChildOf, so each parent's children are a table, and a cached query with `cascade`,
/// which goes through the tables by depth and has the parent's world transform for each. Otherwise the component
/// EcsParent and a query grouped by depth, which the manual recommends for many parents with few children each; the
/// loop looks the parent's transform up.
/// Source: docs/HierarchiesManual.md of flecs 4.1.
template <bool Fragmenting>
class FlecsTree {
 public:
  using Handle = ecs_entity_t;

  explicit FlecsTree(std::size_t /*nodes*/)
      : world_(ecs_mini()),
        local_(register_component<Local>(world_.get())),
        world_transform_(register_component<World>(world_.get())) {
    ecs_query_desc_t query{};
    query.cache_kind = EcsQueryCacheAuto;
    query.terms[0].id = local_;
    query.terms[0].inout = EcsIn;
    query.terms[1].id = world_transform_;
    if constexpr (Fragmenting) {
      query.terms[2].id = world_transform_;
      query.terms[2].inout = EcsIn;
      query.terms[2].src.id = EcsCascade;
      query.terms[2].oper = EcsOptional;
    } else {
      query.terms[2].id = ecs_id(EcsParent);
      query.terms[2].inout = EcsIn;
      query.terms[2].oper = EcsOptional;
      query.group_by = EcsParentDepth;
    }
    query_ = ecs_query_init(world_.get(), &query);
  }
  Handle create(const Matrix& local) {
    const ecs_entity_t created = ecs_new(world_.get());
    const Local component{local};
    ecs_set_id(world_.get(), created, local_, sizeof(Local), &component);
    ecs_add_id(world_.get(), created, world_transform_);
    return created;
  }
  void attach(Handle child, Handle parent) {
    if constexpr (Fragmenting) {
      ecs_add_id(world_.get(), child, ecs_pair(EcsChildOf, parent));
    } else {
      const EcsParent component{parent};
      ecs_set_id(world_.get(), child, ecs_id(EcsParent), sizeof(EcsParent), &component);
    }
  }
  void write_local(Handle node, const Matrix& local) {
    static_cast<Local*>(ecs_get_mut_id(world_.get(), node, local_))->matrix = local;
  }
  void update_all() {
    if constexpr (Fragmenting) {
      update(ecs_query_iter(world_.get(), query_));
    } else {
      for (std::uint64_t depth = 0; ecs_query_get_group_info(query_, depth) != nullptr; ++depth) {
        ecs_iter_t tables = ecs_query_iter(world_.get(), query_);
        ecs_iter_set_group(&tables, depth);  // by itself the query begins with the deepest
        update(tables);
      }
    }
  }
  [[nodiscard]] const Matrix& world(Handle node) const {
    return static_cast<const World*>(ecs_get_id(world_.get(), node, world_transform_))->matrix;
  }
  /// flecs takes its memory from malloc.
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return {}; }

 private:
  struct Local {
    Matrix matrix;
  };
  struct World {
    Matrix matrix;
  };
  struct EndWorld {
    void operator()(ecs_world_t* world) const noexcept { ecs_fini(world); }
  };

  void update(ecs_iter_t tables) {
    while (ecs_query_next(&tables)) {
      const auto* const locals = static_cast<const Local*>(ecs_field_w_size(&tables, sizeof(Local), 0));
      auto* const worlds = static_cast<World*>(ecs_field_w_size(&tables, sizeof(World), 1));
      if constexpr (Fragmenting) {
        const auto* const parent = static_cast<const World*>(ecs_field_w_size(&tables, sizeof(World), 2));
        const hierarchy::AboveMatrix above(parent != nullptr ? parent->matrix : origin_);
        for (std::int32_t i = 0; i < tables.count; ++i) above.compose(locals[i].matrix, worlds[i].matrix);
      } else {
        const auto* const parents = static_cast<const EcsParent*>(ecs_field_w_size(&tables, sizeof(EcsParent), 2));
        for (std::int32_t i = 0; i < tables.count; ++i) {
          const Matrix& above = parents != nullptr ? world(parents[i].value) : origin_;
          hierarchy::AboveMatrix(above).compose(locals[i].matrix, worlds[i].matrix);
        }
      }
    }
  }

  const Matrix origin_ = hierarchy::identity();  ///< above roots
  std::unique_ptr<ecs_world_t, EndWorld> world_;
  ecs_id_t local_;
  ecs_id_t world_transform_;
  ecs_query_t* query_ = nullptr;
};

}  // namespace stowage::peers
