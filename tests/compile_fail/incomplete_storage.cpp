// A complete storage from which each case takes one capability. The first error has to begin with its name.
#include <stowage/indirection_map.hpp>

namespace {

using Complete = stowage::IndirectionMap<stowage::ProbeSchema>;

class Storage : public Complete {
#if defined(CASE_EntityLifecycle)
 private:
  using Complete::destroy;
#elif defined(CASE_ComponentAccess)
 private:
  using Complete::find;
#elif defined(CASE_StructuralChange)
 private:
  using Complete::remove;
#elif defined(CASE_ComponentIteration)
 private:
  using Complete::each_block;
#elif defined(CASE_TableExchange)
 private:
  using Complete::each_table;
#elif defined(CASE_Capacity)
 private:
  using Complete::clear;
#elif defined(CASE_MemoryAccounting)
 public:
  [[nodiscard]] std::size_t memory() const { return Complete::memory().total_bytes(); }
#elif defined(CASE_StatedSemantics)
 private:
  using Complete::semantics;
#endif
};

static_assert(stowage::assert_storage<Storage>());

}  // namespace
