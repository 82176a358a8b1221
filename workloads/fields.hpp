#pragma once

// Workload: whether an entity is looked up once for all of its components, or again for each of them.

#include "workloads/lookup.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard fields_card{
    .name = "fields",
    .setup = "as in lookup",
    .measured =
        "one float of each of the four components of every entity of the shuffle: find:once by one find, find:each by "
        "four, which know nothing of each other, as in functions that are compiled apart",
    .item = "entity",
    .checksum = "as in lookup",
    .favours = "find:each indices that are quick once their line is in the cache",
    .disadvantages = "find:each hashes, and streams that are walked again",
    .floor = "as in lookup components:4, for both",
};

template <class Storage>
class FieldsCase : public LookupCase<Storage, Mass, Position, Velocity, Acceleration> {
  using Base = LookupCase<Storage, Mass, Position, Velocity, Acceleration>;

 public:
  explicit FieldsCase(const Parameters& parameters) : Base(parameters), once_(parameters.get("find") == "once") {}

  void run() {
    if (once_) return Base::run();
    std::uint64_t sum = 0;
    const auto add = [&](std::uint64_t value) {
      sum += value;
      keep(this->storage_);
    };
    for (const auto entity : this->handles_) {
      sum *= 3;
      add(look_up<Mass>(this->storage_, entity));
      add(look_up<Position>(this->storage_, entity));
      add(look_up<Velocity>(this->storage_, entity));
      add(look_up<Acceleration>(this->storage_, entity));
    }
    this->sum_ += sum;
  }

 private:
  bool once_;
};

/// The workload that both are.
[[nodiscard]] inline Parameters four_looked_up(const Parameters& parameters) {
  return {.entities = parameters.entities, .values = {{"components", "4"}}, .seed = parameters.seed};
}
struct FieldsReference {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<LookupReference>(four_looked_up(parameters));
  }
};

struct Fields {
  static constexpr const WorkloadCard& card = fields_card;
  using References =
      TypeList<FieldsReference,
               ContractFloor<StoreName, FieldsCase<PackedStore<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<SectionsName, FieldsCase<TwoSections<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<InterleavedName, FieldsCase<InterleavedStore<Mass, Position, Velocity, Acceleration>>>>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"find", {"once", "each"}, {"once", "each"}}}; }
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    return Lookup::floor(four_looked_up(parameters), lines);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<FieldsCase<Strategy<PointMassSchema>>>(parameters);
  }
};

}  // namespace stowage::workloads
