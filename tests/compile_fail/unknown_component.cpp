// Operations on components that the schema does not have, or has been given twice.
#include <stowage/indirection_map.hpp>

namespace {

using Storage = stowage::IndirectionMap<stowage::ProbeSchema>;
using stowage::probe::Position;
struct Stranger {};

[[maybe_unused]] void use(Storage& storage, Storage::entity_type entity) {
#if defined(CASE_emplace)
  storage.emplace<Stranger>(entity);
#elif defined(CASE_find)
  static_cast<void>(storage.find<Position, Position>(entity));
#elif defined(CASE_each)
  storage.each<Position, Stranger>([](auto&...) {});
#elif defined(CASE_create)
  storage.create(Position{}, Stranger{});
#else
  storage.remove<Position>(entity);
#endif
}

}  // namespace
