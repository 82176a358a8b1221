#pragma once

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/storage.hpp>

#include "harness/catalogue.hpp"

namespace stowage::harness {

/// What a strategy says of itself in code, added to its entry. Compiles no operation of it.
template <class Storage>
[[nodiscard]] StrategyEntry with_card(StrategyEntry entry) {
  static_assert(MeasurableStorage<Storage>, "the least that can be measured: see contract/capabilities.hpp");
  entry.semantics = Storage::semantics;
  const auto lacks = lacks_of<Storage>();
  entry.lacks.assign(lacks.begin(), lacks.end());
  if constexpr (requires { Storage::row_limit; }) entry.row_limit = Storage::row_limit;
  return entry;
}

}  // namespace stowage::harness
