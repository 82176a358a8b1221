#pragma once

// Workload: what it costs to make instances of a template of nodes: entities, transforms and parents, single or bulk.

#include "workloads/support/hierarchies.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard prefab_card{
    .name = "prefab",
    .setup =
        "a template: `nodes` nodes, each with four children as far as there are any, and their local transforms; a "
        "storage in which one entity lives, the root of the scene, with room for n more",
    .measured =
        "n / nodes instances of the template are made: entities with both transforms (128 bytes), below each other as "
        "in the template and below the root of the scene; then rows are put in order, as before an update. how:bulk: "
        "the entities of an instance are created by one call and become nodes by another. how:single: each entity is "
        "created, becomes a node and is attached by itself",
    .item = "entity",
    .checksum = "hash(entity, bits of its world transform) of all that were made, after an update",
    .favours = "how:bulk, bulk forms that copy columns",
    .disadvantages = "how:single, rows in order, which have to move behind their parents; heap objects",
    .floor =
        "140/64 lines: both transforms, the row of the parent and the handle are written; what is read of a template "
        "stays in the cache",
    .sizes = {16 * 1024, 256 * 1024},
    .largest_entities = 4 * 1024 * 1024,
};

/// A subtree that is made many times.
struct Prefab {
  explicit Prefab(const Parameters& parameters)
      : parents(tree_parents(std::min<std::size_t>(std::stoul(parameters.get("nodes")), parameters.entities), 4)),
        instances(parameters.entities / parents.size()) {
    for (std::size_t node = 0; node < parents.size(); ++node) {
      locals.push_back({local_transform(parameters.seed, node, 0)});
    }
    worlds.resize(parents.size());
  }

  [[nodiscard]] std::size_t entities() const noexcept { return instances * parents.size(); }

  Array<std::uint32_t> parents;  ///< that of the root is itself
  Array<LocalTransform> locals;
  Array<WorldTransform> worlds;
  std::size_t instances;
};

template <class Scene, bool InBulk>
class PrefabCase {
  using Handle = typename Scene::Handle;

 public:
  static constexpr bool repeatable = false;

  explicit PrefabCase(const Parameters& parameters)
      : prefab_(parameters), scene_(parameters.entities + 1), handles_(prefab_.entities()) {}

  void prepare() {
    end_all(scene_);
    root_ = scene_.create(hierarchy::identity());
    scene_.update();
  }
  void run() {
    const std::size_t nodes = prefab_.parents.size();
    for (std::size_t first = 0; first < handles_.size(); first += nodes)
      make(std::span(handles_).subspan(first, nodes));
    scene_.settle();
    keep(scene_);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    scene_.update();
    Checksum sum;
    for (std::size_t i = 0; i < handles_.size(); ++i) sum.add(i, matrix_bits(scene_.world(handles_[i])));
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return scene_.memory(); }
  void clear()
    requires requires(Scene& scene) { scene.clear(); }
  {
    scene_.clear();
  }

 private:
  void make(std::span<Handle> out) {
    const std::span parents(std::as_const(prefab_.parents));
    if constexpr (!InBulk) {
      for (std::size_t node = 0; node < out.size(); ++node) {
        out[node] = scene_.create(prefab_.locals[node].matrix);
        scene_.attach(out[node], node == 0 ? root_ : out[parents[node]]);
      }
    } else {
      scene_.create(out, std::span(std::as_const(prefab_.locals)), std::span(std::as_const(prefab_.worlds)), parents,
                    root_);
    }
  }

  Prefab prefab_;
  Scene scene_;
  Array<Handle> handles_;
  Handle root_{};
};

/// Arrays of both transforms, rows of parents and handles, behind the row of the root.
class PrefabReference {
 public:
  static constexpr bool repeatable = false;

  explicit PrefabReference(const Parameters& parameters)
      : prefab_(parameters),
        locals_(prefab_.entities()),
        worlds_(prefab_.entities()),
        parents_(prefab_.entities()),
        handles_(prefab_.entities()) {}

  void run() {
    const auto nodes = static_cast<std::uint32_t>(prefab_.parents.size());
    const std::uint32_t* const parents = prefab_.parents.data();
    for (std::uint32_t first = 0; first < locals_.size(); first += nodes) {
      std::copy_n(prefab_.locals.data(), nodes, locals_.data() + first);
      std::copy_n(prefab_.worlds.data(), nodes, worlds_.data() + first);
      for (std::uint32_t i = 0; i < nodes; ++i) parents_[first + i] = first + parents[i];
      for (std::uint32_t i = 0; i < nodes; ++i) handles_[first + i] = Entity(first + i, 0);
    }
    keep(locals_);
    keep(worlds_);
  }

  [[nodiscard]] std::uint64_t items() const { return locals_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const std::uint32_t parent = parents_[i];
      worlds_[i].matrix =
          hierarchy::compose(parent == i ? hierarchy::identity() : worlds_[parent].matrix, locals_[i].matrix);
      sum.add(i, matrix_bits(worlds_[i].matrix));
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = locals_.size() * (sizeof(LocalTransform) + sizeof(WorldTransform)),
            .index_bytes = locals_.size() * (sizeof(std::uint32_t) + sizeof(Entity)),
            .allocations = 4};
  }

 private:
  Prefab prefab_;
  StoredArray<LocalTransform> locals_;
  StoredArray<WorldTransform> worlds_;
  StoredArray<std::uint32_t> parents_;
  StoredArray<Entity> handles_;
};

[[nodiscard]] inline bool in_bulk(const Parameters& parameters) { return parameters.get("how") == "bulk"; }

/// Only columns are made in bulk.
template <class Name, class Transforms>
struct PrefabFloor : Name {
  using Scene = HierarchyRows<Transforms>;
  static constexpr bool has_bulk = std::is_same_v<Scene, HierarchyStore>;

  [[nodiscard]] static bool supports(const Parameters& parameters) { return has_bulk || !in_bulk(parameters); }
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if constexpr (has_bulk) {
      if (in_bulk(parameters)) return make_case<PrefabCase<Scene, true>>(parameters);
    }
    return make_case<PrefabCase<Scene, false>>(parameters);
  }
};

/// The forms by themselves have no bulk operation.
template <class Form>
struct PrefabFormRow : ContractFloor<FormName<Form>, PrefabCase<BareScene<Form>, false>> {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return !in_bulk(parameters); }
};

struct PrefabWork {
  static constexpr const WorkloadCard& card = prefab_card;
  using References =
      TypeList<PrefabReference, PrefabFloor<StoreName, TransformColumns>, PrefabFloor<InterleavedName, TransformPairs>,
               PrefabFloor<DirectName, DirectTransforms>, PrefabFormRow<LazySortedHierarchy>,
               PrefabFormRow<LevelHierarchy>, PrefabFormRow<SiblingHierarchy>, PrefabFormRow<PointerHierarchy>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"how", {"single", "bulk"}, {"bulk"}}, {"nodes", {"8", "64"}, {"8"}}};
  }
  /// Of each entity 128 bytes of transforms, 4 of its parent's row and 8 of its handle are written.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double bytes = sizeof(LocalTransform) + sizeof(WorldTransform) + sizeof(std::uint32_t) + sizeof(Entity);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  /// With the root of the scene.
  [[nodiscard]] static std::size_t rows(const Parameters& parameters) { return parameters.entities + 1; }
  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters& parameters) {
    return in_bulk(parameters) ? not_offered<Strategy<ProbeSchema>>(Capability::bulk_creation) : std::string();
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Scene = StoredScene<Strategy<HierarchySchema>>;
    if constexpr (offers<Strategy<ProbeSchema>, Capability::bulk_creation>) {
      if (in_bulk(parameters)) return make_case<PrefabCase<Scene, true>>(parameters);
    }
    return make_case<PrefabCase<Scene, false>>(parameters);
  }
};

}  // namespace stowage::workloads
