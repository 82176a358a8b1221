#pragma once

// Workload: how much faster the dense loop gets with threads, beside what the memory bandwidth allows.

#include <charconv>

#include "workloads/point_mass.hpp"
#include "workloads/support/workers.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard point_mass_parallel_card{
    .name = "point_mass_parallel",
    .setup =
        "as in point_mass; a oneTBB arena of `threads` threads, which have begun. One thread writes all memory first",
    .measured =
        "one pass of point_mass over all entities in chunks of 4096 rows by all threads, as each_parallel() does "
        "it, from the call until the last chunk is done; by the clock on the wall",
    .item = "entity",
    .checksum = "hash(ordinal, bits of position and velocity) of every entity after the passes: that of point_mass",
    .favours = "packed arrays, which are split anywhere, until memory is as busy as it can be: see reference.bandwidth",
    .disadvantages =
        "no strategy in particular: with one thread it is point_mass by chunks. Few rows are not worth a thread",
    .floor = "that of point_mass, 36/64 lines per entity: by a flat loop in the same chunks on the same threads",
    .sizes = {256 * 1024, 1024 * 1024, 4096 * 1024},
};

/// Enough that handing out a chunk is nothing beside the work in it, and that 256k entities are chunks for 64 threads.
inline constexpr std::size_t parallel_grain = 4096;

[[nodiscard]] inline std::size_t threads_of(const Parameters& parameters) {
  const std::string& text = parameters.get("threads");
  std::size_t threads = 0;
  std::from_chars(text.data(), text.data() + text.size(), threads);
  return std::clamp<std::size_t>(threads, 1, Workers::most());
}

template <class Storage>
class PointMassParallelCase : public PointMassCase<Storage> {
 public:
  explicit PointMassParallelCase(const Parameters& parameters)
      : PointMassCase<Storage>(parameters), workers_(threads_of(parameters)) {}

  void run() {
    const auto move = [](Velocity& velocity, Position& position, const Acceleration& acceleration) {
      simulate(velocity, position, acceleration);
    };
    each_divided<Velocity, Position, const Acceleration>(
        this->storage_, parallel_grain, move,
        [this](std::size_t chunks, ChunkWork work) { workers_.run(chunks, work); });
    keep(this->storage_);
  }

 private:
  Workers workers_;
};

/// The floor: the flat loop of point_mass, in the same chunks.
class PointMassParallelReference : public PointMassReference {
 public:
  explicit PointMassParallelReference(const Parameters& parameters)
      : PointMassReference(parameters), workers_(threads_of(parameters)) {}

  void run() {
    const auto work = [this](std::size_t first, std::size_t end) {
      advance(first * parallel_grain, std::min<std::size_t>(end * parallel_grain, items()));
    };
    workers_.run((items() + parallel_grain - 1) / parallel_grain, ChunkWork(work));
    keep(columns());
  }

 private:
  Workers workers_;
};

/// What memory could do: threads stream through the arrays in the same chunks, read and write the bytes that the floor
/// does, and leave them as they are. The passes are made up for when the checksum is asked for.
class PointMassBandwidth : public PointMassReference {
 public:
  static constexpr std::string_view name = "reference.bandwidth";
  static constexpr std::string_view summary =
      "a loop that only reads and writes the same bytes, in the same chunks: what memory could do";
  /// Speed-up says little without it.
  static constexpr bool always_measured = true;

  explicit PointMassBandwidth(const Parameters& parameters)
      : PointMassReference(parameters), workers_(threads_of(parameters)) {}

  void run() {
    const auto work = [this](std::size_t first, std::size_t end) {
      stream(3 * first * parallel_grain, 3 * std::min<std::size_t>(end * parallel_grain, items()));
    };
    workers_.run((items() + parallel_grain - 1) / parallel_grain, ChunkWork(work));
    keep(columns());
    ++passes_;
  }

  [[nodiscard]] std::uint64_t checksum() {
    for (; passes_ != 0; --passes_) advance(0, items());
    return PointMassReference::checksum();
  }

 private:
  void stream(std::size_t first, std::size_t end) {
    auto* const position = reinterpret_cast<float*>(columns().of<Position>());
    auto* const velocity = reinterpret_cast<float*>(columns().of<Velocity>());
    auto* const acceleration = reinterpret_cast<const float*>(columns().of<Acceleration>());
    const std::uint32_t none = no_bits_;
    for (std::size_t i = first; i < end; ++i) {
      velocity[i] = with_bits(velocity[i], std::bit_cast<std::uint32_t>(acceleration[i]) & none);
      position[i] = with_bits(position[i], std::bit_cast<std::uint32_t>(velocity[i]) & none);
    }
  }
  [[nodiscard]] static float with_bits(float value, std::uint32_t bits) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | bits);
  }

  Workers workers_;
  std::size_t passes_ = 0;              // that the checksum is to show
  volatile std::uint32_t no_bits_ = 0;  // always; volatile, so that the compiler does not know it
};

struct PointMassParallel {
  static constexpr const WorkloadCard& card = point_mass_parallel_card;
  using References = TypeList<PointMassParallelReference, PointMassBandwidth>;

  /// 1, 2, 4 and so on, and all that there are: those depend on the machine, their names do not.
  [[nodiscard]] static std::vector<Axis> axes() {
    static const std::vector<std::string> counts = [] {
      std::vector<std::string> texts;
      for (std::size_t threads = 1; threads < Workers::most(); threads *= 2) texts.push_back(std::to_string(threads));
      texts.push_back(std::to_string(Workers::most()));
      return texts;
    }();
    std::vector<std::string_view> few{counts.front()};
    if (counts.size() > 1) few.emplace_back(counts.back());
    return {{"threads", {counts.begin(), counts.end()}, std::move(few)}};
  }

  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    return PointMass::floor(parameters, lines);
  }

  /// One thread's figures are exact.
  [[nodiscard]] static std::string why_uncounted(const Parameters& parameters) {
    return threads_of(parameters) == 1 ? std::string() : std::string(counted_for_one_thread);
  }

  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters&) {
    constexpr Promise promise = Strategy<ProbeSchema>::semantics.parallel_rows;
    if constexpr (promise.kept) return {};
    return "its rows may not be visited by several threads: " + std::string(promise.reason);
  }

  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if constexpr (Strategy<ProbeSchema>::semantics.parallel_rows.kept) {
      return make_case<PointMassParallelCase<Strategy<PointMassSchema>>>(parameters);
    } else {
      return nullptr;  // never called: see obstacle()
    }
  }
};

}  // namespace stowage::workloads
