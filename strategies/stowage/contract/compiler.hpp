#pragma once

// Refuses compilers that are older than the oldest that are tested. docs/adopt.md names them.

#if defined(__clang__) && __clang_major__ < 14
#error "stowage needs clang 14 or newer: compile with clang++-14, or with g++ 11 or newer"
#include <this ends the list of errors>
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 11
#error "stowage needs g++ 11 or newer: compile with g++-11, or with clang++ 14 or newer"
#include <this ends the list of errors>
#elif !defined(_MSC_VER) && __cplusplus < 202002L
#error "stowage needs C++20: compile with -std=c++20"
#include <this ends the list of errors>
#endif
