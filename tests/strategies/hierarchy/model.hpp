#pragma once

#include <cstring>
#include <stowage/contract/entity.hpp>
#include <stowage/hierarchy/form.hpp>

#include "tests/support/catch.hpp"

namespace stowage::testing {

[[nodiscard]] inline bool same_bits(const Matrix& left, const Matrix& right) {
  return std::memcmp(&left, &right, sizeof(Matrix)) == 0;
}

[[nodiscard]] inline Matrix shift(float x) {
  Matrix matrix(1.0f);
  matrix[3] = {x, 0, 0, 1};
  return matrix;
}

/// A turn and a shift: what it does is undone by its inverse, and products of many stay in bounds.
template <class Random>
[[nodiscard]] Matrix drawn_transform(Random& random) {
  const auto unit = [&] { return static_cast<float>(random() % 2048) / 1024.0f - 1.0f; };
  const float tangent = unit();
  const float cosine = (1 - tangent * tangent) / (1 + tangent * tangent);
  const float sine = 2 * tangent / (1 + tangent * tangent);
  Matrix matrix(1.0f);
  matrix[0] = {cosine, sine, 0, 0};
  matrix[1] = {-sine, cosine, 0, 0};
  matrix[3] = {unit(), unit(), unit(), 1};
  return matrix;
}

/// A map of parents: what a hierarchy means, as slowly as can be.
class HierarchyModel {
 public:
  struct Node {
    Entity parent;
    Matrix local;
    bool is_dirty = true;
  };

  void add(Entity entity, const Matrix& local) { nodes[entity] = {Entity{}, local}; }
  [[nodiscard]] bool would_be_cycle(Entity child, Entity parent) const {
    for (Entity at = parent; !at.is_null(); at = nodes.at(at).parent) {
      if (at == child) return true;
    }
    return false;
  }
  void attach(Entity child, Entity parent, Keep keep) {
    Node& node = nodes.at(child);
    if (keep == Keep::world) {
      node.local = hierarchy::compose(hierarchy::inverted(world(parent)), world(child));
    }
    node.parent = parent;
    node.is_dirty = true;
  }
  void detach(Entity entity) {
    Node& node = nodes.at(entity);
    if (node.parent.is_null()) return;
    node = {Entity{}, world(entity)};
  }
  void remove(Entity entity, Children children) {
    for (const Entity child : children_of(entity)) {
      children == Children::detach ? detach(child) : remove(child, children);
    }
    nodes.erase(entity);
  }
  [[nodiscard]] std::vector<Entity> children_of(Entity entity) const {
    std::vector<Entity> children;
    for (const auto& [other, node] : nodes) {
      if (node.parent == entity) children.push_back(other);
    }
    return children;
  }
  [[nodiscard]] Matrix world(Entity entity) const {
    const Node& node = nodes.at(entity);
    return hierarchy::compose(node.parent.is_null() ? hierarchy::identity() : world(node.parent), node.local);
  }
  [[nodiscard]] bool is_stale(Entity entity) const {
    const Node& node = nodes.at(entity);
    return node.is_dirty || (!node.parent.is_null() && is_stale(node.parent));
  }
  /// What changes; nothing is dirty afterwards.
  std::set<Entity> update() {
    std::set<Entity> changed;
    for (const auto& [entity, node] : nodes) {
      if (is_stale(entity)) changed.insert(entity);
    }
    for (auto& [entity, node] : nodes) node.is_dirty = false;
    return changed;
  }

  std::map<Entity, Node> nodes;
};

/// Parents and locals; worlds if an update has been since. One assertion for all, because there are many.
template <class Form>
[[nodiscard]] bool is_same(const Form& form, const HierarchyModel& model, bool is_updated) {
  const auto agrees = [&](const auto& entry) {
    const auto& [entity, node] = entry;
    return form.contains(entity) && form.parent(entity) == node.parent && same_bits(form.local(entity), node.local) &&
           (!is_updated || same_bits(form.world(entity), model.world(entity)));
  };
  if constexpr (requires { form.size(); }) {
    if (form.size() != model.nodes.size()) return false;
  }
  return std::ranges::all_of(model.nodes, agrees);
}

/// What changed is compared too, if the form knows it.
template <class Form>
void update_both(Form& form, HierarchyModel& model) {
  form.update();
  const std::set<Entity> wanted = model.update();
  if constexpr (requires { form.each_changed([](Entity, const Matrix&) {}); }) {
    std::set<Entity> changed;
    bool are_right = true;
    form.each_changed([&](Entity entity, const Matrix& world) {
      are_right = are_right && changed.insert(entity).second && same_bits(world, model.world(entity));
    });
    REQUIRE(are_right);
    REQUIRE(changed == wanted);
  }
  REQUIRE(is_same(form, model, true));
}

/// Random operations on a form of a hierarchy and on the model.
template <class Form>
class RandomWork {
 public:
  explicit RandomWork(std::uint64_t seed) : random_(seed) {}
  RandomWork(const RandomWork&) = delete;
  RandomWork& operator=(const RandomWork&) = delete;
  virtual ~RandomWork() = default;

  void step() {
    const std::uint64_t what = random_() % 100;
    if (what < 25 || model_.nodes.empty()) return add();
    if (what < 60) return attach();
    if (what < 70) return detach(any());
    if (what < 76) return remove(any(), random_() % 2 == 0 ? Children::destroy : Children::detach);
    if (what < 90) return set_local(any(), what < 87);
    if (what < 92) return touch_all();
    attempt([this] { form_.settle(); });
    finish();
  }
  void compare() { REQUIRE(is_same(form_, model_, false)); }
  /// Also those that no update has computed yet.
  void compare_current_worlds() {
    REQUIRE(std::ranges::all_of(model_.nodes, [this](const auto& entry) {
      return same_bits(form_.current_world(entry.first), model_.world(entry.first));
    }));
  }
  void finish() { update_both(form_, model_); }

 private:
  virtual void attempt(const std::function<void()>& operation) { operation(); }

  void add() {
    const Matrix local = drawn_transform(random_);
    const Entity entity(next_, 0);
    attempt([&] { form_.add(entity, local); });
    ++next_;
    model_.add(entity, local);
  }
  /// The form refuses what the model says is a cycle.
  void attach() {
    const Entity child = any(), parent = any();
    const Keep keep = random_() % 2 == 0 ? Keep::local : Keep::world;
    if (model_.would_be_cycle(child, parent)) {
      CHECK_THROWS_AS(form_.attach(child, parent, keep), CyclicAttachment);
      return;
    }
    attempt([&] { form_.attach(child, parent, keep); });
    model_.attach(child, parent, keep);
  }
  void detach(Entity entity) {
    attempt([&] { form_.detach(entity); });
    model_.detach(entity);
  }
  void remove(Entity entity, Children children) {
    attempt([&] { form_.remove(entity, children); });
    model_.remove(entity, children);
  }
  void set_local(Entity entity, bool is_another) {
    HierarchyModel::Node& node = model_.nodes.at(entity);
    if (is_another) node.local = drawn_transform(random_);
    is_another ? form_.set_local(entity, node.local) : form_.touch(entity);
    node.is_dirty = true;
  }
  void touch_all() {
    form_.touch_all();
    for (auto& [entity, node] : model_.nodes) node.is_dirty = true;
  }
  Entity any() {
    return std::next(model_.nodes.begin(), static_cast<std::ptrdiff_t>(random_() % model_.nodes.size()))->first;
  }

  std::mt19937_64 random_;
  Form form_;
  HierarchyModel model_;
  EntityIndex next_ = 0;
};

}  // namespace stowage::testing
