#pragma once

#include <string>

namespace stowage::harness {

/// Three digits and the unit that suits: "1.24 ms", "310 us".
[[nodiscard]] std::string time_text(double ns);

/// Three digits, without an exponent where there is none to be had: "56.2", "1240".
[[nodiscard]] std::string number_text(double number);

}  // namespace stowage::harness
