#pragma once

// Workload: several instances of a component per entity, as chained entities or in the library's MultiInstancePool.

#include <stowage/multi_instance/multi_instance_pool.hpp>

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard multi_instance_card{
    .name = "multi_instance",
    .setup =
        "n owners with `instances` instances of 16 bytes each, made in as many rounds over all owners, each in a "
        "shuffle "
        "of its own. An instance is an entity whose component also holds the handle of the next one; the owner's "
        "component holds the first",
    .measured =
        "all owners are visited, and for each the chain of its instances is walked by handle; 8 bytes of each are read",
    .item = "instance",
    .checksum =
        "wrapping sum over instances of what was read (a hash of owner and round) times an odd weight of the place in "
        "the chain, accumulated by the pass itself",
    .favours = "designs with a cheap lookup: the chain is a lookup an instance",
    .disadvantages = "hash maps and heap objects",
    .floor = "16/64 lines per instance, by a loop over an array in which the instances of an owner lie side by side",
    .sizes = {16 * 1024, 32 * 1024},
};

struct Instance {
  std::uint64_t value;
  std::uint64_t padding;
};

/// An instance as a component of an entity of its own.
template <class Handle>
struct ChainedInstance {
  Instance instance;
  Handle next;  ///< null at the end of the chain
};
template <class Handle>
struct FirstInstance {
  Handle first;
};

/// The instances of all owners: which owners get one in each round, in which order, and with which value.
class InstancePlan {
 public:
  explicit InstancePlan(const Parameters& parameters)
      : seed_(parameters.seed), owners_(parameters.entities), rounds_(std::stoul(parameters.get("instances"))) {}

  [[nodiscard]] std::size_t owners() const noexcept { return owners_; }
  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] Instance instance(std::size_t owner, std::size_t round) const {
    return {mixed(seed_ + round, owner), 0};
  }

  /// Calls `make(owner, instance)` for each. An instance goes before those of its owner that were made before it.
  template <class Make>
  void for_each(Make&& make) const {
    Random random(seed_);
    for (std::size_t round = 0; round < rounds_; ++round) {
      for (const std::uint32_t owner : random.permutation(owners_)) make(owner, instance(owner, round));
    }
  }

 private:
  std::uint64_t seed_;
  std::size_t owners_;
  std::size_t rounds_;
};

/// `Handle` is what the storage's entities are named by.
template <class Storage, class Handle>
class MultiInstanceCase : public StorageCase<Storage>, public SummedCase {
  using First = FirstInstance<Handle>;
  using Chained = ChainedInstance<Handle>;

 public:
  explicit MultiInstanceCase(const Parameters& parameters) {
    const InstancePlan plan(parameters);
    items_ = plan.rounds() * plan.owners();
    storage_.template reserve<First>(plan.owners());
    storage_.template reserve<Chained>(items_);
    Array<Handle> owners;
    for (std::size_t i = 0; i < parameters.entities; ++i) owners.push_back(storage_.create(First{Handle()}));
    plan.for_each([&](std::size_t owner, const Instance& instance) {
      const Handle next = storage_.template find<First>(owners[owner])->first;
      const Handle made = storage_.create(Chained{instance, next});
      storage_.template find<First>(owners[owner])->first = made;
    });
  }

  void run() {
    std::uint64_t sum = 0;
    storage_.template each<const First>([&](const First& owner) {
      std::size_t place = 0;
      for (Handle handle = owner.first; !handle.is_null();) {
        const auto found = storage_.template find<const Chained>(handle);
        if (found == nullptr) break;
        sum += found->instance.value * weight(place++);
        handle = found->next;
      }
    });
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return items_; }

 private:
  std::size_t items_ = 0;
  using StorageCase<Storage>::storage_;
};

/// The floor: all instances of an owner side by side, the last made first.
class MultiInstanceReference : public SummedCase {
 public:
  explicit MultiInstanceReference(const Parameters& parameters) {
    const InstancePlan plan(parameters);
    for_each_owner_ = plan.rounds();
    instances_.reserve(plan.owners() * plan.rounds());
    for (std::size_t owner = 0; owner < plan.owners(); ++owner) {
      for (std::size_t round = plan.rounds(); round-- > 0;) instances_.push_back(plan.instance(owner, round));
    }
  }

  void run() {
    add_up(for_each_owner_ == 1 ? sum_of(std::integral_constant<std::size_t, 1>{}) : sum_of(for_each_owner_));
  }

  [[nodiscard]] std::uint64_t items() const { return instances_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = instances_.size() * sizeof(Instance), .allocations = 1};
  }

 private:
  /// A compiler that knows that there is one turn leaves the inner loop out.
  template <class Number>
  [[nodiscard]] std::uint64_t sum_of(Number each) const {
    std::uint64_t sum = 0;
    for (std::size_t first = 0; first < instances_.size(); first += each) {
      for (std::size_t place = 0; place < each; ++place) sum += instances_[first + place].value * weight(place);
    }
    return sum;
  }

  std::size_t for_each_owner_ = 0;
  StoredArray<Instance> instances_;
};

/// The library's pool for this: rows chained by row numbers, without an entity for each instance.
class MultiInstanceByPool : public SummedCase {
 public:
  static constexpr std::string_view name = "reference.multi_instance_pool";
  static constexpr std::string_view summary = "stowage::MultiInstancePool: instances chained by their rows";
  explicit MultiInstanceByPool(const Parameters& parameters) : owners_(parameters.entities) {
    const InstancePlan plan(parameters);
    pool_.reserve(plan.owners(), plan.owners() * plan.rounds());
    plan.for_each([this](std::size_t owner, const Instance& instance) {
      pool_.add(Entity(static_cast<EntityIndex>(owner), 0), instance);
    });
  }

  void run() {
    std::uint64_t sum = 0;
    for (std::size_t owner = 0; owner < owners_; ++owner) {
      std::size_t place = 0;
      pool_.for_each_of(Entity(static_cast<EntityIndex>(owner), 0),
                        [&](const Instance& instance) { sum += instance.value * weight(place++); });
    }
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return pool_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const { return pool_.memory(); }

 private:
  std::size_t owners_;
  MultiInstancePool<Instance> pool_;
};

struct MultiInstance {
  static constexpr const WorkloadCard& card = multi_instance_card;
  /// No entity has both, so a slot has one place, of pools as of sections.
  using Store = SectionStore<Types<ChainedInstance<Entity>>, Types<FirstInstance<Entity>>>;
  using Direct = DirectStore<ChainedInstance<Entity>, FirstInstance<Entity>>;
  using References = TypeList<MultiInstanceReference, ContractFloor<StoreName, MultiInstanceCase<Store, Entity>>,
                              ContractFloor<DirectName, MultiInstanceCase<Direct, Entity>>, MultiInstanceByPool>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"instances", {"1", "2", "4", "8"}, {"1", "4"}}}; }
  [[nodiscard]] static std::size_t rows(const Parameters& parameters) {
    return parameters.entities * std::stoul(parameters.get("instances"));
  }
  /// 8 bytes of an instance are read, which stays whole: 16/64 = 0.25, if those of an owner lie side by side and
  /// those of all owners in the order of the walk. A storage that places them so needs neither handles nor a first one.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    return {.lines_per_item = lines.in_sequence(sizeof(Instance)), .bytes_per_item = sizeof(Instance::value)};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Handle = typename Strategy<ProbeSchema>::entity_type;
    using Storage = Strategy<Schema<FirstInstance<Handle>, ChainedInstance<Handle>>>;
    return make_case<MultiInstanceCase<Storage, Handle>>(parameters);
  }
};

}  // namespace stowage::workloads
