#include "tests/support/throwing_assert.hpp"

#include "tests/conformance/mutants/faulty_pools.hpp"
#include "tests/conformance/suite.hpp"

// The checks of the whole contract: what takes longest to compile.
namespace stowage::conformance::mutants {

template <class SchemaType>
using Pools = FaultyPools<SchemaType>;

std::vector<Check> contract_checks() {
  std::vector<Check> checks;
  for_each_check<Pools>([&](const Check& check) { checks.push_back(check); });
  return checks;
}

}  // namespace stowage::conformance::mutants
