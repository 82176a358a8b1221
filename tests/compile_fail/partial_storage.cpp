// An adapter that says what it lacks, from which each case takes something or to which it adds something that it does
// not have. The first error has to begin with the name of that.
#include "tests/support/partial_storage.hpp"

namespace {

using Honest = stowage::testing::PartialStorage<stowage::ProbeSchema>;
using stowage::Capability;
using stowage::Lack;

class Storage : public Honest {
#if defined(CASE_less_than_the_least)
 private:
  using Honest::find;
#elif defined(CASE_lacks_what_it_has)
 public:
  void reserve(std::size_t) {}
  template <class... Cs>
    requires(sizeof...(Cs) > 0)
  void reserve(std::size_t) {}
#elif defined(CASE_has_not_what_it_does_not_lack)
 public:
  static constexpr std::array lacking{Lack{Capability::bulk_creation, "entities come one by one"}};
#endif
};

static_assert(stowage::assert_partial_storage<Storage>());

#if defined(CASE_lacks_something_of_the_whole)
static_assert(stowage::assert_storage<Storage>());
#endif

}  // namespace
