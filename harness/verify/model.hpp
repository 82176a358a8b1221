#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <stowage/contract/schema.hpp>

// The obviously correct storage that every strategy is compared with, and the random work both are given.
namespace stowage::harness::verify {

// ---- component types: one of each kind that the contract allows

/// Plain bytes, of several scalars: layouts may take them apart.
struct Plain {
  std::uint32_t number;
  std::uint32_t inverse;
};

/// Move-only, owns memory, and counts its instances: a destructor that is skipped or run twice shows.
class Counted {
 public:
  explicit Counted(std::uint32_t number) : number_(std::make_unique<std::uint32_t>(number)) { ++living; }
  Counted(Counted&& other) noexcept : number_(std::move(other.number_)) { ++living; }
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --living; }

  [[nodiscard]] std::uint32_t number() const { return number_ != nullptr ? *number_ : moved_from; }

  static constexpr std::uint32_t moved_from = 0xdeadbeef;
  static inline thread_local std::ptrdiff_t living = 0;

 private:
  std::unique_ptr<std::uint32_t> number_;
};

struct alignas(64) Aligned {
  std::uint32_t number;
};

/// What stands in its place for a storage that lacks over_alignment.
struct Unaligned {
  std::uint32_t number;
};

struct Tag {};

struct Large {
  std::array<std::uint32_t, 64> numbers;
};

template <class AlignedOrNot>
using ModelSchemaWith = Schema<Group<Plain, Counted, AlignedOrNot>, Tag, Large>;
using ModelSchema = ModelSchemaWith<Aligned>;
inline constexpr std::size_t model_components = 5;  // in the order of the schema: Plain, Counted, Aligned, Tag, Large

// ---- work

enum class Kind : std::uint8_t {
  create_empty,
  create_group,    // Plain, Counted, Aligned: a complete group
  create_partial,  // Counted, Large: part of the group and something else
  create_bulk,     // up to 64 entities with Plain, Large, Tag
  destroy,
  destroy_stale,  // a handle whose entity is gone
  emplace,        // component `pick % 5`
  remove,         // component `pick % 5`
  look_up,
  clear,
  audit,
  collect,  // where rows outlive their entities
  count_of_kinds
};
inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::count_of_kinds);

struct Operation {
  Kind kind = Kind::audit;
  std::uint32_t pick = 0;   ///< which entity, reduced modulo how many there are
  std::uint32_t value = 0;  ///< what components are made of
};

/// `count` operations from `seed`, in waves of growth to thousands of entities and decline to a handful, so that every
/// growth step and section boundary is crossed both ways.
[[nodiscard]] std::vector<Operation> random_operations(std::uint64_t seed, std::size_t count);

/// One operation per 9 bytes of a fuzzer's input.
[[nodiscard]] std::vector<Operation> decode_operations(const std::uint8_t* bytes, std::size_t size);

// ---- model

struct ModelEntity {
  bool alive = false;
  std::array<std::optional<std::uint32_t>, model_components> components;
};

/// What an observer may see of a storage: who lives and what they have. Entities are known by ordinal of creation.
class Model {
 public:
  /// The ordinal of the new entity.
  std::size_t create();
  void destroy(std::size_t ordinal);
  void clear();

  [[nodiscard]] ModelEntity& operator[](std::size_t ordinal) { return entities_[ordinal]; }
  [[nodiscard]] const ModelEntity& operator[](std::size_t ordinal) const { return entities_[ordinal]; }
  [[nodiscard]] std::size_t created() const { return entities_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& living() const { return living_; }
  [[nodiscard]] std::size_t count(std::size_t component) const;

 private:
  std::vector<ModelEntity> entities_;
  std::vector<std::size_t> living_;
  std::vector<std::size_t> position_;  // of a living ordinal in living_
};

/// The storage showed something that the model did not.
class Mismatch : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The mismatch with the operation that showed it: "... after operation 8123 of 20000, remove (pick 57, value 12)".
[[nodiscard]] std::string describe(const Mismatch& mismatch, const std::vector<Operation>& operations,
                                   std::size_t position);

inline void expect(bool condition, const char* what) {
  if (!condition) throw Mismatch(what);
}

}  // namespace stowage::harness::verify
