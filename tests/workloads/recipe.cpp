// The workload of docs/add-a-workload.md and the storage of docs/add-a-strategy.md: the pages show the files that are
// compiled here, and one can be measured on the other.

#include <cstddef>
#include <string>
#include <vector>

#include <boost/version.hpp>

#include <stowage/archetype_sections.hpp>
#include <stowage/naive_objects.hpp>
#if BOOST_VERSION >= 108100
#include <stowage/indirection_map_lanes.hpp>
#endif

#include "harness/system/files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/heap_rows.hpp"
#include "tests/workloads/my_work.hpp"

namespace stowage::workloads {
namespace {

std::string text_of(const std::string& path) {
  return harness::read_text_file(path, [] { return std::string(); });
}

/// Whether a page shows a file of the tests as it is.
void check_shown(const std::string& page, const std::string& file) {
  const std::string root = STOWAGE_SOURCE_DIRECTORY;
  const std::string code = text_of(root + "/tests/" + file);
  CHECK_THAT(text_of(root + "/docs/" + page), ContainsSubstring("\n```cpp\n" + code + "```\n"));
}

TEST_CASE("the pages show a workload and a storage that are compiled") {
  check_shown("add-a-workload.md", "workloads/my_work.hpp");
  check_shown("add-a-strategy.md", "support/heap_rows.hpp");
}

TEST_CASE("the workload of docs/add-a-workload.md does the same work on storages that differ in everything") {
  const Parameters parameters{.entities = 1000, .values = {{"share", "50"}}};
  MyWorkReference reference(parameters);
  reference.prepare();
  reference.run();
  CHECK(reference.items() == 500);
  CHECK(reference.checksum() != 0);
  for (const auto& make : {
           &MyWork::make<NaiveObjects>,
#if BOOST_VERSION >= 108100
           &MyWork::make<IndirectionMapLanes>,
#endif
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
