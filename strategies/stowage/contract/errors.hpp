#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace stowage {

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

/// A component was to be added to an entity that is not alive. Nothing was changed.
class DeadEntity : public std::logic_error {
 public:
  explicit DeadEntity(std::uint64_t word)
      : std::logic_error("entity handle " + std::to_string(word) + " is not alive") {}
};

}  // namespace stowage
