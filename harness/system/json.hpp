#pragma once

#include <nlohmann/json.hpp>
#include <type_traits>

/// The library casts any number to an integer that is asked for, whether it can be one or not. Here a number that is
/// written as a fraction or with an exponent is no integer.
template <class Integer>
struct nlohmann::adl_serializer<Integer,
                                std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>>> {
  template <class Json>
  static void to_json(Json& json, Integer number) {
    nlohmann::to_json(json, number);
  }
  template <class Json>
  static void from_json(const Json& json, Integer& number) {
    if (json.is_number_float()) {
      throw nlohmann::detail::type_error::create(302, "type must be an integer, but is " + json.dump(), &json);
    }
    nlohmann::from_json(json, number);
  }
};

namespace stowage::harness {

/// Keeps the order in which keys were added.
using OrderedJson = nlohmann::ordered_json;

/// What `json_of` makes of each item, in order.
template <class Items, class JsonOf>
[[nodiscard]] OrderedJson list_of(const Items& items, JsonOf json_of) {
  OrderedJson list = OrderedJson::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace stowage::harness
