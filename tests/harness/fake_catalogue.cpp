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
namespace {

using workloads::Measurement;
using workloads::Parameters;

struct Trait {
  std::chrono::milliseconds prepare_time{0};
  std::uint64_t checksum_error = 0;
  bool skips_items = false;
  bool throws_when_made = false;
  std::size_t passes_until_it_throws = 0;  ///< 0: never
  std::size_t forgotten_bytes = 0;         ///< that memory() does not tell
  bool has_entities = true;
};

class FakeMeasurement final : public Measurement {
 public:
  FakeMeasurement(const Parameters& parameters, bool repeatable, const Trait& trait)
      : entities_(parameters.entities), repeatable_(repeatable), trait_(trait), components_(parameters.entities, 0) {
    if (trait.throws_when_made) throw std::runtime_error("no room for it");
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

 private:
  std::uint64_t entities_;
  bool repeatable_;
  Trait trait_;
  std::size_t passes_ = 0;
  std::vector<std::uint64_t> components_;
  volatile std::uint64_t sum_ = 0;  ///< the work must not be optimised away
};

constexpr Trait well_behaved{};
constexpr Trait hand_written{.has_entities = false};
constexpr Trait slow{.prepare_time = std::chrono::milliseconds(20)};
constexpr Trait wrong{.checksum_error = 1};
constexpr Trait lazy{.skips_items = true};
constexpr Trait throwing{.throws_when_made = true};
constexpr Trait fragile{.passes_until_it_throws = 7};
constexpr Trait forgetful{.forgotten_bytes = 8};

template <const Trait& trait, bool repeatable>
std::unique_ptr<Measurement> make_measurement(const Parameters& parameters) {
  return std::make_unique<FakeMeasurement>(parameters, repeatable, trait);
}

std::optional<std::string> agrees_with_model(std::uint64_t /*seed*/, std::size_t /*operations*/) {
  return std::nullopt;
}

std::optional<std::string> disagrees_with_model(std::uint64_t seed, std::size_t /*operations*/) {
  if (seed < 3) return std::nullopt;
  return "after 12 operations alive() says yes to a destroyed entity";
}

SemanticsCard card_of_everything_promised() {
  return {promised, promised, promised, promised, promised, promised, promised, promised, promised};
}

void add_strategy(Catalogue& catalogue, const std::string& name, const std::string& summary,
                  CheckModel check_model = agrees_with_model) {
  SemanticsCard card = card_of_everything_promised();
  card.pointer_stability_on_erase = not_promised("the last row fills the gap");
  catalogue.add_strategy({name, name, "S0 (XX)", summary, card}, check_model);
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
          .favours = "nobody",
          .disadvantages = "nobody",
          .floor = "half a line for an addition",
          .smallest_entities = smallest_entities};
}

workloads::Floor half_a_line(const Parameters&) { return {.lines_per_item = 0.5, .bytes_per_item = 8}; }
workloads::Floor nothing_to_say(const Parameters&) { return {}; }

void add_workloads(Catalogue& catalogue) {
  catalogue.add_workload({card_of("walk", 1), {{"via", {"each", "find"}, {"each"}}}, half_a_line});
  catalogue.add_workload({card_of("build", 1), {}, nothing_to_say});
  catalogue.add_workload({card_of("crowd", 4096), {}, half_a_line});
}

}  // namespace

Catalogue make() {
  Catalogue catalogue;
  add_workloads(catalogue);
  catalogue.add_strategy({"reference", "floor", "hand-written", "the floor", std::nullopt}, nullptr);
  catalogue.add_strategy({"reference.loop", "yardstick", "hand-written", "another loop", std::nullopt}, nullptr);
  add_strategy(catalogue, "fast", "when in a hurry");
  add_strategy(catalogue, "twin", "when `fast` is taken");
  add_strategy(catalogue, "slow", "when there is time");
  add_strategy(catalogue, "wrong", "never");
  add_strategy(catalogue, "lazy", "never");
  add_strategy(catalogue, "throwing", "never");
  add_strategy(catalogue, "fragile", "never");
  add_strategy(catalogue, "mismodelled", "never", disagrees_with_model);
  add_strategy(catalogue, "forgetful", "never");
  for (const char* name : {"reference", "reference.loop"}) add_cells<hand_written>(catalogue, name);
  for (const char* name : {"fast", "twin"}) add_cells<well_behaved>(catalogue, name);
  add_cells<slow>(catalogue, "slow");
  add_cells<wrong>(catalogue, "wrong");
  add_cells<lazy>(catalogue, "lazy");
  add_cells<throwing>(catalogue, "throwing");
  add_cells<fragile>(catalogue, "fragile");
  add_cells<forgetful>(catalogue, "forgetful");
  catalogue.add_cell("mismodelled", "walk", make_measurement<well_behaved, true>);
  return catalogue;
}

}  // namespace fake

Catalogue make_catalogue() { return fake::make(); }

}  // namespace stowage::harness
