// The rows of a component outside groups as an ordered array, compared with a vector in which the same is done.
#include <stowage/hash_index_node.hpp>
#include <stowage/indirection_map.hpp>

#include "tests/support/catch.hpp"
#include "workloads/support/random.hpp"

namespace stowage {
namespace {

/// Owns memory: a row that is moved as bytes, ended twice or not at all shows.
struct Label {
  std::string text;
};
struct Depth {
  std::uint32_t value;
};
struct Grouped {
  std::uint32_t value;
};
struct Partner {
  std::uint32_t value;
};
using Scene = Schema<Label, Depth, Group<Grouped, Partner>>;

template <class Storage, class C>
concept HasRowsOf = requires(Storage storage) { storage.template row_count<C>(); };
static_assert(HasRowsOf<IndirectionMap<Scene>, Label>);
static_assert(!HasRowsOf<IndirectionMap<Scene>, Grouped>, "a grouped component has rows in two pools");

/// A storage and the labels that it has to hold, in their order.
template <class Storage>
class Labels {
 public:
  using Handle = typename Storage::entity_type;

  void create(std::uint32_t number) {
    const std::string text = "too long for a small string: " + std::to_string(number);
    const Handle entity = storage_.create(Label{text}, Depth{number});
    order_.emplace_back(entity, text);
  }
  void remove_ordered(std::size_t row) {
    REQUIRE(storage_.template remove_ordered<Label>(order_[row].first));
    REQUIRE_FALSE(storage_.template remove_ordered<Label>(order_[row].first));
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(row));
  }
  void move_item(std::size_t from, std::size_t to) {
    storage_.template move_item<Label>(from, to);
    const auto item = order_[from];
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(from));
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(to), item);
  }
  /// The plain form: the last row moves into the hole.
  void destroy(std::size_t row) {
    REQUIRE(storage_.destroy(order_[row].first));
    order_[row] = order_.back();
    order_.pop_back();
  }

  void check() {
    REQUIRE(storage_.template row_count<Label>() == order_.size());
    for (std::size_t row = 0; row < order_.size(); ++row) {
      const auto& [entity, text] = order_[row];
      REQUIRE(storage_.template entity_of_row<Label>(row) == entity);
      REQUIRE(storage_.template component_of_row<Label>(row).text == text);
      REQUIRE(std::as_const(storage_).template component_of_row<Label>(row).text == text);
      REQUIRE(storage_.template row_of<Label>(entity) == row);
      REQUIRE(storage_.template find<Label>(entity)->text == text);
    }
    std::size_t visited = 0;
    storage_.template each<const Label>([&](Handle entity, const Label&) {
      REQUIRE(order_[visited].first == entity);
      ++visited;
    });
    REQUIRE(visited == order_.size());
  }

  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] Storage& storage() { return storage_; }

 private:
  Storage storage_;
  std::vector<std::pair<Handle, std::string>> order_;
};

TEMPLATE_TEST_CASE("ordered operations keep the order of all other rows, whatever the index and the layout", "",
                   IndirectionMap<Scene>, IndirectionMapVectors<Scene>, (IndirectionMap<Scene, QueuedRegistry>),
                   HashIndexNode<Scene>) {
  Labels<TestType> labels;
  workloads::Random random(7);
  for (std::uint32_t step = 0; step < 600; ++step) {
    const std::uint64_t kind = random.below(6);
    if (labels.size() < 3 || kind <= 2) {
      labels.create(step);
    } else if (kind == 3) {
      labels.remove_ordered(random.below(labels.size()));
    } else if (kind == 4) {
      labels.destroy(random.below(labels.size()));
    } else {
      labels.move_item(random.below(labels.size()), random.below(labels.size()));
    }
    if (step % 20 == 19) labels.check();
  }
  labels.check();
}

TEST_CASE("the ends of the order, and a move to where a row is") {
  Labels<IndirectionMap<Scene>> labels;
  for (std::uint32_t i = 0; i < 5; ++i) labels.create(i);
  labels.move_item(0, 4);
  labels.check();
  labels.move_item(4, 0);
  labels.check();
  labels.move_item(2, 2);
  labels.check();
  labels.remove_ordered(4);
  labels.remove_ordered(0);
  labels.check();
}

TEST_CASE("an entity without the component, or without a life, has no row of it") {
  IndirectionMap<Scene> storage;
  const Entity bare = storage.create();
  const Entity dead = storage.create(Label{"label"});
  storage.destroy(dead);
  for (const Entity entity : {bare, dead, Entity{}}) {
    CHECK(storage.row_of<Label>(entity) == std::nullopt);
    CHECK_FALSE(storage.remove_ordered<Label>(entity));
  }
}

TEST_CASE("a removal that keeps the order leaves the entity's other components alone") {
  IndirectionMap<Scene> storage;
  const Entity entity = storage.create(Label{"label"}, Depth{3}, Grouped{4}, Partner{5});
  CHECK(storage.remove_ordered<Label>(entity));
  CHECK(storage.find<Label>(entity) == nullptr);
  CHECK(storage.find<Depth>(entity)->value == 3);
  CHECK(storage.find<Grouped>(entity)->value == 4);
}

}  // namespace
}  // namespace stowage
