#pragma once

#include <cstddef>
#include <memory>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>

namespace stowage::workloads {

/// The scene graph of Wicked Engine as the article (2019) has it: two component managers, each with packed components,
/// packed entities and a std::unordered_map, which is `hash_index.node_hash_vectors`.
///
///     hierarchy    [entity ...] [parent, inverse bind ...]      parents before their children
///     transforms   [entity ...] [local, world ...]              in the order of creation
///
///     update()     for each row of hierarchy: look the child's and the parent's transform up;
///                  world = world of the parent * (inverse bind * local)
///     attach()     a row behind the last; then, from the last row up, each that is the parent of a row before it is
///     moved
///                  before that, all in between by one: O(rows squared), and O(rows) map entries for each move
///     detach()     the row goes, all behind it move up by one
///
/// A form to be compared with and not to be taken: it knows neither which nodes are dirty nor which changed, and a
/// cycle is not refused. What is created and attached before the first update() comes as from a file: arrays that are
/// in order already, because attaching node by node takes O(nodes cubed).
class WickedScene {
 public:
  using Handle = Entity;

  explicit WickedScene(std::size_t nodes);
  WickedScene(const WickedScene&) = delete;
  WickedScene& operator=(const WickedScene&) = delete;
  ~WickedScene();

  /// Before the first update(), parents before their children.
  Handle create(const Matrix& local);
  /// The article keeps the child's place in the world, by the inverse of the parent's world. Keep::local is the later
  /// engine's `child_already_in_local_space`; the inverse bind is the identity then, and multiplied all the same.
  void attach(Handle child, Handle parent, Keep keep = Keep::local);
  void detach(Handle node);
  /// With all below it. The article does not say how; the later engine looks through all rows for the children of each.
  void destroy(Handle node);
  /// In the space of the parent.
  void set_local(Handle node, const Matrix& local);
  void write_local(Handle node, const Matrix& local) { set_local(node, local); }
  /// All are computed in every update.
  void touch(Handle) noexcept {}
  void touch_all() noexcept {}
  void settle() noexcept {}
  void update();

  [[nodiscard]] bool contains(Handle node) const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] Matrix local(Handle node) const;
  [[nodiscard]] const Matrix& world(Handle node) const;
  [[nodiscard]] MemoryBreakdown memory() const;

 protected:
  struct Managers;
  [[nodiscard]] Managers& managers() noexcept { return *managers_; }

 private:
  std::unique_ptr<Managers> managers_;
};

/// The same loop, each run of rows of which none is the parent of another as a parallel for: flat, that is the whole
/// array. Created level by level, it is a level.
class SharedWickedScene : public WickedScene {
 public:
  explicit SharedWickedScene(std::size_t nodes);
};

}  // namespace stowage::workloads
