#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <stowage/serialize/checksum.hpp>

// The bytes of a file; docs/serialization.md draws them. Every number is little-endian, every section begins at a
// multiple of 64 bytes, and what lies between sections is 0.

// STOWAGE_SERIALIZE_SEPARATE: for a program in which many files save and load. What does not depend on a storage is
// then compiled once, in the one file that defines STOWAGE_SERIALIZE_BODIES, and not in each of them; all of them
// define the former.
#ifdef STOWAGE_SERIALIZE_SEPARATE
#define STOWAGE_SERIALIZE_FUNCTION
#else
#define STOWAGE_SERIALIZE_FUNCTION inline
#define STOWAGE_SERIALIZE_BODIES
#endif

namespace stowage::serialize {

static_assert(std::endian::native == std::endian::little,
              "components are written as they lie in memory, and a file is little-endian");

/// A byte above 127 and both line ends, so that a transfer as text shows.
inline constexpr std::array<std::uint8_t, 8> magic{0x89, 'S', 'T', 'O', 'W', '\r', '\n', 0x1a};
inline constexpr std::uint32_t format_version = 1;

/// The place of an entity is its number in the list of entities; of this one there is none.
inline constexpr std::uint32_t null_place = std::numeric_limits<std::uint32_t>::max();
/// Stands in the list of entities for one that nothing in the file needs to tell apart.
inline constexpr std::uint32_t unnamed = std::numeric_limits<std::uint32_t>::max();

inline constexpr std::size_t section_alignment = 64;
[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t bytes, std::uint64_t alignment) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

enum class FileFlag : std::uint32_t {
  keeps_handles = 1,  ///< references are handles as they were, not places
};

struct FileHeader {
  std::array<std::uint8_t, 8> magic;
  std::uint32_t version;
  std::uint32_t flags;
  std::uint64_t file_bytes;
  std::uint32_t entities;
  std::uint32_t components;
  std::uint32_t tables;
  std::uint32_t reserved;  ///< 0
  std::uint64_t directory_bytes;
  std::uint64_t entities_checksum;
  std::uint64_t checksum;  ///< of the header, with 0 here, and the directory
};
static_assert(sizeof(FileHeader) == 64);

/// What FileHeader::checksum is to be.
[[nodiscard]] inline std::uint64_t front_checksum(FileHeader header, const std::byte* directory) noexcept {
  header.checksum = 0;
  const std::uint64_t of_header = checksum_of(reinterpret_cast<const std::byte*>(&header), sizeof header);
  return of_header ^ checksum_of(directory, header.directory_bytes);
}

enum class ColumnKind : std::uint32_t {
  raw,      ///< rows x bytes
  encoded,  ///< what a codec wrote, row after row
  tag,      ///< nothing: the entities have it, and that is all
};

/// In the directory; the name follows, up to a multiple of 8 bytes.
struct FileComponent {
  std::uint32_t bytes;  ///< of one in memory, where it is raw; 0 otherwise
  std::uint32_t version;
  std::uint32_t kind;
  std::uint32_t name_bytes;
};
static_assert(sizeof(FileComponent) == 16);

/// In the directory, after the components; its columns follow.
struct FileTable {
  std::uint32_t rows;
  std::uint32_t first_place;  ///< rows have the places from here on; null_place where a section lists them
  std::uint32_t columns;
  std::uint32_t reserved;  ///< 0
  std::uint64_t list_checksum;
};
static_assert(sizeof(FileTable) == 24);

struct FileColumn {
  std::uint32_t component;  ///< its number in the directory
  std::uint32_t reserved;   ///< 0
  std::uint64_t bytes;
  std::uint64_t checksum;
};
static_assert(sizeof(FileColumn) == 24);

}  // namespace stowage::serialize
