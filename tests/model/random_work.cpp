// Random operations on every strategy and on the reference model. A difference is shrunk to the few that it takes.
#include <cstdlib>
#include <iostream>
#include <ostream>

#include <rapidcheck.h>

#include <stowage/indirection_map.hpp>

#include "tests/model/subjects.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/random.hpp"
#include "workloads/verify/random_work.hpp"

namespace stowage::workloads::verify {

/// How RapidCheck prints the work that is left after shrinking.
// NOLINTNEXTLINE(readability-identifier-naming, misc-use-internal-linkage): RapidCheck looks for this name
void showValue(const Operation& operation, std::ostream& out) {
  out << name_of(operation.kind) << "(" << operation.pick << ", " << operation.value << ")";
}

}  // namespace stowage::workloads::verify

namespace stowage::model_test {
namespace {

using workloads::verify::kind_count;

/// A plan: `runs` sequences of `operations` each, made from a seed by `make`.
struct Plan {
  Operations (*make)(std::uint64_t seed, std::size_t operations);
  std::size_t operations;
  int runs;
};

/// Growth to thousands and decline to a handful; a short run ends when the first wave has lost a third.
constexpr Plan waves{&workloads::verify::random_operations, 60'000, 1};
constexpr Plan one_wave{&workloads::verify::random_operations, 24'000, 1};

/// All kinds equally often, as the fuzzer would: few entities, much change.
Operations uniform_operations(std::uint64_t seed, std::size_t operations) {
  std::vector<std::uint8_t> bytes(operations * 9);
  workloads::Random random(seed);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return workloads::verify::decode_operations(bytes.data(), bytes.size());
}
constexpr Plan churn{&uniform_operations, 250, 200};
constexpr Plan some_churn{&uniform_operations, 250, 60};

static_assert(waves.operations * waves.runs + churn.operations * churn.runs >= 100'000);

/// Shrinks by leaving operations out.
rc::Gen<Operations> work(const Plan& plan) {
  return [plan](const rc::Random& random, int) {
    rc::Random source(random);
    return rc::shrinkable::shrinkRecur(plan.make(source.next(), plan.operations), [](const Operations& operations) {
      return rc::shrink::removeChunks(operations);
    });
  };
}

/// How often each kind of operation was drawn.
using Tally = std::array<std::size_t, kind_count>;

/// Gives the subject all the work of a plan; the failure in words, if any. The seed is fixed: the work is always the
/// same.
std::string failure_of(const Subject& subject, const Plan& plan, Tally& tally) {
  const auto property = [&] {
    const Operations operations = *work(plan);
    for (const auto& operation : operations) ++tally[static_cast<std::size_t>(operation.kind)];
    workloads::verify::Unique::living = 0;
    subject.run(operations);
  };
  rc::detail::TestParams parameters;
  parameters.seed = 20'140'908;
  parameters.maxSuccess = plan.runs;
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), parameters);
  if (result.is<rc::detail::SuccessResult>()) return {};
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  return message.str();
}

}  // namespace

TEST_CASE("random operations") {
  const bool briefly = std::getenv("STOWAGE_TEST_BRIEFLY") != nullptr;
  const std::size_t least_of_each_kind = briefly ? 600 : 2'000;
  for (const Subject& subject : subjects()) {
    DYNAMIC_SECTION(subject.name) {
      Tally tally{};
      for (const Plan& plan : {briefly ? one_wave : waves, briefly ? some_churn : churn}) {
        const std::string failure = failure_of(subject, plan, tally);
        INFO(failure);
        CHECK(failure.empty());
      }
      for (const std::size_t times : tally) CHECK(times >= least_of_each_kind);
    }
  }
}

TEST_CASE("as many random operations as STOWAGE_OPERATIONS says", "[.]") {
  const char* const wanted = std::getenv("STOWAGE_OPERATIONS");
  if (wanted == nullptr) return;  // scripts/checks/long-hauls says it; Catch2 also runs it for "~another"
  const std::uint64_t runs = std::stoull(wanted) / waves.operations;
  REQUIRE(runs > 0);
  for (const Subject& subject : subjects()) {
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      workloads::verify::Unique::living = 0;
      INFO(subject.name << ", seed " << seed);
      REQUIRE_NOTHROW(subject.run(waves.make(seed, waves.operations)));
      if (seed % 100 == 0) std::cerr << subject.name << ": " << seed << " of " << runs << " runs\n";
    }
  }
}

TEST_CASE("the waves of random operations reach beyond every growth and section boundary") {
  workloads::verify::ModelRun<IndirectionMap<workloads::verify::ModelSchema>> run;
  std::size_t largest = 0;
  std::size_t smallest_after = 0;
  auto source = rc::Random(20'140'908);
  for (const auto& operation : waves.make(source.next(), waves.operations)) {
    run.apply(operation);
    if (run.storage().size() > largest) largest = smallest_after = run.storage().size();
    smallest_after = std::min(smallest_after, run.storage().size());
  }
  CHECK(largest > 6'000);
  CHECK(smallest_after < 100);
}

namespace {

/// Destroys no entity while more than 16 are alive.
template <class SchemaType>
class StaysLarge : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  using typename Base::entity_type;
  bool destroy(entity_type entity) { return this->size() > 16 ? false : Base::destroy(entity); }
};

}  // namespace

TEST_CASE("a difference is shrunk to the operations that it takes") {
  const Subject broken{"broken",
                       [](const Operations& operations) {
                         workloads::verify::run_against_model<StaysLarge<workloads::verify::ModelSchema>>(operations);
                       },
                       nullptr, nullptr};
  Tally tally{};
  const std::string failure = failure_of(broken, {&uniform_operations, 250, 20}, tally);
  INFO(failure);
  CHECK_THAT(failure, ContainsSubstring("destroy() of a living entity said no") ||  // or, after commands:
                          ContainsSubstring("size() differs from the number of living entities"));
  CHECK(std::ranges::count(failure, '(') < 24);
}

}  // namespace stowage::model_test
