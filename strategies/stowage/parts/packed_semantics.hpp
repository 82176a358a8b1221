#pragma once

#include <stowage/contract/semantics.hpp>

namespace stowage::parts {

/// What every storage on packed pools promises: rows move when arrays grow and when holes are filled.
inline constexpr SemanticsCard packed_pool_semantics{
    .pointer_stability_on_insert = not_promised("arrays move when they grow"),
    .pointer_stability_on_erase = not_promised("the last row moves into the hole"),
    .create_while_iterating = not_promised("growth would move the arrays under the loop"),
    .destroy_current_while_iterating = not_promised("the last row would move into the current one and be skipped"),
    .destroy_others_while_iterating = not_promised("rows would move under the loop"),
    .change_components_while_iterating = not_promised("rows would move under the loop"),
};

}  // namespace stowage::parts
