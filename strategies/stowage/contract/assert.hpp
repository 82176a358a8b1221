#pragma once

// STOWAGE_ASSERT(condition, "message"): a precondition of the library. A user may define it before the first include,
// for instance to throw in tests; by default it is the standard assert, gone under NDEBUG.
#ifndef STOWAGE_ASSERT
#include <cassert>
#define STOWAGE_ASSERT(condition, message) assert((condition) && (message))
#endif

// An empty member that takes no room; MSVC honours only its own spelling.
#if defined(_MSC_VER)
#define STOWAGE_NO_UNIQUE_ADDRESS [[msvc::no_unique_address]]
#else
#define STOWAGE_NO_UNIQUE_ADDRESS [[no_unique_address]]
#endif
