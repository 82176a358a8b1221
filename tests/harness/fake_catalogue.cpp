// Strategies for tests of the harness: fast, slow, wrong, lazy, throwing, forgetful, with a clock that they move.
#include "tests/harness/fake_catalogue.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace stowage::harness {
namespace fake {

double frame_clock_ns = 0;
std::size_t cases_made = 0;
double frame_preparing_ns = 0;

namespace {

using workloads::Measurement;
using workloads::Parameters;

struct Trait {
  std::chrono::milliseconds prepare_time{0};
  std::uint64_t checksum_error = 0;
  bool skips_items = false;
  bool throws_when_made = false;
  bool differs_when_made_again = false;
  std::size_t passes_until_it_throws = 0;  ///< 0: never
  std::size_t forgotten_bytes = 0;         ///< that memory() does not tell
  bool has_entities = true;
  bool has_frames = true;
  bool counts_events = true;
  std::size_t frames_until_it_throws = 0;   ///< 0: never
  std::uint64_t rows_moved_in_a_frame = 0;  ///< and as many collected
};

class FakeMeasurement : public Measurement {
 public:
  FakeMeasurement(const Parameters& parameters, bool repeatable, const Trait& trait)
      : trait_(trait), entities_(parameters.entities), repeatable_(repeatable), components_(parameters.entities, 0) {
    if (trait.throws_when_made) throw std::runtime_error("no room for it");
    if (trait.differs_when_made_again && cases_made > 1) ++trait_.checksum_error;
    ++cases_made;
  }

  void prepare() override { std::this_thread::sleep_for(trait_.prepare_time); }
  void run(std::size_t passes) override {
    for (std::size_t pass = 0; pass < passes; ++pass) {
      if (++passes_ == trait_.passes_until_it_throws) throw std::runtime_error("the hold is full");
      for (std::uint64_t entity = 0; entity < entities_; ++entity) sum_ = sum_ + entity;
    }
  }
  [[nodiscard]] bool repeatable() const override { return repeatable_; }
  [[nodiscard]] std::uint64_t items() const override { return trait_.skips_items ? entities_ - 1 : entities_; }
  [[nodiscard]] std::uint64_t checksum() override { return entities_ + trait_.checksum_error; }
  [[nodiscard]] MemoryBreakdown memory() const override {
    const std::size_t used = components_.size() * sizeof(std::uint64_t);
    const std::size_t held = components_.capacity() * sizeof(std::uint64_t);
    return {
        .payload_bytes = used, .index_bytes = 0, .slack_bytes = held - used - trait_.forgotten_bytes, .allocations = 1};
  }
  bool destroy_all() override {
    if (trait_.has_entities) components_.clear();
    return trait_.has_entities;
  }

 protected:
  Trait trait_;

 private:
  std::uint64_t entities_;
  bool repeatable_;
  std::size_t passes_ = 0;
  std::vector<std::uint64_t> components_;
  volatile std::uint64_t sum_ = 0;  ///< the work must not be optimised away
};

/// Has frames of 1000 ns by the fake clock, but for the 51st of a sequence, for which the storage grows.
class MarchingMeasurement final : public FakeMeasurement {
 public:
  using FakeMeasurement::FakeMeasurement;
  void prepare() override {
    FakeMeasurement::prepare();
    frame_clock_ns += frame_preparing_ns;
  }
  [[nodiscard]] std::size_t frames() const override { return trait_.has_frames ? 100 : 0; }
  void step(std::size_t frame) override {
    if (++steps_ == trait_.frames_until_it_throws) throw std::runtime_error("the hold is full");
    const bool grows = frame == 50;
    frame_clock_ns += grows ? 20e6 : 1000;
    events_.growths += grows ? 2 : 0;
    moved_ += trait_.rows_moved_in_a_frame;
    events_.collected_rows += trait_.rows_moved_in_a_frame;
  }
  [[nodiscard]] std::optional<StorageEvents> events() const override {
    return trait_.counts_events ? std::optional(events_) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> rows_moved() const override {
    return trait_.rows_moved_in_a_frame != 0 ? std::optional(moved_) : std::nullopt;
  }

 private:
  std::size_t steps_ = 0;
  StorageEvents events_;
  std::uint64_t moved_ = 0;
};

constexpr Trait well_behaved{};
constexpr Trait hand_written{.has_entities = false, .counts_events = false};
constexpr Trait at_rest{.has_entities = false, .has_frames = false};
constexpr Trait tidy{.rows_moved_in_a_frame = 3};
constexpr Trait stumbling{.frames_until_it_throws = 7};
constexpr Trait slow{.prepare_time = std::chrono::milliseconds(20)};
constexpr Trait wrong{.checksum_error = 1};
constexpr Trait lazy{.skips_items = true};
constexpr Trait throwing{.throws_when_made = true};
constexpr Trait fragile{.passes_until_it_throws = 7};
constexpr Trait moody{.differs_when_made_again = true};
constexpr Trait forgetful{.forgotten_bytes = 8};

template <const Trait& trait, bool repeatable>
std::unique_ptr<Measurement> make_measurement(const Parameters& parameters) {
  return std::make_unique<FakeMeasurement>(parameters, repeatable, trait);
}

/// On foot it is not repeatable.
template <const Trait& trait>
void add_march(Catalogue& catalogue, const std::string& strategy) {
  catalogue.add_cell(strategy, "march", [](const Parameters& parameters) -> std::unique_ptr<Measurement> {
    return std::make_unique<MarchingMeasurement>(parameters, parameters.get("on") != "foot", trait);
  });
}

std::string at_most_4096(const Parameters& parameters) {
  return parameters.entities > 4096 ? "it has at most 4096 rows of a component" : "";
}

std::optional<std::string> agrees_with_model(std::uint64_t /*seed*/, std::size_t /*operations*/) {
  return std::nullopt;
}

std::optional<std::string> disagrees_with_model(std::uint64_t seed, std::size_t /*operations*/) {
  if (seed < 3) return std::nullopt;
  return "after 12 operations alive() says yes to a destroyed entity";
}

void add_strategy(Catalogue& catalogue, const std::string& name, const std::string& summary) {
  SemanticsCard card;
  card.pointer_stability_on_erase = not_promised("the last row fills the gap");
  catalogue.add_strategy({name, name, "S0 (XX)", summary, card});
  catalogue.set_model(name, name == "mismodelled" ? disagrees_with_model : agrees_with_model);
}

template <const Trait& trait>
void add_cells(Catalogue& catalogue, const std::string& strategy) {
  catalogue.add_cell(strategy, "walk", make_measurement<trait, true>);
  catalogue.add_cell(strategy, "build", make_measurement<trait, false>);
  catalogue.add_cell(strategy, "crowd", make_measurement<trait, true>);
}

workloads::WorkloadCard card_of(std::string_view name, std::size_t smallest_entities) {
  return {.name = name,
          .setup = "nothing",
          .measured = "an addition for every entity",
          .item = "one addition",
          .checksum = "the number of entities",
          .favours = "no strategy",
          .disadvantages = "no strategy",
          .floor = "half a line for an addition",
          .smallest_entities = smallest_entities};
}

workloads::Floor half_a_line(const Parameters&, workloads::Lines lines) {
  return {.lines_per_item = lines.in_sequence(32), .bytes_per_item = 8};
}
workloads::Floor nothing_to_say(const Parameters&, workloads::Lines) { return {}; }

void add_workloads(Catalogue& catalogue) {
  catalogue.add_workload({card_of("walk", 1), {{"via", {"each", "find"}, {"each"}}}, half_a_line});
  catalogue.add_workload({card_of("build", 1), {}, nothing_to_say});
  catalogue.add_workload({card_of("crowd", 4096), {}, half_a_line});
  workloads::WorkloadCard march = card_of("march", 1);
  march.sizes = {16384, 100'000};
  march.largest_entities = 1'000'000;
  catalogue.add_workload(
      {march, {{"on", {"wheels", "foot", "hold"}, {"wheels", "foot"}}}, half_a_line, [](const auto& parameters) {
         return parameters.get("on") != "hold";
       }});
}

}  // namespace

Catalogue make() {
  Catalogue catalogue;
  add_workloads(catalogue);
  catalogue.add_strategy({"reference", "floor", "hand-written", "the floor", std::nullopt});
  catalogue.add_strategy({"reference.loop", "yardstick", "hand-written", "another loop", std::nullopt});
  add_strategy(catalogue, "fast", "when in a hurry");
  add_strategy(catalogue, "twin", "when `fast` is taken");
  add_strategy(catalogue, "slow", "when there is time");
  for (const char* name : {"wrong", "lazy", "throwing", "fragile", "mismodelled", "forgetful", "moody"}) {
    add_strategy(catalogue, name, "never");
  }
  add_strategy(catalogue, "narrow", "when entities are few");
  add_strategy(catalogue, "stumbling", "never");
  catalogue.add_not_built({"absent", "Peer was not found when this binary was configured"});
  for (const char* name : {"reference", "reference.loop"}) add_cells<hand_written>(catalogue, name);
  for (const char* name : {"fast", "twin"}) add_cells<well_behaved>(catalogue, name);
  add_cells<slow>(catalogue, "slow");
  add_cells<wrong>(catalogue, "wrong");
  add_cells<lazy>(catalogue, "lazy");
  add_cells<throwing>(catalogue, "throwing");
  add_cells<fragile>(catalogue, "fragile");
  add_cells<forgetful>(catalogue, "forgetful");
  add_march<hand_written>(catalogue, "reference");
  add_march<at_rest>(catalogue, "reference.loop");
  add_march<well_behaved>(catalogue, "fast");
  add_march<tidy>(catalogue, "twin");
  add_march<wrong>(catalogue, "wrong");
  add_march<stumbling>(catalogue, "stumbling");
  catalogue.add_cell("narrow", "walk", make_measurement<well_behaved, true>, at_most_4096);
  catalogue.add_cell("moody", "walk", make_measurement<moody, true>);
  catalogue.add_cell("mismodelled", "walk", make_measurement<well_behaved, true>);
  return catalogue;
}

}  // namespace fake

Catalogue make_catalogue() { return fake::make(); }

}  // namespace stowage::harness
