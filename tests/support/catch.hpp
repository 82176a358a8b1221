#pragma once

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
