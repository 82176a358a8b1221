#pragma once

// Workload: how many components may one loop use? Cerulean Skies warns of more than the cache can follow.

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard streams_card{
    .name = "streams",
    .setup = "n entities with 16 components of 8 bytes each (one group), created one after the other",
    .measured = "one pass that reads so many of the 16 components of every entity",
    .item = "component",
    .checksum = "wrapping sum of what was read (a hash of component and ordinal), accumulated by the pass itself",
    .favours =
        "columns with few components, because they do not fetch the rest; rows side by side with many, as one stream",
    .disadvantages =
        "columns that begin at equal distances from a multiple of 4 KiB: with more of them than a set of the cache has "
        "ways, each line is gone before its second half is read",
    .floor = "8/64 lines per component, by a loop over arrays whose beginnings are spread over the sets of the cache",
    .sizes = {16 * 1024, 1024 * 1024},
};

/// The places of the components, 0 to 15.
using AllStreams = std::make_index_sequence<16>;

template <std::size_t Place>
struct Stream {
  std::uint64_t value;
};
template <std::size_t Place>
[[nodiscard]] Stream<Place> stream(std::uint64_t seed, std::size_t ordinal) {
  return {mixed(seed + Place, ordinal)};
}

template <class Storage, std::size_t... Read>
class StreamsCase {
 public:
  static constexpr bool repeatable = true;

  explicit StreamsCase(const Parameters& parameters) { create(parameters, AllStreams{}); }

  void prepare() { sum_ = 0; }
  void run() {
    std::uint64_t sum = 0;
    storage_.template each<const Stream<Read>...>([&](const Stream<Read>&... read) { sum += (read.value + ...); });
    sum_ += sum;
    keep(sum_);
  }

  [[nodiscard]] std::uint64_t items() const { return storage_.size() * sizeof...(Read); }
  [[nodiscard]] std::uint64_t checksum() const { return sum_; }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear() { storage_.clear(); }

 private:
  template <std::size_t... All>
  void create(const Parameters& parameters, std::index_sequence<All...>) {
    storage_.template reserve<Stream<All>...>(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) storage_.create(stream<All>(parameters.seed, i)...);
  }

  Storage storage_;
  std::uint64_t sum_ = 0;
};

/// The floor: arrays in one allocation, which begin at different distances from a multiple of 4 KiB.
template <std::size_t... Read>
class StreamsByHand {
 public:
  static constexpr bool repeatable = true;

  explicit StreamsByHand(const Parameters& parameters)
      : count_(parameters.entities),
        distance_((count_ + page_words - 1) / page_words * page_words + stagger_words),
        words_(sizeof...(Read) * distance_) {
    for (std::size_t i = 0; i < count_; ++i) {
      ((words_[Read * distance_ + i] = stream<Read>(parameters.seed, i).value), ...);
    }
  }

  void prepare() { sum_ = 0; }
  void run() {
    sum_ += sum(words_.data() + Read * distance_...);
    keep(sum_);
  }

  [[nodiscard]] std::uint64_t items() const { return count_ * sizeof...(Read); }
  [[nodiscard]] std::uint64_t checksum() const { return sum_; }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t payload = items() * sizeof(std::uint64_t);
    return {.payload_bytes = payload,
            .index_bytes = 0,
            .slack_bytes = words_.capacity() * sizeof(std::uint64_t) - payload,
            .allocations = 1};
  }

 private:
  static constexpr std::size_t page_words = 4096 / sizeof(std::uint64_t);
  /// 16 of them fill a page.
  static constexpr std::size_t stagger_words = page_words / 16;

  template <class... Pointers>
  [[nodiscard]] std::uint64_t sum(Pointers... streams) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += (streams[i] + ...);
    return sum;
  }

  std::size_t count_;
  std::size_t distance_;  // from the beginning of one to that of the next, in words
  StoredArray<std::uint64_t> words_;
  std::uint64_t sum_ = 0;
};

/// A std::vector for each component, as the article's flat arrays are: large allocations begin at equal distances from
/// a multiple of 4 KiB.
template <std::size_t... Read>
class StreamsInVectors {
 public:
  static constexpr bool repeatable = true;

  explicit StreamsInVectors(const Parameters& parameters) : arrays_{std::vector<Stream<Read>>(parameters.entities)...} {
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      ((std::get<Read>(arrays_)[i] = stream<Read>(parameters.seed, i)), ...);
    }
  }

  void prepare() { sum_ = 0; }
  void run() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count(); ++i) sum += (std::get<Read>(arrays_)[i].value + ...);
    sum_ += sum;
    keep(sum_);
  }

  [[nodiscard]] std::uint64_t items() const { return count() * sizeof...(Read); }
  [[nodiscard]] std::uint64_t checksum() const { return sum_; }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t payload = items() * sizeof(std::uint64_t);
    return {.payload_bytes = payload, .index_bytes = 0, .slack_bytes = 0, .allocations = sizeof...(Read)};
  }

 private:
  [[nodiscard]] std::size_t count() const { return std::get<0>(arrays_).size(); }

  std::tuple<std::vector<Stream<Read>>...> arrays_;
  std::uint64_t sum_ = 0;
};

/// Calls `make` with the places of the components that are read, as constants.
template <class Make>
[[nodiscard]] std::unique_ptr<Measurement> with_streams(const Parameters& parameters, Make&& make) {
  const std::string& components = parameters.get("components");
  if (components == "1") return make(std::make_index_sequence<1>{});
  if (components == "4") return make(std::make_index_sequence<4>{});
  if (components == "8") return make(std::make_index_sequence<8>{});
  return make(std::make_index_sequence<16>{});
}

struct StreamsReference {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_streams(parameters, [&]<std::size_t... Read>(std::index_sequence<Read...>) {
      return std::make_unique<MeasurementOf<StreamsByHand<Read...>>>(parameters);
    });
  }
};

struct StreamsVectors {
  static constexpr std::string_view name = "reference.vectors";
  static constexpr std::string_view summary = "a std::vector for each array, where the allocator puts it";

  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_streams(parameters, [&]<std::size_t... Read>(std::index_sequence<Read...>) {
      return std::make_unique<MeasurementOf<StreamsInVectors<Read...>>>(parameters);
    });
  }
};

struct Streams {
  static constexpr const WorkloadCard& card = streams_card;
  using References = TypeList<StreamsReference, StreamsVectors>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"components", {"1", "4", "8", "16"}, {"1", "16"}}}; }
  /// 8 bytes are read of each component, next to each other: 8/64 = 0.125.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double bytes = sizeof(std::uint64_t);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<typename GroupOf<AllStreams>::type>;
    return with_streams(parameters, [&]<std::size_t... Read>(std::index_sequence<Read...>) {
      return std::make_unique<MeasurementOf<StreamsCase<Storage, Read...>>>(parameters);
    });
  }

 private:
  template <class Places>
  struct GroupOf;
  template <std::size_t... All>
  struct GroupOf<std::index_sequence<All...>> {
    using type = Schema<Group<Stream<All>...>>;
  };
};

}  // namespace stowage::workloads
