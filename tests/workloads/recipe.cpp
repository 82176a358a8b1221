// The workload that docs/add-a-workload.md names, on storages that differ in everything and on the storage that
// docs/add-a-strategy.md names.

#include <stowage/archetype_sections.hpp>
#include <stowage/indirection_map_lanes.hpp>
#include <stowage/naive_objects.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/heap_rows.hpp"
#include "tests/workloads/my_work.hpp"

namespace stowage::workloads {
namespace {

TEST_CASE("the workload of docs/add-a-workload.md does the same work on storages that differ in everything") {
  const Parameters parameters{.entities = 1000, .values = {{"share", "50"}}};
  MyWorkReference reference(parameters);
  reference.prepare();
  reference.run();
  CHECK(reference.items() == 500);
  CHECK(reference.checksum() != 0);
  for (const auto& make : {
           &MyWork::make<NaiveObjects>,
           &MyWork::make<IndirectionMapLanes>,
           &MyWork::make<ArchetypeSections>,
           &MyWork::make<HeapRows>,
       }) {
    const auto measurement = make(parameters);
    measurement->prepare();
    measurement->run(1);
    CHECK(measurement->items() == reference.items());
    CHECK(measurement->checksum() == reference.checksum());
    CHECK(measurement->memory().payload_bytes == reference.memory().payload_bytes);
  }
}

}  // namespace
}  // namespace stowage::workloads
