#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace stowage {

/// One line of a semantics card: kept or not, and if not, why not.
struct Promise {
  bool kept = true;
  std::string_view reason{};  ///< empty where the promise is kept
};

/// The promise is kept; the conformance suite tries to break it.
inline constexpr Promise promised{};

/// The promise is not given, and `reason` says what breaks it.
[[nodiscard]] constexpr Promise not_promised(std::string_view reason) noexcept { return {false, reason}; }

/// What a strategy promises beyond the storage contract: all of it, but for what its card says is not_promised(). Every
/// strategy header defines one as `semantics`; the conformance suite tests each kept promise by behaviour and looks for
/// a witness of each broken one.
struct SemanticsCard {
  Promise pointer_stability_on_insert{};  ///< creating or adding never moves a component of another entity
  Promise pointer_stability_on_erase{};   ///< destroying or removing never moves a component of another entity
  /// Entities created with equal components are visited in that order until one is destroyed or gains or loses one.
  Promise creation_order{};
  Promise create_while_iterating{};           ///< `fn` may create entities; whether they are visited is unspecified
  Promise destroy_current_while_iterating{};  ///< `fn` may destroy the entity it was called with
  Promise destroy_others_while_iterating{};  ///< `fn` may destroy any entity; a destroyed one is not visited afterwards
  Promise change_components_while_iterating{};  ///< `fn` may add and remove components of the visited entity
  Promise immediate_destruction{};              ///< component destructors have run when destroy() or remove() returns
  Promise parallel_rows{};                      ///< steps of a loop, and blocks, may be visited by several threads
  Promise growth{};                             ///< creating finds room beyond what was reserved
  Promise handles_stay_stale{};                 ///< no handle of a destroyed entity is given to another one

  /// The lines of the card with the names that the CLI and the report use.
  [[nodiscard]] constexpr std::array<std::pair<std::string_view, Promise>, 11> lines() const noexcept {
    return {{{"pointer_stability_on_insert", pointer_stability_on_insert},
             {"pointer_stability_on_erase", pointer_stability_on_erase},
             {"creation_order", creation_order},
             {"create_while_iterating", create_while_iterating},
             {"destroy_current_while_iterating", destroy_current_while_iterating},
             {"destroy_others_while_iterating", destroy_others_while_iterating},
             {"change_components_while_iterating", change_components_while_iterating},
             {"immediate_destruction", immediate_destruction},
             {"parallel_rows", parallel_rows},
             {"growth", growth},
             {"handles_stay_stale", handles_stay_stale}}};
  }
};

}  // namespace stowage
