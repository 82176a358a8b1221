#include "workloads/support/wicked_scene.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/hash_index_node.hpp>

#include "workloads/support/array.hpp"
#include "workloads/support/keep.hpp"
#include "workloads/support/workers.hpp"

namespace stowage::workloads {
namespace {

struct Below {
  Entity parent;
  Matrix inverse_bind;
};
struct Transform {
  Matrix local;  ///< in the world if there is no parent, or before the inverse bind
  Matrix world;  ///< without a parent it is the local
};

}  // namespace

struct WickedScene::Managers {
  HashIndexNodeVectors<Schema<Below, Transform>> storage;
  Array<std::pair<Entity, Entity>> to_load;  ///< child and parent, until the first update()
  Array<std::size_t> ends_of_runs;           ///< of rows of Below, none of which is the parent of another; as needed
  std::optional<Workers> workers;            ///< that share each run, if any do
  bool is_loaded = false;

  [[nodiscard]] Transform& transform(Entity node) { return *storage.find<Transform>(node); }

  /// The arrays of a file: in the order of creation, in which parents come first.
  void load() {
    Array<Entity> parents(storage.row_count<Transform>());
    for (const auto& [child, parent] : to_load) parents[child.index()] = parent;
    for (std::size_t row = 0; row < parents.size(); ++row) {
      if (parents[row].is_null()) continue;
      STOWAGE_ASSERT(parents[row].index() < row, "parents are created before their children");
      storage.emplace<Below>(storage.entity_of_row<Transform>(row), Below{parents[row], hierarchy::identity()});
    }
    Array<std::pair<Entity, Entity>>().swap(to_load);
    is_loaded = true;
  }

  /// The article's loop, after its correction.
  void put_parents_first() {
    for (std::size_t i = storage.row_count<Below>() - 1; i > 0; --i) {
      const Entity candidate = storage.entity_of_row<Below>(i);
      for (std::size_t j = 0; j < i; ++j) {
        if (storage.component_of_row<Below>(j).parent != candidate) continue;
        storage.move_item<Below>(i, j);
        ++i;  // another is in this row now
        break;
      }
    }
  }

  /// The article's loop, of rows from `first` to `end`.
  void update(std::size_t first, std::size_t end) {
    for (std::size_t row = first; row < end; ++row) {
      const Below& below = storage.component_of_row<Below>(row);
      Transform* const child = storage.find<Transform>(storage.entity_of_row<Below>(row));
      const Transform* const parent = storage.find<Transform>(below.parent);
      if (child == nullptr || parent == nullptr) continue;
      child->world = hierarchy::compose(parent->world, hierarchy::compose(below.inverse_bind, child->local));
    }
  }
  /// The same as a parallel for over each run, in chunks of rows.
  void update_by_threads() {
    constexpr std::size_t rows_per_chunk = 1024;
    if (ends_of_runs.empty()) find_runs();
    std::size_t first = 0;
    for (const std::size_t end : ends_of_runs) {
      const auto work = [&](std::size_t chunk, std::size_t last) {
        update(first + chunk * rows_per_chunk, std::min(end, first + last * rows_per_chunk));
      };
      if (end - first <= rows_per_chunk) {
        update(first, end);
      } else {
        workers->run((end - first + rows_per_chunk - 1) / rows_per_chunk, ChunkWork(work));
      }
      first = end;
    }
  }
  void find_runs() {
    const std::size_t rows = storage.row_count<Below>();
    std::size_t first = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const Below* const parent = storage.find<Below>(storage.component_of_row<Below>(row).parent);
      if (parent == nullptr || parent < &storage.component_of_row<Below>(first)) continue;
      ends_of_runs.push_back(row);
      first = row;
    }
    ends_of_runs.push_back(rows);
  }

  [[nodiscard]] Matrix local_in_parent(Entity node) {
    const Below* const below = storage.find<Below>(node);
    const Matrix& local = transform(node).local;
    return below != nullptr ? hierarchy::compose(below->inverse_bind, local) : local;
  }
  /// As update() would compute it.
  [[nodiscard]] Matrix world_now(Entity node) {
    const Below* const below = storage.find<Below>(node);
    return below != nullptr ? hierarchy::compose(world_now(below->parent), local_in_parent(node))
                            : transform(node).local;
  }
};

WickedScene::WickedScene(std::size_t nodes) : managers_(std::make_unique<Managers>()) {
  managers_->storage.reserve<Below, Transform>(nodes);
}
WickedScene::~WickedScene() = default;

SharedWickedScene::SharedWickedScene(std::size_t nodes) : WickedScene(nodes) {
  managers().workers.emplace(Workers::most());
}

WickedScene::Handle WickedScene::create(const Matrix& local) {
  return managers_->storage.create(Transform{local, local});
}

void WickedScene::attach(Handle child, Handle parent, Keep keep) {
  Managers& managers = *managers_;
  if (!managers.is_loaded) return managers.to_load.emplace_back(child, parent), void();
  Below below{parent, hierarchy::identity()};
  Matrix local = managers.local_in_parent(child);
  if (keep == Keep::world) {
    local = managers.world_now(child);
    below.inverse_bind = hierarchy::inverted(managers.world_now(parent));
  }
  managers.storage.remove_ordered<Below>(child);
  managers.storage.emplace<Below>(child, below);
  managers.put_parents_first();
  managers.ends_of_runs.clear();
  managers.transform(child).local = local;
}

void WickedScene::detach(Handle node) {
  Transform& transform = managers_->transform(node);
  transform.local = transform.world = managers_->world_now(node);
  managers_->storage.remove_ordered<Below>(node);
  managers_->ends_of_runs.clear();
}

void WickedScene::destroy(Handle node) {
  auto& storage = managers_->storage;
  Array<Entity> children;
  for (std::size_t row = 0; row < storage.row_count<Below>(); ++row) {
    if (storage.component_of_row<Below>(row).parent == node) children.push_back(storage.entity_of_row<Below>(row));
  }
  for (const Entity child : children) destroy(child);
  storage.remove_ordered<Below>(node);
  storage.destroy(node);
  managers_->ends_of_runs.clear();
}

void WickedScene::set_local(Handle node, const Matrix& local) {
  Transform& transform = managers_->transform(node);
  transform.local = local;
  if (Below* const below = managers_->storage.find<Below>(node)) {
    below->inverse_bind = hierarchy::identity();
  } else {
    transform.world = local;
  }
}

void WickedScene::update() {
  auto& storage = managers_->storage;
  if (!managers_->is_loaded) managers_->load();
  if (!managers_->workers) {
    managers_->update(0, storage.row_count<Below>());
  } else {
    managers_->update_by_threads();
  }
  keep(storage);
}

bool WickedScene::contains(Handle node) const { return managers_->storage.alive(node); }
std::size_t WickedScene::size() const { return managers_->storage.size(); }
Matrix WickedScene::local(Handle node) const { return managers_->local_in_parent(node); }
const Matrix& WickedScene::world(Handle node) const { return managers_->transform(node).world; }

MemoryBreakdown WickedScene::memory() const {
  return managers_->storage.memory() + MemoryBreakdown{.slack_bytes = sizeof(Managers), .allocations = 1};
}

}  // namespace stowage::workloads
