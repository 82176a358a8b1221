#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <stowage/contract/assert.hpp>
#include <stowage/hierarchy/matrix.hpp>
#include <stowage/hierarchy/node_rows.hpp>

// World transforms of rows in which parents come before their children, in one pass forwards.

namespace stowage::hierarchy {

/// By pointers that nothing in the loop can move. Holes hang from the origin like roots.
STOWAGE_NOINLINE inline void compose_all(Matrix* worlds, const Matrix* locals, const Row* parents, Row end) noexcept {
  for (Row row = 1; row < end; ++row) worlds[row] = compose(worlds[parents[row]], locals[row]);
}

/// Only dirty rows and what is below them, which `changed` says afterwards.
STOWAGE_NOINLINE inline void compose_dirty(Matrix* worlds, const Matrix* locals, const Row* parents,
                                           const std::uint8_t* dirty, std::uint8_t* changed, Row end) noexcept {
  for (Row row = 1; row < end; ++row) {
    const std::uint8_t is_stale = dirty[row] | changed[parents[row]];
    changed[row] = is_stale;
    if (is_stale != 0) worlds[row] = compose(worlds[parents[row]], locals[row]);
  }
}

inline void update_forwards(NodeRows& rows) noexcept {
  rows.any_changed = rows.pending;
  rows.all_changed = rows.all_dirty;
  if (!rows.pending) return;
  const Row end = rows.end();
  if (rows.all_dirty) {
    compose_all(rows.worlds.data(), rows.locals.data(), rows.parents.data(), end);
  } else {
    compose_dirty(rows.worlds.data(), rows.locals.data(), rows.parents.data(), rows.dirty.data(), rows.changed.data(),
                  end);
  }
  std::memset(rows.dirty.data(), 0, end);
  rows.pending = rows.all_dirty = false;
}

}  // namespace stowage::hierarchy
