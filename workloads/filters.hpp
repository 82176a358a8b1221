#pragma once

// Workload: what With, Without and Optional cost a loop, by how many entities they admit.

#include <cmath>

#include <stowage/contract/query.hpp>

#include "workloads/support/markers.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard filters_card{
    .name = "filters",
    .setup =
        "n entities with Position and Velocity (24 bytes), of which `share` % drawn at random have a component without "
        "state (filter:with, without), as many others a second one (two_without), or a Mass (4 bytes; optional); "
        "`sets` "
        "combinations of four markers, drawn at random for each entity",
    .measured =
        "one pass: position += velocity dt, over those with the component, without it, without both, or over all, "
        "times "
        "the Mass of those that have one",
    .item = "visited entity",
    .checksum = "hash(bits of position) of every entity after the passes",
    .favours = "sections: a filter is answered once for a whole set",
    .disadvantages = "pools: a look at another pool for every row, whose answer a processor cannot foresee",
    .floor =
        "24/64 lines per visited entity, and 4/64 for each Mass, by a loop over arrays of those that are visited alone",
    .sizes = {16 * 1024, 256 * 1024},
};

inline constexpr std::size_t filters_markers = 4;
using FirstFilter = Marker<filters_markers>;
using SecondFilter = Marker<filters_markers + 1>;

enum class FilterKind : std::uint8_t { with, without, two_without, optional };

/// What the entities have, and which of them a filter admits: drawn in the same order for all.
class FilterPlan {
 public:
  struct Entity {
    bool first, second;
    std::size_t set;
  };

  explicit FilterPlan(const Parameters& parameters)
      : kind_(kind_of(parameters)), values_(parameters.seed), entities_(parameters.entities) {
    const std::size_t sets = std::stoul(parameters.get("sets"));
    const std::size_t wanted = entities_.size() * std::stoul(parameters.get("share")) / 100;
    const std::size_t with_first = std::max<std::size_t>(wanted, kind_ == FilterKind::with ? 1 : 0);
    Random random(parameters.seed);
    const Array<std::uint32_t> drawn = random.permutation(entities_.size());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const bool has_second = kind_ == FilterKind::two_without && i % 2 == 0;
      entities_[drawn[i]] = {i < with_first, has_second, random.below(sets)};
    }
  }

  [[nodiscard]] FilterKind kind() const noexcept { return kind_; }
  [[nodiscard]] const Values& values() const noexcept { return values_; }
  [[nodiscard]] std::size_t size() const noexcept { return entities_.size(); }
  [[nodiscard]] const Entity& operator[](std::size_t i) const noexcept { return entities_[i]; }
  [[nodiscard]] bool admits(const Entity& entity) const noexcept {
    if (kind_ == FilterKind::with) return entity.first;
    return kind_ == FilterKind::optional || (!entity.first && !entity.second);
  }
  [[nodiscard]] std::size_t admitted() const noexcept {
    std::size_t sum = 0;
    for (const Entity& entity : entities_) sum += admits(entity) ? 1 : 0;
    return sum;
  }
  [[nodiscard]] bool has_mass(const Entity& entity) const noexcept {
    return kind_ == FilterKind::optional && entity.first;
  }
  [[nodiscard]] static Mass mass(std::size_t i) { return {static_cast<float>(2 + i % 7) / 1024.0f}; }

 private:
  [[nodiscard]] static FilterKind kind_of(const Parameters& parameters) {
    const std::string& name = parameters.get("filter");
    if (name == "with") return FilterKind::with;
    if (name == "without") return FilterKind::without;
    return name == "optional" ? FilterKind::optional : FilterKind::two_without;
  }

  FilterKind kind_;
  Values values_;
  Array<Entity> entities_;
};

/// `factor` is the step of time, or the Mass, which is never the same.
inline void move_along(Position& position, const Velocity& velocity, float factor = 1.0f / 1024.0f) {
  position.x += velocity.x * factor;
  position.y += velocity.y * factor;
  position.z += velocity.z * factor;
}

template <class Storage>
class FiltersCase : public StorageCase<Storage> {
 public:
  explicit FiltersCase(const Parameters& parameters) {
    const FilterPlan plan(parameters);
    kind_ = plan.kind();
    items_ = plan.admitted();
    make_room<Position, Velocity>(storage_, plan.size());
    make_room<Mass>(storage_, plan.size());
    make_room_for_markers<filters_markers + 2>(storage_, plan.size());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const auto entity = storage_.create(plan.values().position(i), plan.values().velocity(i));
      mark<filters_markers>(storage_, entity, plan[i].set);
      if (plan.has_mass(plan[i])) {
        storage_.template emplace<Mass>(entity, FilterPlan::mass(i));
      } else if (plan[i].first && kind_ != FilterKind::optional) {
        storage_.template emplace<FirstFilter>(entity);
      }
      if (plan[i].second) storage_.template emplace<SecondFilter>(entity);
    }
  }

  void run() {
    constexpr auto move = [](Position& position, const Velocity& velocity) { move_along(position, velocity); };
    switch (kind_) {
      case FilterKind::with:
        storage_.template each<Position, const Velocity, With<FirstFilter>>(move);
        break;
      case FilterKind::without:
        storage_.template each<Position, const Velocity, Without<FirstFilter>>(move);
        break;
      case FilterKind::two_without:
        storage_.template each<Position, const Velocity, Without<FirstFilter>, Without<SecondFilter>>(move);
        break;
      case FilterKind::optional:
        storage_.template each<Position, const Velocity, Optional<const Mass>>(
            [](Position& position, const Velocity& velocity, auto mass) {
              if (mass != nullptr) {
                move_along(position, velocity, mass->value);
              } else {
                move_along(position, velocity);
              }
            });
        break;
    }
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return items_; }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    storage_.template each<const Position>([&](const Position& p) { sum.add_floats(0, p.x, p.y, p.z); });
    return sum.value();
  }

 private:
  using StorageCase<Storage>::storage_;
  FilterKind kind_{};
  std::size_t items_ = 0;
};

/// Entities side by side.
class FilteredRows {
 public:
  struct Columns {
    Position* positions;
    const Velocity* velocities;
    const Mass* masses;  ///< of those that have one
    std::size_t rows;
  };

  void add(const FilterPlan& plan, std::size_t i) {
    positions_.push_back(plan.values().position(i));
    velocities_.push_back(plan.values().velocity(i));
    if (plan.has_mass(plan[i])) masses_.push_back(FilterPlan::mass(i));
  }
  [[nodiscard]] Columns columns() noexcept {
    return {positions_.data(), velocities_.data(), masses_.data(), positions_.size()};
  }
  /// All have a Mass, or none.
  void move_all() {
    const auto [positions, velocities, masses, rows] = columns();
    if (masses_.empty()) {
      constexpr auto move = [](Position& position, const Velocity& velocity) { move_along(position, velocity); };
      visit_arrays(0, rows, move, no_entity, positions, velocities);
    } else {
      for (std::size_t row = 0; row < rows; ++row) move_along(positions[row], velocities[row], masses[row].value);
    }
  }
  void add_to(Checksum& sum) const {
    for (const Position& p : positions_) sum.add_floats(0, p.x, p.y, p.z);
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    constexpr auto payload = &MemoryBreakdown::payload_bytes;
    return memory_of(positions_, payload) + memory_of(velocities_, payload) + memory_of(masses_, payload);
  }
  /// An array whose bytes in use are `kind`.
  template <class T>
  [[nodiscard]] static MemoryBreakdown memory_of(const StoredArray<T>& column, std::size_t MemoryBreakdown::* kind) {
    MemoryBreakdown bytes{};
    bytes.*kind = column.size() * sizeof(T);
    bytes.slack_bytes = (column.capacity() - column.size()) * sizeof(T);
    bytes.allocations = column.capacity() != 0 ? 1 : 0;
    return bytes;
  }

 private:
  StoredArray<Position> positions_;
  StoredArray<Velocity> velocities_;
  StoredArray<Mass> masses_;
};

/// Rows that are alike side by side, and a loop for each kind that is admitted.
class FilteredSections {
 public:
  void run() {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (admitted_[i]) sections_[i].move_all();
    }
    keep(sections_);
  }

  [[nodiscard]] std::uint64_t items() const { return items_; }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (const FilteredRows& rows : sections_) rows.add_to(sum);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    MemoryBreakdown bytes{};
    for (const FilteredRows& rows : sections_) bytes += rows.memory();
    return bytes;
  }

 protected:
  /// A section for each combination of what entities have; or, for the floor, of what matters to the loop.
  FilteredSections(const FilterPlan& plan, bool by_set)
      : items_(plan.admitted()),
        sections_(by_set ? std::size_t{4} << filters_markers : 4),
        admitted_(sections_.size()) {
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const FilterPlan::Entity& entity = plan[i];
      std::size_t section = (plan.admits(entity) ? 1u : 0u) + (plan.has_mass(entity) ? 2u : 0u);
      if (by_set) section = (entity.set << 2) + (entity.first ? 1u : 0u) + (entity.second ? 2u : 0u);
      sections_[section].add(plan, i);
      admitted_[section] = plan.admits(entity);
    }
  }

 private:
  std::size_t items_;
  Array<FilteredRows> sections_;
  Array<bool> admitted_;
};

/// The floor: those that are visited lie side by side.
struct FiltersReference : FilteredSections {
  explicit FiltersReference(const Parameters& parameters) : FilteredSections(FilterPlan(parameters), false) {}
};

/// The contract floor of sections.
struct FiltersSections : FilteredSections, SectionsName {
  explicit FiltersSections(const Parameters& parameters) : FilteredSections(FilterPlan(parameters), true) {}
};

/// The contract floor of pools: packed rows of all, and for each pool a map from entity to row.
class FiltersStore : public StoreName {
 public:
  explicit FiltersStore(const Parameters& parameters) {
    const FilterPlan plan(parameters);
    kind_ = plan.kind();
    items_ = plan.admitted();
    for (auto* const map : {&first_, &second_}) map->resize(plan.size(), none);
    std::uint32_t seconds = 0;
    for (std::uint32_t i = 0; i < plan.size(); ++i) {
      rows_.add(plan, i);
      row_of_.push_back(i);
      owners_.push_back(i);
      if (plan[i].second) second_[i] = seconds++;
      if (!plan[i].first) continue;
      first_[i] = static_cast<std::uint32_t>(firsts_.size());
      firsts_.push_back(i);
    }
  }

  void run() {
    const std::uint32_t* const owners = owners_.data();
    const std::uint32_t* const first = first_.data();
    const std::uint32_t* const second = second_.data();
    const std::uint32_t* const row_of = row_of_.data();
    const auto [positions, velocities, masses, rows] = rows_.columns();
    switch (kind_) {
      case FilterKind::with:  // the shorter pool drives
        for (const std::uint32_t owner : firsts_) {
          const std::uint32_t row = row_of[owner];
          if (row != none) move_along(positions[row], velocities[row]);
        }
        break;
      case FilterKind::without:
        for (std::size_t row = 0; row < rows; ++row) {
          if (first[owners[row]] == none) move_along(positions[row], velocities[row]);
        }
        break;
      case FilterKind::two_without:
        for (std::size_t row = 0; row < rows; ++row) {
          if (first[owners[row]] == none && second[owners[row]] == none) move_along(positions[row], velocities[row]);
        }
        break;
      case FilterKind::optional:
        for (std::size_t row = 0; row < rows; ++row) {
          const std::uint32_t mass = first[owners[row]];
          if (mass != none) {
            move_along(positions[row], velocities[row], masses[mass].value);
          } else {
            move_along(positions[row], velocities[row]);
          }
        }
        break;
    }
    keep(rows_);
  }

  [[nodiscard]] std::uint64_t items() const { return items_; }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    rows_.add_to(sum);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    MemoryBreakdown bytes = rows_.memory();
    for (const auto* const index : {&owners_, &row_of_, &first_, &second_, &firsts_}) {
      bytes += FilteredRows::memory_of(*index, &MemoryBreakdown::index_bytes);
    }
    return bytes;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  FilterKind kind_{};
  std::size_t items_ = 0;
  FilteredRows rows_;
  StoredArray<std::uint32_t> owners_, row_of_, first_, second_, firsts_;
};

struct Filters {
  static constexpr const WorkloadCard& card = filters_card;
  static constexpr std::array needs{Capability::structural_change, Capability::filters};
  using References = TypeList<FiltersReference, FiltersStore, FiltersSections>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"filter", {"with", "without", "two_without", "optional"}, {"without", "optional"}},
            {"share", {"1", "10", "50", "90", "99"}, {"50"}},
            {"sets", {"1", "16"}, {"1"}}};
  }
  /// A position is read and written back to the same line, and a velocity is read: 24/64 = 0.375. That some entities
  /// are not visited adds nothing, because those that are may lie side by side. Some have a Mass, too.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const double share = parameters.get("filter") == "optional" ? std::stod(parameters.get("share")) / 100 : 0;
    const double bytes = sizeof(Position) + sizeof(Velocity) + share * sizeof(Mass);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = std::floor(bytes)};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<SchemaWithMarkers<filters_markers + 2, Group<Position, Velocity>, Mass>>;
    return make_case<FiltersCase<Storage>>(parameters);
  }
};

}  // namespace stowage::workloads
