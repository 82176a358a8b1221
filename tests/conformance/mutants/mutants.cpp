#include "tests/support/throwing_assert.hpp"

#include "tests/conformance/mutants/mutants.hpp"

#include "tests/conformance/components.hpp"
#include "tests/support/catch.hpp"
#include "workloads/verify/model_components.hpp"

// Every check of the suite catches a fault that is easy to make; mutants.hpp has the table.
namespace stowage::conformance::mutants {
namespace {

/// Runs a check while all storages have a fault. True if it objects; what it throws otherwise is not its verdict.
[[nodiscard]] bool catches(const Check& check, std::size_t to_fault) {
  struct Scope {
    ~Scope() {
      fault = no_fault;
      kept_blocks.clear();
      Fragile::living = 0;  // a mutant may leave some behind
    }
  } const scope;
  fault = to_fault;
  try {
    check.run();
  } catch (const workloads::verify::Mismatch&) {
    return true;
  } catch (const testing::AssertionFired&) {
    return true;
  }
  return false;
}

TEST_CASE("a check has nothing against an original without a fault") {
  for (const Original original : {Original::pools, Original::objects, Original::ticks}) {
    for (const Check& check : checks_of(original)) {
      DYNAMIC_SECTION(static_cast<int>(original) << " : " << check.name) { CHECK_FALSE(catches(check, no_fault)); }
    }
  }
}

TEST_CASE("a mutant is caught by the check of its entry") {
  for (const Mutant& mutant : mutants) {
    DYNAMIC_SECTION(mutant.name << " : " << mutant.check) {
      const std::vector<Check>& checks = checks_of(mutant.original);
      const auto check = std::ranges::find(checks, mutant.check, &Check::name);
      REQUIRE(check != checks.end());
      CHECK(catches(*check, Fault::number_of(mutant.name)));
    }
  }
}

TEST_CASE("every check catches a mutant") {
  for (const Check& check : checks_of(Original::pools)) {
    INFO(check.name << " has no entry in mutants.hpp");
    CHECK(std::ranges::find(mutants, check.name, &Mutant::check) != mutants.end());
  }
}

}  // namespace
}  // namespace stowage::conformance::mutants
