// What a const storage shows may not be changed.
#include <stowage/indirection_map.hpp>

namespace {

using Storage = stowage::IndirectionMap<stowage::ProbeSchema>;
using stowage::probe::Position;
using stowage::probe::Velocity;

[[maybe_unused]] void use(const Storage& storage, [[maybe_unused]] Storage::entity_type entity) {
#if defined(CASE_each)
  storage.each<Position, const Velocity>([](auto&...) {});
#elif defined(CASE_each_block)
  storage.each_block<const Position, Velocity>([](auto...) {});
#elif defined(CASE_find)
  [[maybe_unused]] Position* const position = storage.find<Position>(entity);
#else
  storage.each<const Position, const Velocity>([](const Position&, const Velocity&) {});
#endif
}

}  // namespace
