#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/memory.hpp>

namespace stowage::workloads {

/// What a workload says of itself, at the top of its header. `stowage list workloads` and the report print it.
struct WorkloadCard {
  std::string_view name;
  std::string_view setup;             ///< what is built before the clock starts
  std::string_view measured;          ///< exactly what the clock sees
  std::string_view item;              ///< the unit a cost is divided by
  std::string_view checksum;          ///< what proves that every strategy did this work
  std::string_view favours;           ///< which designs this workload flatters, and why
  std::string_view disadvantages;     ///< which designs it is unkind to, and why
  std::string_view floor;             ///< the least that any layout could do, and the loop that does it
  std::size_t smallest_entities = 1;  ///< below this the figure would say nothing
  /// The sizes that presets take instead of their own; `quick` takes the first. All 0 if theirs will do.
  std::array<std::size_t, 5> sizes = {};
  /// Above this a case would take minutes to set up, whatever was asked for.
  std::size_t largest_entities = std::numeric_limits<std::size_t>::max();
};

/// Nanoseconds, by the name of the figure in results files.
using PartTimes = std::vector<std::pair<std::string_view, double>>;

/// A strategy (or the reference) bound to one workload and one parameter set: what every pass works on.
/// The order of calls is: construction, then any number of { prepare(), run(n) }, with checksum() and memory()
/// wherever a pass wants them, then perhaps destroy_all(). Only run() is ever measured; construction, prepare() and
/// destruction never are.
class Measurement {
 public:
  Measurement() = default;
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;
  virtual ~Measurement() = default;

  /// Brings the case into the state that run() starts from.
  virtual void prepare() = 0;
  /// The measured region, `passes` times in a row; `passes` is 1 unless repeatable().
  virtual void run(std::size_t passes) = 0;
  /// True when run() leaves the case ready for another run(), so that passes need no prepare() between them.
  [[nodiscard]] virtual bool repeatable() const = 0;
  /// Items in one pass.
  [[nodiscard]] virtual std::uint64_t items() const = 0;
  /// Digest of what the work since the last prepare() produced: equal for every strategy that did equal work.
  [[nodiscard]] virtual std::uint64_t checksum() = 0;
  /// The bytes that the storage holds now: all that it has taken from operator new.
  [[nodiscard]] virtual MemoryBreakdown memory() const = 0;
  /// Destroys every entity at once, after which only memory() may be asked; false if the case has no entities to
  /// destroy, as hand-written references have none.
  virtual bool destroy_all() { return false; }

  /// Frames in one sequence of those that are worth a look one by one; 0 if the work has none. A sequence begins
  /// where prepare() leaves the case and, if it is repeatable, where the sequence before it ended.
  [[nodiscard]] virtual std::size_t frames() const { return 0; }
  /// So many frames go through everything that frames touch: what comes before those that are looked at, if the case
  /// is repeatable, so that none shows caches that other cells have left cold.
  [[nodiscard]] virtual std::size_t warming_frames() const { return 1; }
  /// One frame of a sequence, which is gone through in its order.
  virtual void step(std::size_t /*frame*/) {}
  /// What the storage has done beside its work so far; none if it does not count that.
  [[nodiscard]] virtual std::optional<StorageEvents> events() const { return std::nullopt; }
  /// Rows that the storage was asked to move together so far, once a frame; none if the work does not ask for it.
  [[nodiscard]] virtual std::optional<std::uint64_t> rows_moved() const { return std::nullopt; }
  /// What the parts of a frame took, in the mean of those gone through so far, by the names of their figures; none
  /// if a frame has no parts.
  [[nodiscard]] virtual PartTimes part_times() const { return {}; }
  /// Goes through a sequence of frames for the nanoseconds of each system of a game, the mean of these frames; empty if
  /// a frame has no systems.
  [[nodiscard]] virtual std::vector<double> system_times() { return {}; }
};

/// Turns a plain workload case into a Measurement. `Case` has run() for one pass, items(), checksum(), memory() and, if
/// it has entities, clear(); prepare(), if there is anything to prepare; `static constexpr bool repeatable = false`, if
/// run() cannot follow run(). If it has frames, it has frames() and step(), and events(), warming_frames(),
/// rows_moved(), part_times() and system_times() if it has those. The loop over the passes is inside, so a pass of a
/// few dozen nanoseconds is not drowned by a virtual call.
template <class Case>
class MeasurementOf final : public Measurement {
 public:
  template <class... Arguments>
  explicit MeasurementOf(Arguments&&... arguments) : case_(std::forward<Arguments>(arguments)...) {}

  void prepare() override {
    if constexpr (requires { case_.prepare(); }) case_.prepare();
  }
  void run(std::size_t passes) override {
    for (std::size_t pass = 0; pass < passes; ++pass) case_.run();
  }
  [[nodiscard]] bool repeatable() const override {
    if constexpr (requires { Case::repeatable; }) return Case::repeatable;
    return true;
  }
  [[nodiscard]] std::uint64_t items() const override { return case_.items(); }
  [[nodiscard]] STOWAGE_COLD std::uint64_t checksum() override { return case_.checksum(); }
  [[nodiscard]] STOWAGE_COLD MemoryBreakdown memory() const override { return case_.memory(); }
  STOWAGE_COLD bool destroy_all() override {
    constexpr bool has_entities = requires(Case& made) { made.clear(); };
    if constexpr (has_entities) case_.clear();
    return has_entities;
  }
  [[nodiscard]] std::size_t frames() const override {
    if constexpr (has_frames) return case_.frames();
    return 0;
  }
  [[nodiscard]] std::size_t warming_frames() const override {
    if constexpr (requires { case_.warming_frames(); }) return case_.warming_frames();
    return Measurement::warming_frames();
  }
  void step([[maybe_unused]] std::size_t frame) override {
    if constexpr (has_frames) case_.step(frame);
  }
  [[nodiscard]] std::optional<StorageEvents> events() const override {
    if constexpr (has_frames && requires { case_.events(); }) return case_.events();
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> rows_moved() const override {
    if constexpr (requires { case_.rows_moved(); }) return case_.rows_moved();
    return std::nullopt;
  }
  [[nodiscard]] PartTimes part_times() const override {
    if constexpr (requires { case_.part_times(); }) return case_.part_times();
    return {};
  }
  [[nodiscard]] std::vector<double> system_times() override {
    if constexpr (requires { case_.system_times(); }) return case_.system_times();
    return {};
  }

 private:
  static constexpr bool has_frames = requires(const Case& made) { made.frames(); };

  Case case_;
};

template <class Case, class... Arguments>
[[nodiscard]] std::unique_ptr<Measurement> make_case(Arguments&&... arguments) {
  return std::make_unique<MeasurementOf<Case>>(std::forward<Arguments>(arguments)...);
}

}  // namespace stowage::workloads
