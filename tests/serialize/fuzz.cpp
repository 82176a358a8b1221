#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <stowage/archetype_sections.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/sparse_direct.hpp>

#include "tests/serialize/scene.hpp"

// What libFuzzer calls with files of its own making (-DSTOWAGE_FUZZ=ON, clang), and the replay with those of the
// corpus. A file is refused by a LoadError and changes nothing, or it is loaded, and then can be saved and loaded
// again.

namespace stowage::serialize_test {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <class Storage>
void load_any(const Bytes& file) {
  Storage storage;
  const auto residents = fill(storage);
  const std::string before = seen(storage);
  try {
    const auto report = load(storage, file);
    require(storage.size() == residents.size() + report.entities.size());
    for (const Entity entity : report.entities) require(storage.alive(entity));
    for (const Entity entity : residents) require(storage.alive(entity));
    const Bytes again = saved(storage);
    Storage other;
    require(load(other, again).entities.size() == storage.size());
    require(other.template count<Name>() == storage.template count<Name>());
    require(other.template count<Parent>() == storage.template count<Parent>());
  } catch (const LoadError&) {
    require(seen(storage) == before);
  }
}

}  // namespace
}  // namespace stowage::serialize_test

/// An odd first byte asks for checksums that are right, which no fuzzer finds by itself; the file is what follows.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace stowage::serialize_test;
  if (size == 0) return 0;
  Bytes file(size - 1);
  if (size > 1) std::memcpy(file.data(), bytes + 1, size - 1);
  if (bytes[0] % 2 != 0) seal(file);
  load_any<stowage::IndirectionMap<Scene>>(file);
  load_any<stowage::ArchetypeSections<Scene>>(file);
  load_any<stowage::SparseDirect<Scene>>(file);
  return 0;
}
