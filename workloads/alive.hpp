#pragma once

// Workload: what it costs to ask whether a handle is alive, of storages and of registries alone.

#include <boost/version.hpp>

#include <stowage/contract/registry.hpp>
#if BOOST_VERSION >= 108100
#include <stowage/contract/hash_set_registry.hpp>
#endif

#include "workloads/support/published_managers.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard alive_card{
    .name = "alive",
    .setup =
        "2 n entities, of which a random half is destroyed; n handles drawn from all of them in a shuffle, so that "
        "about half are stale",
    .measured = "alive() for every handle of the shuffle",
    .item = "check",
    .checksum = "sum of an odd weight of the place in the shuffle over the handles that are alive",
    .favours = "registries whose generations lie densely: more of them fit a cache line",
    .disadvantages = "designs that keep what they know of an entity beside its generation",
    .floor =
        "1/8 line of the list of handles and a line for 4 bytes of generation per check, by a loop over a plain array "
        "of "
        "generations",
};

/// Which of the 2 n entities die, and which handles are asked for.
struct AlivePlan {
  Array<std::uint32_t> doomed, asked;

  explicit AlivePlan(const Parameters& parameters) {
    Random random(parameters.seed);
    doomed = random.permutation(2 * parameters.entities);
    doomed.resize(parameters.entities);
    asked = random.permutation(2 * parameters.entities);
    asked.resize(parameters.entities);
  }
};

/// A mask and not a branch, in every form: half of the answers are no, in no order, and whether a compiler turns that
/// into mispredictions has nothing to do with how liveness is stored.
[[nodiscard]] inline std::uint64_t weight_if(bool alive, std::size_t i) noexcept {
  return weight(i) & -static_cast<std::uint64_t>(alive);
}

template <class Storage>
class AliveCase : public StorageCase<Storage>, public SummedCase {
 public:
  explicit AliveCase(const Parameters& parameters) {
    const AlivePlan plan(parameters);
    Array<typename Storage::entity_type> all;
    for (std::size_t i = 0; i < 2 * parameters.entities; ++i) all.push_back(storage_.create());
    for (const std::uint32_t ordinal : plan.doomed) storage_.destroy(all[ordinal]);
    for (const std::uint32_t ordinal : plan.asked) handles_.push_back(all[ordinal]);
  }

  void run() {
    std::uint64_t living = 0;
    for (std::size_t i = 0; i < handles_.size(); ++i) living += weight_if(storage_.alive(handles_[i]), i);
    add_up(living);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }

 private:
  using StorageCase<Storage>::storage_;
  Array<typename Storage::entity_type> handles_;
};

/// The floor: a plain array of 4-byte generations.
class AliveReference : public SummedCase {
 public:
  explicit AliveReference(const Parameters& parameters) : generations_(2 * parameters.entities, 0) {
    const AlivePlan plan(parameters);
    for (const std::uint32_t ordinal : plan.doomed) ++generations_[ordinal];
    for (const std::uint32_t ordinal : plan.asked) handles_.push_back(Entity(ordinal, 0));
  }

  void run() {
    std::uint64_t living = 0;
    for (std::size_t i = 0; i < handles_.size(); ++i) living += weight_if(alive(handles_[i]), i);
    add_up(living);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const { return {.index_bytes = generations_.size() * 4, .allocations = 1}; }

 private:
  [[nodiscard]] bool alive(Entity entity) const noexcept {
    const std::uint32_t* const generations = generations_.data();
    return entity.index() < generations_.size() && generations[entity.index()] == entity.generation();
  }

  StoredArray<std::uint32_t> generations_;
  Array<Entity> handles_;
};

/// The contract floor of direct rows: an entity is its row, so that nothing need lie beside its generation.
class GenerationStore {
 public:
  using entity_type = Entity;

  Entity create() {
    if (free_.empty()) {
      generations_.push_back(0);
      return {static_cast<EntityIndex>(generations_.size() - 1), 0};
    }
    const EntityIndex index = free_.back();
    free_.pop_back();
    return {index, generations_[index]};
  }
  bool destroy(Entity entity) {
    if (!alive(entity)) return false;
    free_.push_back(entity.index());
    ++generations_[entity.index()];
    return true;
  }
  [[nodiscard]] bool alive(Entity entity) const noexcept {
    const std::uint32_t* const generations = generations_.data();
    return entity.index() < generations_.size() && generations[entity.index()] == entity.generation();
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t used = generations_.size() + free_.size();
    const std::size_t held = generations_.capacity() + free_.capacity();
    return {.index_bytes = used * sizeof(std::uint32_t),
            .slack_bytes = (held - used) * sizeof(std::uint32_t),
            .allocations = std::size_t{generations_.capacity() != 0} + std::size_t{free_.capacity() != 0}};
  }

 private:
  StoredArray<std::uint32_t> generations_;
  StoredArray<EntityIndex> free_;
};

/// A registry alone, without a storage around it: what the choice of the registry makes of `alive`.
template <class Variant>
class AliveRegistry : public Variant, public AliveCase<typename Variant::registry> {
 public:
  using AliveCase<typename Variant::registry>::AliveCase;
  static constexpr std::size_t most_entities = Variant::most_ids / 2;  // half of them die

  void clear() = delete;  // no storage, of which the memory pass measures what it keeps
};

struct WideHandles {
  using registry = EntityRegistry<>;
  static constexpr std::size_t most_ids = Entity::max_entities;
  static constexpr std::string_view form = "ours";
  static constexpr std::string_view name = "reference.registry_64bit";
  static constexpr std::string_view summary = "the default registry alone: 32 + 32 bits, freed indices do not wait";
};
struct QueuedNarrowHandles {
  using registry = QueuedRegistry;
  static constexpr std::size_t most_ids = Entity30::max_entities;
  static constexpr std::string_view form = "near";
  static constexpr std::string_view name = "reference.registry_22_8_1024";
  static constexpr std::string_view summary = "our registry with Bitsquid's 22 + 8 bits, of which 1024 freed wait";
};
struct PublishedHandles {
  using registry = PublishedRegistry<Entity30>;
  static constexpr std::size_t most_ids = Entity30::max_entities;
  static constexpr std::string_view name = "reference.registry_published";
  static constexpr std::string_view form = "exact";
  static constexpr std::string_view summary = "Bitsquid's registry as published: a byte of generation, over 1024 wait";
};
struct PublishedWideHandles {
  using registry = PublishedRegistry<Entity>;
  static constexpr std::size_t most_ids = Entity::max_entities;
  static constexpr std::string_view name = "reference.registry_published_wide";
  static constexpr std::string_view form = "ours";
  static constexpr std::string_view summary = "the rival of 8 bits: Bitsquid's registry with 32 bits of generation";
};
#if BOOST_VERSION >= 108100
struct LivingInHashSet {
  using registry = HashSetRegistry<>;
  static constexpr std::size_t most_ids = std::numeric_limits<registry::entity_type>::max();
  static constexpr std::string_view form = "tuned";
  static constexpr std::string_view name = "reference.registry_hash_set";
  static constexpr std::string_view summary = "the rival of generations alone: ids of the living in a hash set";
};
using HashSetRegistries = TypeList<AliveRegistry<LivingInHashSet>>;
#else
using HashSetRegistries = TypeList<>;
#endif

struct Alive {
  static constexpr const WorkloadCard& card = alive_card;
  using References =
      stowage::detail::concatenated<TypeList<AliveReference, ContractFloor<StoreName, AliveCase<PackedStore<>>>,
                                             ContractFloor<DirectName, AliveCase<GenerationStore>>,
                                             AliveRegistry<WideHandles>, AliveRegistry<QueuedNarrowHandles>,
                                             AliveRegistry<PublishedHandles>, AliveRegistry<PublishedWideHandles>>,
                                    HashSetRegistries>;

  [[nodiscard]] static std::vector<Axis> axes() { return {}; }
  [[nodiscard]] static std::size_t rows(const Parameters& parameters) { return 2 * parameters.entities; }
  /// A check reads its 8-byte handle, eight of which share a line, and 4 bytes of generation in a place that no earlier
  /// check tells anything about: 8/64 + 1 = 1.125.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr std::size_t generation_bytes = sizeof(EntityIndex);
    return {
        .lines_per_item = lines.in_sequence(sizeof(Entity)) + lines.touched({{0, generation_bytes}}, generation_bytes),
        .bytes_per_item = sizeof(Entity) + generation_bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<AliveCase<Strategy<PointMassSchema>>>(parameters);
  }
};

}  // namespace stowage::workloads
