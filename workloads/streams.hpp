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
class StreamsCase : public StorageCase<Storage>, public SummedCase {
 public:
  explicit StreamsCase(const Parameters& parameters) { create(parameters, AllStreams{}); }

  void run() {
    std::uint64_t sum = 0;
    storage_.template each<const Stream<Read>...>([&](const Stream<Read>&... read) { sum += (read.value + ...); });
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return storage_.size() * sizeof...(Read); }

 private:
  template <std::size_t... All>
  void create(const Parameters& parameters, std::index_sequence<All...>) {
    storage_.template reserve<Stream<All>...>(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) storage_.create(stream<All>(parameters.seed, i)...);
  }

  using StorageCase<Storage>::storage_;
};

/// The floor: arrays in one allocation, which begin at different distances from a multiple of 4 KiB.
template <std::size_t... Read>
class StreamsByHand : public SummedCase {
 public:
  explicit StreamsByHand(const Parameters& parameters)
      : count_(parameters.entities),
        distance_((count_ + page_words - 1) / page_words * page_words + stagger_words),
        words_(sizeof...(Read) * distance_) {
    for (std::size_t i = 0; i < count_; ++i) {
      ((words_[Read * distance_ + i] = stream<Read>(parameters.seed, i).value), ...);
    }
  }

  void run() { add_up(sum(words_.data() + Read * distance_...)); }

  [[nodiscard]] std::uint64_t items() const { return count_ * sizeof...(Read); }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t payload = items() * sizeof(std::uint64_t);
    return {
        .payload_bytes = payload, .slack_bytes = words_.capacity() * sizeof(std::uint64_t) - payload, .allocations = 1};
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
};

/// A std::vector for each component, as the article's flat arrays are: large allocations begin at equal distances from
/// a multiple of 4 KiB.
template <std::size_t... Read>
class StreamsInVectors : public SummedCase {
 public:
  explicit StreamsInVectors(const Parameters& parameters) : arrays_{std::vector<Stream<Read>>(parameters.entities)...} {
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      ((std::get<Read>(arrays_)[i] = stream<Read>(parameters.seed, i)), ...);
    }
  }

  void run() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count(); ++i) sum += (std::get<Read>(arrays_)[i].value + ...);
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return count() * sizeof...(Read); }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t payload = items() * sizeof(std::uint64_t);
    return {.payload_bytes = payload, .allocations = sizeof...(Read)};
  }

 private:
  [[nodiscard]] std::size_t count() const { return std::get<0>(arrays_).size(); }

  std::tuple<std::vector<Stream<Read>>...> arrays_;
};

/// Calls `make` with the places of the components that are read, as constants.
template <class Make>
[[nodiscard]] std::unique_ptr<Measurement> with_streams(const Parameters& parameters, Make&& make) {
  return with_number<1, 4, 8, 16>(parameters.get("components"),
                                  [&](auto count) { return make(std::make_index_sequence<count>{}); });
}

struct StreamsReference {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_streams(parameters, [&]<std::size_t... Read>(std::index_sequence<Read...>) {
      return make_case<StreamsByHand<Read...>>(parameters);
    });
  }
};

struct StreamsVectors {
  static constexpr std::string_view name = "reference.vectors";
  static constexpr std::string_view summary = "a std::vector for each array, where the allocator puts it";

  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_streams(parameters, [&]<std::size_t... Read>(std::index_sequence<Read...>) {
      return make_case<StreamsInVectors<Read...>>(parameters);
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
      return make_case<StreamsCase<Storage, Read...>>(parameters);
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
