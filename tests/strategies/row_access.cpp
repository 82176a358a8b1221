// The rows of a component outside groups as an ordered array, compared with a vector in which the same is done, and
// rows that are sorted by a key.
#include <stowage/hash_index_node.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/indirection_map_lanes.hpp>
#include <stowage/indirection_map_lazy.hpp>
#include <stowage/indirection_map_paired.hpp>

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

constexpr auto by_value = [](const auto& component, const auto& other) { return component.value < other.value; };

template <class Storage>
concept SortsRows = requires(Storage& storage) { storage.template sort_rows<Depth>(by_value); };
static_assert(SortsRows<IndirectionMap<Scene>>);
static_assert(!SortsRows<IndirectionMapLazy<Scene>>, "rows of the dead are between those of the living");
static_assert(!SortsRows<IndirectionMapPaired<Scene>>, "rows of complete groups are in equal order in all pools");

TEMPLATE_TEST_CASE("sort_rows: rows are visited in the order of a key, equal ones as before, and handles find theirs",
                   "", IndirectionMap<Scene>, IndirectionMapLanes<Scene>, (IndirectionMap<Scene, QueuedRegistry>),
                   HashIndexNode<Scene>) {
  using Handle = typename TestType::entity_type;
  TestType storage;
  workloads::Random random(11);
  std::vector<std::pair<Handle, std::uint32_t>> order;  // and the depth of each
  for (std::uint32_t i = 0; i < 400; ++i) {
    const auto depth = static_cast<std::uint32_t>(random.below(100));
    const Handle entity = i % 3 == 0
                              ? storage.create(Label{std::to_string(i)}, Depth{depth}, Grouped{depth})
                              : storage.create(Label{std::to_string(i)}, Depth{depth}, Grouped{depth}, Partner{i});
    order.emplace_back(entity, depth);
  }
  const auto created = order;

  for (int round = 0; round < 4; ++round) {
    storage.template sort_rows<Depth>(by_value);
    storage.template sort_rows<Grouped>(by_value);
    std::ranges::stable_sort(order, {}, &std::pair<Handle, std::uint32_t>::second);
    std::size_t row = 0;
    storage.template each<const Depth>([&](Handle entity, const Depth& depth) {
      REQUIRE(std::pair(entity, depth.value) == order[row]);
      ++row;
    });
    REQUIRE(row == order.size());
    std::vector<std::uint32_t> complete, all;
    storage.template each<const Grouped, const Partner>(
        [&](const Grouped& grouped, const Partner&) { complete.push_back(grouped.value); });
    storage.template each<const Grouped>([&](const Grouped& grouped) { all.push_back(grouped.value); });
    CHECK(std::ranges::is_sorted(complete));
    CHECK((all.size() == order.size() && std::ranges::equal(complete, std::span(all).first(complete.size()))));
    CHECK(std::ranges::is_sorted(std::span(all).subspan(complete.size())));
    for (std::uint32_t i = 0; i < created.size(); ++i) {
      REQUIRE(storage.template find<Label>(created[i].first)->text == std::to_string(i));
      if (i % 3 != 0) REQUIRE(storage.template find<const Partner>(created[i].first)->value == i);
    }

    for (int i = 0; i < 30; ++i) {
      auto& [entity, depth] = order[random.below(order.size())];
      depth = static_cast<std::uint32_t>(random.below(100));
      storage.template find<Depth>(entity)->value = depth;
      storage.template find<Grouped>(entity)->value = depth;
    }
  }
}

}  // namespace
}  // namespace stowage
