#include <stowage/indirection_map.hpp>

#include "harness/measure/time.hpp"
#include "tests/support/catch.hpp"
#include "workloads/create.hpp"
#include "workloads/destroy.hpp"
#include "workloads/point_mass.hpp"

namespace stowage::workloads {
namespace {

/// How many components ended while a clock was running, and while none was.
struct Ends {
  std::size_t inside = 0;
  std::size_t outside = 0;
};
Ends ends;
bool clock_runs = false;

struct ClockWatch final : harness::RegionObserver {
  void entered() override { clock_runs = true; }
  void left() override { clock_runs = false; }
};

/// A component whose end would be slow: it notes whether a clock was running then.
class Slow {
 public:
  Slow() : armed_(true) {}
  Slow(Slow&& other) noexcept : armed_(std::exchange(other.armed_, false)) {}
  Slow& operator=(Slow&&) = delete;
  ~Slow() {
    if (armed_) ++(clock_runs ? ends.inside : ends.outside);
  }

 private:
  bool armed_;
};

using SlowSchema = Schema<Group<Mass, Position, Velocity, Acceleration>, Slow>;

/// indirection_map in which every entity has a Slow beside what the workload gives it.
template <class SchemaType>
class SlowToEnd : public IndirectionMap<SlowSchema> {
 public:
  template <class... Cs>
  Entity create(Cs&&... components) {
    return IndirectionMap<SlowSchema>::create(std::forward<Cs>(components)..., Slow());
  }
  template <class... Cs>
  void create(std::span<Entity> out, std::span<const Cs>... columns) {
    IndirectionMap<SlowSchema>::create(out, columns...);
    for (const Entity entity : out) this->template emplace<Slow>(entity);
  }
};

/// Times three repetitions as the time pass does and ends the case.
template <class Workload>
Ends ends_of(std::vector<Parameter> values) {
  Parameters parameters;
  parameters.entities = 100;
  parameters.values = std::move(values);
  ends = {};
  ClockWatch watch;
  harness::RegionObserver* const before = harness::Region::observe(&watch);
  {
    const std::unique_ptr<Measurement> measurement = Workload::template make<SlowToEnd>(parameters);
    measurement->prepare();
    harness::SteadyTimer timer;
    for (int repetition = 0; repetition < 3; ++repetition) {
      static_cast<void>(timer.time("cell", *measurement, measurement->repeatable() ? 2 : 1));
    }
  }
  harness::Region::observe(before);
  return ends;
}

TEST_CASE("emptying and tearing down are outside the clock of create") {
  for (const char* how : {"single", "bulk"}) {
    for (const char* memory : {"reserved", "growing"}) {
      INFO(how << " " << memory);
      const Ends seen = ends_of<Create>({{"how", how}, {"memory", memory}, {"components", "4"}});
      CHECK(seen.inside == 0);
      CHECK(seen.outside >= 300);
    }
  }
}

TEST_CASE("tearing down is outside the clock of point_mass") {
  const Ends seen = ends_of<PointMass>({});
  CHECK(seen.inside == 0);
  CHECK(seen.outside == 100);
}

TEST_CASE("only the end of the entities themselves is inside the clock of destroy") {
  for (const char* how : {"each", "each_shuffled", "list", "clear"}) {
    INFO(how);
    const Ends seen = ends_of<Destroy>({{"how", how}});
    CHECK(seen.inside == 300);   // three repetitions
    CHECK(seen.outside == 100);  // those of the first prepare(), which the timer does anew
  }
}

}  // namespace
}  // namespace stowage::workloads
