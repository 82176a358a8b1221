#pragma once

// What the workloads over hierarchies have in common: their scenes, the update that is measured, and the references.
// Strategies take part with transforms as components and the form that the library offers by default. The forms by
// themselves are rows of the block beside the hand-written reference.

#include <stowage/hierarchy/forms/levels.hpp>
#include <stowage/hierarchy/forms/pointers.hpp>
#include <stowage/hierarchy/forms/siblings.hpp>
#include <stowage/hierarchy/forms/sorted.hpp>
#include <stowage/hierarchy/hierarchy.hpp>

#include "workloads/floors/hierarchy_store.hpp"
#include "workloads/support/trees.hpp"
#include "workloads/support/wicked_scene.hpp"
#include "workloads/support/workers.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

using HierarchySchema = Schema<Group<LocalTransform, WorldTransform>>;

/// The form that the library offers behind calls, so that it is compiled once and not for every strategy.
class PrecompiledForm {
 public:
  void find_in(const hierarchy::TransformSource& source) noexcept;
  void add(Entity node, const hierarchy::Transforms& transforms);
  template <class TransformsOf>
  void add(std::span<const Entity> nodes, std::span<const std::uint32_t> parents, Entity top, TransformsOf&& of) {
    form_.add(nodes, parents, top, of);
  }
  void attach(Entity child, Entity parent, Keep keep);
  void detach(Entity node);
  void remove(Entity node, Children children);
  void touch(Entity node);
  void touch_all() noexcept;
  void update();
  void settle();
  template <class Find>
  void find_places(Find&& find) {
    form_.find_places(find);
  }
  [[nodiscard]] std::size_t jumps() const noexcept;
  [[nodiscard]] bool take_order_is_new() noexcept;
  [[nodiscard]] std::span<const Entity> in_order() const noexcept;
  void append_subtree(Entity node, std::vector<Entity>& out) const;
  [[nodiscard]] Entity parent(Entity node) const;
  [[nodiscard]] bool contains(Entity node) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] MemoryBreakdown memory() const noexcept;
  void reserve(std::size_t nodes);
  void clear() noexcept;

 private:
  PlacedHierarchy form_;
};

/// A storage whose entities are nodes: every local is read there, and every world is written there.
template <class Storage>
class StoredScene {
 public:
  using Handle = typename Storage::entity_type;

  explicit StoredScene(std::size_t nodes) : hierarchy_(storage_) {
    storage_.template reserve<LocalTransform, WorldTransform>(nodes);
    hierarchy_.reserve(nodes);
  }
  Handle create(const Matrix& local) {
    const Handle created = storage_.create(LocalTransform{local}, WorldTransform{});
    hierarchy_.add(created);
    return created;
  }
  /// A whole subtree below `top`, in bulk: see Hierarchy::add().
  void create(std::span<Handle> out, std::span<const LocalTransform> locals, std::span<const WorldTransform> worlds,
              std::span<const std::uint32_t> parents, Handle top)
    requires(offers<Storage, Capability::bulk_creation>)
  {
    storage_.create(out, locals, worlds);
    hierarchy_.add(out, parents, top);
  }
  void attach(Handle child, Handle parent) { hierarchy_.attach(child, parent); }
  void detach(Handle node) { hierarchy_.detach(node); }
  void destroy(Handle node) { hierarchy_.destroy(node, Children::destroy); }
  void set_local(Handle node, const Matrix& local) {
    write_local(node, local);
    hierarchy_.touch(node);
  }
  void write_local(Handle node, const Matrix& local) { storage_.template find<LocalTransform>(node)->matrix = local; }
  void touch(Handle node) { hierarchy_.touch(node); }
  void touch_all() { hierarchy_.touch_all(); }
  void settle() { hierarchy_.settle(); }
  void update() {
    hierarchy_.update();
    keep(storage_);
  }
  void update_all() {
    touch_all();
    update();
  }
  [[nodiscard]] bool contains(Handle node) const { return hierarchy_.contains(node); }
  [[nodiscard]] std::size_t size() const { return storage_.size(); }
  [[nodiscard]] Matrix local(Handle node) { return storage_.template find<LocalTransform>(node)->matrix; }
  [[nodiscard]] Matrix world(Handle node) { return storage_.template find<WorldTransform>(node)->matrix; }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory() + hierarchy_.memory(); }
  void clear() {
    hierarchy_.clear();
    storage_.clear();
  }

 private:
  Storage storage_;
  Hierarchy<Storage, PrecompiledForm> hierarchy_;
};

/// A form by itself, with matrices of its own and no storage.
template <class Form>
class BareScene {
 public:
  using Handle = Entity;

  explicit BareScene(std::size_t nodes) { form_.reserve(nodes); }
  Handle create(const Matrix& local) {
    const Handle created(static_cast<EntityIndex>(form_.size()), 0);
    form_.add(created, local);
    return created;
  }
  void attach(Handle child, Handle parent) { form_.attach(child, parent); }
  void detach(Handle node) { form_.detach(node); }
  void destroy(Handle node) { form_.remove(node, Children::destroy); }
  void set_local(Handle node, const Matrix& local) { form_.set_local(node, local); }
  void write_local(Handle node, const Matrix& local) { form_.replace_local(node, local); }
  void touch(Handle node) { form_.touch(node); }
  void touch_all() { form_.touch_all(); }
  void settle() { form_.settle(); }
  void update() {
    form_.update();
    keep(form_);
  }
  void update_all() {
    touch_all();
    update();
  }
  [[nodiscard]] bool contains(Handle node) const { return form_.contains(node); }
  [[nodiscard]] std::size_t size() const { return form_.size(); }
  [[nodiscard]] const Matrix& local(Handle node) const { return form_.local(node); }
  [[nodiscard]] const Matrix& world(Handle node) const { return form_.world(node); }
  [[nodiscard]] MemoryBreakdown memory() const { return form_.memory(); }
  void end_all() { form_.clear(); }

 private:
  Form form_;
};

/// One update of all world transforms after the nodes of the plan were touched; if no dirty flags are kept, after all
/// locals were written and no node was touched.
template <class Scene, bool KeepsDirty = true>
class HierarchyUpdate {
  using Handle = typename Scene::Handle;

 public:
  HierarchyUpdate(TreePlan plan, std::uint64_t seed)
      : plan_(std::move(plan)), seed_(seed), scene_(plan_.size()), nodes_(plan_.size()) {
    for (const std::uint32_t node : plan_.creation) nodes_[node] = scene_.create(local_transform(seed, node, 0));
    for (const auto* const parents : {&plan_.strangers, &plan_.parents}) attach_all(*parents);
    for (const std::uint32_t node : plan_.dirty) dirty_.push_back(nodes_[node]);
    update();
  }

  /// Everything that will be touched has changed since the last update, and only that it is touched will tell.
  void prepare() {
    set_locals(0);
    run();
    set_locals(1);
  }
  void run() {
    if constexpr (KeepsDirty) {
      if (dirty_.empty()) {
        scene_.touch_all();
      } else {
        for (const Handle node : dirty_) scene_.touch(node);
      }
    }
    update();
  }

  [[nodiscard]] std::uint64_t items() const { return nodes_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t node = 0; node < nodes_.size(); ++node) sum.add(node, matrix_bits(scene_.world(nodes_[node])));
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return scene_.memory(); }
  void clear()
    requires requires(Scene& scene) { scene.clear(); }
  {
    scene_.clear();
  }

 private:
  void attach_all(const Array<std::uint32_t>& parents) {
    if (parents.empty()) return;
    const Array<std::uint32_t>& order = plan_.attachment.empty() ? plan_.creation : plan_.attachment;
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      const std::uint32_t node = order[i];
      scene_.attach(nodes_[node], nodes_[parents[node]]);
    }
  }
  void update() {
    if constexpr (KeepsDirty) {
      scene_.update();
    } else {
      scene_.update_all();
    }
  }
  void set_locals(unsigned which) {
    const auto set = [&](std::size_t node) { scene_.write_local(nodes_[node], local_transform(seed_, node, which)); };
    for (const std::uint32_t node : plan_.dirty) set(node);
    for (std::size_t node = 0; plan_.dirty.empty() && node < nodes_.size(); ++node) set(node);
  }

  TreePlan plan_;
  std::uint64_t seed_;
  Scene scene_;
  Array<Handle> nodes_;
  Array<Handle> dirty_;
};

/// The hierarchy that a library's own documentation has, if an adapter says so; it keeps no dirty flags.
template <class Storage>
struct SceneWithoutDirt {
  using type = StoredScene<Storage>;
};
template <class Storage>
  requires requires { typename Storage::tree_type; }
struct SceneWithoutDirt<Storage> {
  using type = typename Storage::tree_type;
};

/// Makes the case for a scene, or for `Without` if no dirty flags are kept.
template <class Plan, class Scene, class Without = Scene>
[[nodiscard]] std::unique_ptr<Measurement> make_update(const Parameters& parameters) {
  if (Plan::keeps_dirty(parameters)) return make_case<HierarchyUpdate<Scene>>(Plan::plan(parameters), parameters.seed);
  return make_case<HierarchyUpdate<Without, false>>(Plan::plan(parameters), parameters.seed);
}

/// The floor: arrays with the rows of parents, row 0 the identity, and one loop forwards; flags only if not all is
/// dirty. By breadth, or with parents near if those are far. Nothing can be attached or removed.
class NodeArrays {
 public:
  NodeArrays(const TreePlan& plan, std::uint64_t seed);

  void prepare();
  void run();

  [[nodiscard]] std::uint64_t items() const { return parents_.size() - 1; }
  [[nodiscard]] std::uint64_t checksum() const;
  [[nodiscard]] MemoryBreakdown memory() const;

 private:
  void set_locals(unsigned which);
  void update_all();
  void update_dirty();

  std::uint64_t seed_;
  Array<std::uint32_t> node_of_;  ///< by row; not of row 0
  Array<std::uint32_t> touched_;  ///< rows
  StoredArray<std::uint32_t> parents_;
  StoredArray<Matrix> locals_, worlds_;
  StoredArray<std::uint8_t> dirty_, changed_;
};

/// What a workload over `Plan` says in its list of references: the floor, the contract floors, and every form by
/// itself. `Plan` has `static TreePlan plan(const Parameters&)`, `static bool exists(const Parameters&)` and `static
/// bool keeps_dirty(const Parameters&)`.
template <class Plan>
struct HierarchyReference {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return Plan::exists(parameters); }
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<NodeArrays>(Plan::plan(parameters), parameters.seed);
  }
};

template <class Plan, class Name, class Scene>
struct HierarchyRow : Name {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return Plan::exists(parameters); }
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_update<Plan, Scene>(parameters);
  }
};

/// LevelHierarchy, whose levels are shared by threads.
class SharedLevels : public LevelHierarchy {
 public:
  void update() {
    LevelHierarchy::update(nodes_per_chunk, [this](std::size_t chunks, ChunkWork work) { workers_.run(chunks, work); });
  }

 private:
  /// Some ten microseconds of work.
  static constexpr std::size_t nodes_per_chunk = 1024;

  Workers workers_{Workers::most()};
};

/// The names of the forms, wherever they are measured by themselves.
template <class Form>
struct FormName;
template <>
struct FormName<SortedHierarchy> {
  static constexpr std::string_view name = "form.sorted",
                                    summary = "rows kept in order, parents first, by every operation";
};
template <>
struct FormName<LazySortedHierarchy> {
  static constexpr std::string_view name = "form.lazy_sorted",
                                    summary = "rows put in order before an update that needs it";
};
template <>
struct FormName<LevelHierarchy> {
  static constexpr std::string_view name = "form.levels", summary = "a list of rows for each depth";
};
template <>
struct FormName<SharedLevels> {
  static constexpr std::string_view name = "form.levels_parallel",
                                    summary = "the same, each depth by as many threads as there are processors",
                                    why_uncounted = counted_for_one_thread;
};
template <>
struct FormName<SiblingHierarchy> {
  static constexpr std::string_view name = "form.siblings", summary = "links between rows, which are in no order";
};
template <>
struct FormName<PointerHierarchy> {
  static constexpr std::string_view name = "form.recursion", form = "tuned",
                                    summary = "heap objects with pointers, walked by recursion";
};
template <>
struct FormName<StackedPointerHierarchy> {
  static constexpr std::string_view name = "form.stack", form = "tuned",
                                    summary = "heap objects with pointers, walked with a stack";
};

template <class Plan, class Form>
using HierarchyFormRow = HierarchyRow<Plan, FormName<Form>, BareScene<Form>>;

/// The form as it was published.
struct WickedForm {
  static constexpr std::string_view name = "form.wicked", form = "exact",
                                    summary = "Wicked Engine's component managers as published";
};

/// Its loop by threads, wherever the order of rows allows it.
struct SharedWickedForm {
  static constexpr std::string_view name = "form.wicked_parallel",
                                    summary = "the same, a parallel for over rows that need none of each other",
                                    why_uncounted = counted_for_one_thread;
};

template <class Plan, class Name = WickedForm, class Scene = WickedScene>
struct WickedFormRow : Name {
  /// It knows no dirty flags: to touch costs nothing, and all is computed.
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return Plan::exists(parameters) && Plan::keeps_dirty(parameters);
  }
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<HierarchyUpdate<Scene>>(Plan::plan(parameters), parameters.seed);
  }
};

/// A workload that updates the tree of a `Plan`.
template <class Plan>
struct HierarchyWorkload {
  using References =
      TypeList<HierarchyReference<Plan>, HierarchyRow<Plan, StoreName, HierarchyRows<TransformColumns>>,
               HierarchyRow<Plan, InterleavedName, HierarchyRows<TransformPairs>>,
               HierarchyRow<Plan, DirectName, HierarchyRows<DirectTransforms>>, WickedFormRow<Plan>,
               WickedFormRow<Plan, SharedWickedForm, SharedWickedScene>, HierarchyFormRow<Plan, SortedHierarchy>,
               HierarchyFormRow<Plan, LazySortedHierarchy>, HierarchyFormRow<Plan, LevelHierarchy>,
               HierarchyFormRow<Plan, SharedLevels>, HierarchyFormRow<Plan, SiblingHierarchy>,
               HierarchyFormRow<Plan, PointerHierarchy>, HierarchyFormRow<Plan, StackedPointerHierarchy>>;

  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return Plan::exists(parameters);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<HierarchySchema>;
    return make_update<Plan, StoredScene<Storage>, typename SceneWithoutDirt<Storage>::type>(parameters);
  }
  /// Of every node its local transform and the row of its parent are read and its world transform is written:
  /// (64 + 4 + 64)/64 = 2.0625. The parent's world has just been written in an order that comes back to parents soon.
  /// What is below nodes that were drawn is not told by counting, so a share of
  /// them has no floor.
  [[nodiscard]] static Floor update_floor(bool all_dirty, Lines lines) {
    constexpr double bytes = 2 * sizeof(Matrix) + sizeof(std::uint32_t);
    return all_dirty ? Floor{.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes} : Floor{};
  }
};

inline constexpr std::string_view hierarchy_checksum = "hash(node, bits of its world transform) of all nodes";
inline constexpr std::string_view hierarchy_favours =
    "storages that can put rows in the order of the nodes, and those whose transforms lie in few lines";
inline constexpr std::string_view hierarchy_disadvantages =
    "storages whose rows stay where entities were created: with order:shuffled every transform is fetched from "
    "somewhere else. Adapters that do not say if rows have moved: every node is looked up in every update";
inline constexpr std::string_view hierarchy_floor =
    "132/64 lines per node if all are dirty: its local and its world transform and the row of its parent, by a loop "
    "over arrays by breadth, or by breadth 64 at a time if more than a third of the parents would be fetched again";

}  // namespace stowage::workloads
