#pragma once

// Workload: a loop that wants 8 bytes of large entities, for which Bitsquid splits a component's data into arrays.

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard point_mass_subset_card{
    .name = "point_mass_subset",
    .setup =
        "n entities of `bytes` bytes, of which the loop wants 8: the storage is told so by a schema with the 8 and the "
        "rest as two components of one group",
    .measured = "one pass that reads the 8 bytes of every entity",
    .item = "entity",
    .checksum = "wrapping sum of what was read (a hash of the ordinal), accumulated by the pass itself",
    .favours = "designs that keep each component contiguous: the rest costs them nothing, however much it is",
    .disadvantages = "interleaved rows, which fetch the rest along, and heap objects",
    .floor = "8/64 lines per entity, by a loop over an array of the field alone",
    .sizes = {16 * 1024, 1024 * 1024},
};

/// The field that the loop reads.
struct Wanted {
  std::uint64_t value;
};
template <std::size_t Bytes>
struct Unwanted {
  std::array<std::uint64_t, Bytes / sizeof(std::uint64_t)> values;
};

[[nodiscard]] inline Wanted wanted(std::uint64_t seed, std::size_t ordinal) { return {mixed(seed, ordinal)}; }

/// `Bytes` of the entity are not read.
template <class Storage, std::size_t Bytes>
class SubsetCase : public StorageCase<Storage>, public SummedCase {
 public:
  explicit SubsetCase(const Parameters& parameters) {
    storage_.template reserve<Wanted, Unwanted<Bytes>>(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      storage_.create(wanted(parameters.seed, i), Unwanted<Bytes>{});
    }
  }

  void run() {
    std::uint64_t sum = 0;
    storage_.template each<const Wanted>([&](const Wanted& field) { sum += field.value; });
    add_up(sum);
  }

 private:
  using StorageCase<Storage>::storage_;
};

/// The fields as members of a struct, in an array of which the loop reads one member; `Bytes` are the others.
template <std::size_t Bytes>
class SubsetOfWhole : public SummedCase {
  struct Whole {
    Wanted wanted;
    Unwanted<Bytes> unwanted;
  };

 public:
  explicit SubsetOfWhole(const Parameters& parameters) {
    rows_.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) rows_.push_back({wanted(parameters.seed, i), {}});
  }

  void run() {
    std::uint64_t sum = 0;
    for (const Whole& row : rows_) sum += row.wanted.value;
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return rows_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = rows_.size() * sizeof(Whole), .allocations = 1};
  }

 private:
  StoredArray<Whole> rows_;
};

/// The floor: an array of the field alone; the others in one that is not touched.
class SubsetReference : public SummedCase {
 public:
  explicit SubsetReference(const Parameters& parameters)
      : unwanted_(parameters.entities * (std::stoul(parameters.get("bytes")) - sizeof(Wanted))) {
    wanted_.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) wanted_.push_back(wanted(parameters.seed, i));
  }

  void run() {
    std::uint64_t sum = 0;
    for (const Wanted& field : wanted_) sum += field.value;
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return wanted_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = wanted_.size() * sizeof(Wanted) + unwanted_.size(), .allocations = 2};
  }

 private:
  StoredArray<Wanted> wanted_;
  StoredArray<std::byte> unwanted_;
};

/// Calls `make` with the bytes that are not read as a constant.
template <class Make>
[[nodiscard]] std::unique_ptr<Measurement> with_unwanted(const Parameters& parameters, Make&& make) {
  return with_number<16, 32, 64, 128, 256>(parameters.get("bytes"), [&](auto bytes) {
    return make(std::integral_constant<std::size_t, bytes - sizeof(Wanted)>{});
  });
}

/// What a component costs that is declared whole: in every layout all of it is fetched.
struct SubsetOfWholeYardstick {
  static constexpr std::string_view name = "reference.whole";
  static constexpr std::string_view summary = "hand-written array of structs of which one member is read";

  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_unwanted(parameters, [&](auto bytes) { return make_case<SubsetOfWhole<bytes>>(parameters); });
  }
};

/// To a storage of whole components a field is a component of its own, and the group says that they belong together:
/// columns then fetch the field, interleaved rows all of them.
struct PointMassSubset {
  static constexpr const WorkloadCard& card = point_mass_subset_card;
  using References = TypeList<SubsetReference, SubsetOfWholeYardstick>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"bytes", {"16", "32", "64", "128", "256"}, {"16", "256"}}}; }
  /// 8 bytes are read, next to each other if the fields have an array of their own: 8/64 = 0.125.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double bytes = sizeof(Wanted);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_unwanted(parameters, [&](auto bytes) {
      return make_case<SubsetCase<Strategy<Schema<Group<Wanted, Unwanted<bytes>>>>, bytes>>(parameters);
    });
  }
};

}  // namespace stowage::workloads
