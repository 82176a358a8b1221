#include "tests/model/subjects.hpp"
#include "tests/support/catch.hpp"

namespace stowage::model_test {

TEST_CASE("what any strategy has saved any strategy loads, twice") {
  std::vector<Subject> savers = subjects();
  std::erase_if(savers, [](const Subject& subject) { return subject.save == nullptr; });
  REQUIRE_FALSE(savers.empty());
  std::vector<Saved> files;
  for (const Subject& subject : savers) {
    INFO(subject.name << " saves");
    REQUIRE_NOTHROW(files.push_back(subject.save()));
    CHECK(files.back().digest == files.front().digest);
    CHECK(files.back().entities > 150);
  }
  for (const Subject& to : savers) {
    for (std::size_t from = 0; from < files.size(); ++from) {
      INFO(savers[from].name << " saves, " << to.name << " loads");
      REQUIRE_NOTHROW(to.load(files[from]));
    }
  }
}

}  // namespace stowage::model_test
