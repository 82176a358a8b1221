#include "tests/support/throwing_assert.hpp"

#include "tests/conformance/mutants/faulty_objects.hpp"
#include "tests/conformance/mutants/faulty_pools.hpp"
#include "tests/conformance/mutants/faulty_ticks.hpp"
#include "tests/conformance/mutants/wrong_card.hpp"
#include "tests/conformance/suite.hpp"

namespace stowage::conformance::mutants {
namespace {

template <class SchemaType>
using PoolsOfSchema = FaultyPools<SchemaType>;
template <class SchemaType, class Registry>
using PoolsWith = FaultyPools<SchemaType, Registry>;

[[nodiscard]] std::vector<Check> all_checks() {
  std::vector<Check> checks = contract_checks();
  const auto add = [&](const Check& check) { checks.push_back(check); };
  for_each_packed_check<PoolsOfSchema>(add);
  for_each_reserved_check<PoolsOfSchema>(add);
  for_each_registry_check<PoolsWith>(add);
  return checks;
}

template <template <class> class Strategy>
[[nodiscard]] std::vector<Check> card_checks() {
  return {semantics_checks<Strategy>.begin(), semantics_checks<Strategy>.end()};
}

}  // namespace

const std::vector<Check>& checks_of(Original original) {
  static const std::vector<Check> of_pools = all_checks();
  static const std::vector<Check> of_objects = card_checks<FaultyObjects>();
  static const std::vector<Check> of_card = card_checks<WrongCard>();
  static const std::vector<Check> of_ticks{Check{"changes_are_recorded", &changes_are_recorded<FaultyTicks>}};
  static const std::vector<Check> of_queue{Check{"freed_indices_wait", &freed_indices_wait<QueuesNothing>}};
  switch (original) {
    case Original::pools:
      return of_pools;
    case Original::objects:
      return of_objects;
    case Original::card:
      return of_card;
    case Original::ticks:
      return of_ticks;
    case Original::queue:
      break;
  }
  return of_queue;
}

}  // namespace stowage::conformance::mutants
