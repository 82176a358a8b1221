#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/storage.hpp>

// What some storages can do beyond the contract, and some cannot of it: asked and used in one place.

namespace stowage::workloads {

/// Why a storage takes no part in work that asks for a capability; empty if it has that.
template <class Storage>
[[nodiscard]] std::string not_offered(Capability capability) {
  const std::string_view reason = reason_to_lack<Storage>(capability);
  if (reason.empty()) return {};
  return "not offered: " + std::string(name_of(capability)) + ", because " + std::string(reason);
}

/// False for a storage whose semantics card says that it holds no more than was reserved.
template <class Storage>
inline constexpr bool can_grow = [] {
  if constexpr (requires { Storage::semantics.growth; }) {
    return Storage::semantics.growth.kept;
  } else {
    return true;
  }
}();

/// Room for so many entities with exactly `Cs` in a storage that does not grow, where all others find it on their way.
template <class... Cs, class Storage>
void make_room([[maybe_unused]] Storage& storage, [[maybe_unused]] std::size_t entities) {
  if constexpr (!can_grow<Storage>) storage.template reserve<Cs...>(entities);
}

/// Ends rows of entities that were destroyed earlier, as a game would once a frame.
template <class Storage>
inline constexpr bool collects = requires(Storage& storage) { storage.collect(); };
/// Closes holes, so many rows at a time.
template <class Storage>
inline constexpr bool defragments = requires(Storage& storage) { storage.defragment(std::size_t{1}); };

template <class Storage>
void collect([[maybe_unused]] Storage& storage) {
  if constexpr (collects<Storage>) static_cast<void>(storage.collect());
}

template <class Storage>
void collect_all([[maybe_unused]] Storage& storage) {
  if constexpr (collects<Storage>) storage.collect_all();
}

/// Ends every entity and keeps the memory. What only stands beside storages, as a hand-written packed store, has no
/// clear().
template <class Storage>
void end_all(Storage& storage) {
  if constexpr (requires { storage.end_all(); }) {
    storage.end_all();
  } else {
    storage.clear();
  }
}

/// The rows that were moved.
template <class Storage>
std::size_t defragment([[maybe_unused]] Storage& storage, [[maybe_unused]] std::size_t budget) {
  if constexpr (defragments<Storage>) {
    return storage.defragment(budget);
  } else {
    return 0;
  }
}

/// Leaves neither rows of the dead nor holes that it could close.
template <class Storage>
void tidy_up(Storage& storage) {
  collect_all(storage);
  while (defragment(storage, storage.size()) != 0) {
  }
}

/// What a storage has done beside its work; none if it does not count that.
template <class Storage>
[[nodiscard]] std::optional<StorageEvents> events_of([[maybe_unused]] const Storage& storage) {
  if constexpr (CountsEvents<Storage>) {
    return storage.events();
  } else {
    return std::nullopt;
  }
}

}  // namespace stowage::workloads
