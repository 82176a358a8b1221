#include "workloads/support/wicked_archive.hpp"

#include "tests/support/catch.hpp"

namespace stowage::workloads {
namespace {

using As = WickedNumbers::As;

TEMPLATE_TEST_CASE("numbers of a file are kept, made anew or combined with a seed, as is what refers to them", "",
                   WickedManagers<WickedArray>, WickedManagers<WickedObjects>) {
  TestType saved;
  for (int i = 0; i < 2; ++i) saved.template of<Mass>().create(saved.create_entity(), {1.0f + static_cast<float>(i)});
  saved.template of<WickedCompanion>().create(1, {2});
  Array<std::byte> file;
  saved.save(file);

  const auto [as, seed, one, two] = GENERATE(table<As, std::uint32_t, WickedEntity, WickedEntity>(
      {{As::saved, 0, 1, 2}, {As::remapped, 0, 4, 5}, {As::seeded, 8, 1 ^ 4, 2 ^ 4}, {As::seeded, 0, 1, 2}}));
  TestType loaded;
  for (int i = 0; i < 3; ++i) static_cast<void>(loaded.create_entity());
  loaded.load(file, as, seed);
  REQUIRE(loaded.template of<Mass>().find(one) != nullptr);
  REQUIRE(loaded.template of<Mass>().find(two) != nullptr);
  CHECK(loaded.template of<Mass>().find(one)->value == 1.0f);
  CHECK(loaded.template of<Mass>().find(two)->value == 2.0f);
  CHECK(loaded.template of<WickedCompanion>().find(one)->entity == two);
  CHECK(loaded.memory().payload_bytes == saved.memory().payload_bytes);
}

TEST_CASE("a file loaded twice has distinct numbers if they are made anew, and equal ones if they are kept") {
  WickedManagers<WickedArray> saved;
  for (int i = 0; i < 2; ++i) saved.of<Mass>().create(saved.create_entity(), {1.0f});
  saved.of<WickedCompanion>().create(2, {1});
  Array<std::byte> file;
  saved.save(file);

  const auto [as, are_distinct] =
      GENERATE(table<As, bool>({{As::saved, false}, {As::remapped, true}, {As::seeded, true}}));
  WickedManagers<WickedArray> loaded;
  loaded.load(file, as, 8);
  CHECK(loaded.has_distinct_numbers());
  loaded.load(file, as, 16);
  CHECK(loaded.has_distinct_numbers() == are_distinct);
}

}  // namespace
}  // namespace stowage::workloads
