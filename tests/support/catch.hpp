#pragma once

// Catch2, and the standard headers that most tests need: those that a test includes itself say what it is about.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Catch2 3 and 2 differ in the name of the header that has everything.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
// NOLINTNEXTLINE(readability-identifier-naming): as Catch2 3 calls it
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
