#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "workloads/support/array.hpp"
#include "workloads/support/random.hpp"

namespace stowage::workloads {

/// The entities destroyed in each frame of a steady population: so many different ones of n, drawn at random, named by
/// their places in the list of the living. Each new entity takes the place of a destroyed one. Drawn beforehand, until
/// every place has been drawn twice on average, and repeated from there, so that a frame costs the storage's work
/// alone.
class ChurnPlan {
 public:
  /// `per_mille` of `entities` are destroyed in each frame, at least one.
  ChurnPlan(std::size_t entities, std::size_t per_mille, std::uint64_t seed) : pairs_(pairs_of(entities, per_mille)) {
    Random random(seed);
    Array<std::uint32_t> places = in_order(entities);
    const std::size_t frames = std::max<std::size_t>(1, 2 * entities / pairs_);
    drawn_.reserve(frames * pairs_);
    for (std::size_t frame = 0; frame < frames; ++frame) draw_frame(places, random);
  }

  [[nodiscard]] static constexpr std::size_t pairs_of(std::size_t entities, std::size_t per_mille) noexcept {
    return std::max<std::size_t>(1, entities * per_mille / 1000);
  }
  /// Entities that are destroyed, and created, in one frame.
  [[nodiscard]] std::size_t pairs() const noexcept { return pairs_; }
  /// The places of the entities destroyed in that frame, no two of them the same.
  [[nodiscard]] std::span<const std::uint32_t> frame(std::size_t number) const noexcept {
    return std::span(drawn_).subspan(number % (drawn_.size() / pairs_) * pairs_, pairs_);
  }

 private:
  /// The first steps of Fisher and Yates: a fair draw from whatever order the places are in.
  void draw_frame(Array<std::uint32_t>& places, Random& random) {
    for (std::size_t i = 0; i < pairs_; ++i) {
      std::swap(places[i], places[i + random.below(places.size() - i)]);
      drawn_.push_back(places[i]);
    }
  }

  std::size_t pairs_;
  Array<std::uint32_t> drawn_;
};

/// Destroys the entities that have `places` among the `living`.
template <class Storage>
void destroy_at(Storage& storage, const Array<typename Storage::entity_type>& living,
                std::span<const std::uint32_t> places) {
  for (const std::uint32_t place : places) storage.destroy(living[place]);
}

/// "0.1" percent -> 1
[[nodiscard]] inline std::size_t per_mille_of(std::string_view percent) noexcept {
  std::size_t value = 0;
  for (const char digit : percent) {
    if (digit != '.') value = value * 10 + static_cast<std::size_t>(digit - '0');
  }
  return percent.find('.') == std::string_view::npos ? value * 10 : value;
}

}  // namespace stowage::workloads
