#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

// STOWAGE_THROW(error): throws it. In a program that is compiled without exceptions it says on stderr what the error
// has to say, and ends the program: it could not continue. STOWAGE_TRY and STOWAGE_CATCH are try and catch; without
// exceptions what they would catch has ended the program already.
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define STOWAGE_THROW(error) throw error
#define STOWAGE_TRY try
#define STOWAGE_CATCH(exception) catch (exception)
#else
#define STOWAGE_THROW(error) ::stowage::detail::end_program(error)
#define STOWAGE_TRY if constexpr (true)
#define STOWAGE_CATCH(exception) if constexpr (false)
#endif

namespace stowage {

namespace detail {

[[noreturn]] inline void end_program(const std::exception& error) noexcept {
  std::fprintf(stderr, "stowage: %s\n", error.what());
  std::abort();
}

}  // namespace detail

/// Every index that the handle can express is alive. Nothing was changed.
class IndexExhausted : public std::length_error {
 public:
  explicit IndexExhausted(std::uint64_t max_entities)
      : std::length_error("no entity index is left: all " + std::to_string(max_entities) +
                          " that the handle can express are alive") {}
};

/// A pool has as many rows as its index can number. Nothing was changed.
class RowsExhausted : public std::length_error {
 public:
  explicit RowsExhausted(std::uint64_t most_rows)
      : std::length_error("no row is left: the index of this storage numbers " + std::to_string(most_rows) +
                          " rows of one pool at most") {}
};

/// A pool that never grows is full. Nothing was changed; reserve() gives it more room.
class CapacityExhausted : public std::length_error {
 public:
  explicit CapacityExhausted(std::uint64_t capacity)
      : std::length_error("no row is left: a pool of this storage has room for " + std::to_string(capacity) +
                          " rows and does not grow") {}
};

/// What entities remember of their place has no number for another section, or for another row of a section. Nothing
/// was changed.
class PlaceExhausted : public std::length_error {
 public:
  PlaceExhausted(const std::string& of_what, std::uint64_t most)
      : std::length_error("no " + of_what + " is left: an entity of this storage can tell " + std::to_string(most) +
                          " apart") {}
};

/// A storage whose component types are registered at run time has as many as it can tell apart. Nothing was changed.
class TypesExhausted : public std::length_error {
 public:
  explicit TypesExhausted(std::size_t most)
      : std::length_error("no component type can be added: this storage tells " + std::to_string(most) + " apart") {}
};

/// A component was to be added to an entity that is not alive. Nothing was changed.
class DeadEntity : public std::logic_error {
 public:
  explicit DeadEntity(std::uint64_t word)
      : std::logic_error("entity handle " + std::to_string(word) + " is not alive") {}
};

/// A component was to be switched on or off that the entity does not have. Nothing was changed.
class MissingComponent : public std::logic_error {
 public:
  explicit MissingComponent(std::uint64_t word)
      : std::logic_error("entity handle " + std::to_string(word) + " has no such component to switch on or off") {}
};

}  // namespace stowage
