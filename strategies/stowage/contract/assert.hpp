#pragma once

#include <stowage/contract/compiler.hpp>

// STOWAGE_ASSERT(condition, "message"): a precondition of the library. A user may define it before the first include,
// for instance to throw in tests; by default it is the standard assert, gone under NDEBUG. STOWAGE_ASSERTS says whether
// there are any, for what has to be counted only so that it can be asserted.
#if defined(STOWAGE_ASSERT) || !defined(NDEBUG)
#define STOWAGE_ASSERTS true
#else
#define STOWAGE_ASSERTS false
#endif
#ifndef STOWAGE_ASSERT
#include <cassert>
#define STOWAGE_ASSERT(condition, message) assert((condition) && (message))
#endif

// STOWAGE_ASSUME(condition): something that the code around it makes true and the compiler cannot see, such as that the
// address of a row is not null.
#if defined(__GNUC__)
#define STOWAGE_ASSUME(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
#elif defined(_MSC_VER)
#define STOWAGE_ASSUME(condition) __assume(condition)
#else
#define STOWAGE_ASSUME(condition) static_cast<void>(0)
#endif

// STOWAGE_COLD: a function for the rare case, kept out of the loops that call it so that they keep their registers.
#if defined(__GNUC__)
#define STOWAGE_COLD [[gnu::noinline, gnu::cold]]
#elif defined(_MSC_VER)
#define STOWAGE_COLD __declspec(noinline)
#else
#define STOWAGE_COLD
#endif

// STOWAGE_NOINLINE: a function that must stay one, because the compiler uses what its parameters promise (__restrict)
// only there, or because its loop wants all registers.
#if defined(__GNUC__)
#define STOWAGE_NOINLINE [[gnu::noinline]]
#elif defined(_MSC_VER)
#define STOWAGE_NOINLINE __declspec(noinline)
#else
#define STOWAGE_NOINLINE
#endif

// STOWAGE_NOIPA: the same, and no copy of it may know its callers' arguments: so that a virtual call stays one.
#if defined(__GNUC__) && !defined(__clang__)
#define STOWAGE_NOIPA [[gnu::noipa]]
#else
#define STOWAGE_NOIPA STOWAGE_NOINLINE
#endif

// STOWAGE_INLINE: a function that stands between a program's loop and the loop over rows. Where one of them stays a
// call, what the function of the program adds to is in memory for every row, and the loop is not vectorised.
#if defined(__GNUC__)
#define STOWAGE_INLINE [[gnu::always_inline]]
#else
#define STOWAGE_INLINE
#endif

// An empty member that takes no room; MSVC honours only its own spelling.
#if defined(_MSC_VER)
#define STOWAGE_NO_UNIQUE_ADDRESS [[msvc::no_unique_address]]
#else
#define STOWAGE_NO_UNIQUE_ADDRESS [[no_unique_address]]
#endif
