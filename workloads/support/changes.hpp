#pragma once

namespace stowage::workloads {

/// What libraries offer in place of ticks (contract/changes.hpp): each_changed<const C, ...>(fn) visits at least what
/// has changed since the same loop ran last, and everything when it first runs.
template <class S, class C>
concept ShowsChangesOnce =
    requires(S& storage, void visit(const C&)) { storage.template each_changed<const C>(visit); };

}  // namespace stowage::workloads
