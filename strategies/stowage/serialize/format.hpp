#pragma once

// The bytes of a saved file, and what load() throws if they are not sound.
// Every number is little-endian, every section begins at a multiple of 64 bytes, and what lies between sections is 0.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include <stowage/contract/errors.hpp>
#include <stowage/serialize/checksum.hpp>

// STOWAGE_SERIALIZE_SEPARATE: for a program in which many files save and load. What does not depend on a storage is
// then compiled once, in the one file that also defines STOWAGE_SERIALIZE_BODIES. All of the files define
// STOWAGE_SERIALIZE_SEPARATE.
#ifdef STOWAGE_SERIALIZE_SEPARATE
#define STOWAGE_SERIALIZE_FUNCTION
#else
#define STOWAGE_SERIALIZE_FUNCTION inline
#define STOWAGE_SERIALIZE_BODIES
#endif

namespace stowage {

// Errors of load(). The storage is as it was then.

/// Any of the errors below.
class LoadError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// These bytes are no stowage file, or one that has gone through a conversion of line ends.
class NotAStowageFile : public LoadError {
  using LoadError::LoadError;
};

/// The file is of a format that this library does not know.
class UnknownFormatVersion : public LoadError {
  using LoadError::LoadError;
};

/// There are fewer bytes, or more, than the file says of itself.
class WrongFileSize : public LoadError {
  using LoadError::LoadError;
};

/// A checksum is not that of the bytes: the file was damaged.
class DamagedFile : public LoadError {
  using LoadError::LoadError;
};

/// The file contradicts itself, though its checksums are right: the program that wrote it is wrong or malicious.
class MalformedFile : public LoadError {
  using LoadError::LoadError;
};

/// An entity is in the file twice, or has a component twice.
class DuplicateEntity : public MalformedFile {
  using MalformedFile::MalformedFile;
};

/// A component refers to an entity that is not in the file.
class DanglingReference : public MalformedFile {
  using MalformedFile::MalformedFile;
};

/// A component has a value that its type does not have: a bool that is neither 0 nor 1, or what ComponentFormat::valid
/// refuses.
class InvalidValue : public MalformedFile {
  using MalformedFile::MalformedFile;
};

/// A component was written by a program to which it had another size, version or codec.
class ComponentMismatch : public LoadError {
  using LoadError::LoadError;
};

namespace serialize {

static_assert(std::endian::native == std::endian::little,
              "components are written as they lie in memory, and a file is little-endian");

/// A byte above 127 and both line ends, so that a transfer as text shows.
inline constexpr std::array<std::uint8_t, 8> magic{0x89, 'S', 'T', 'O', 'W', '\r', '\n', 0x1a};
inline constexpr std::uint32_t format_version = 1;

/// The place of an entity is its number in the list of entities. This number means no entity.
inline constexpr std::uint32_t null_place = (std::numeric_limits<std::uint32_t>::max)();
/// Stands in the list of entities for one that nothing in the file refers to.
inline constexpr std::uint32_t unnamed = (std::numeric_limits<std::uint32_t>::max)();

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
  std::uint32_t bytes;  ///< of one in memory if it is raw; 0 otherwise
  std::uint32_t version;
  std::uint32_t kind;
  std::uint32_t name_bytes;
};
static_assert(sizeof(FileComponent) == 16);

/// In the directory, after the components; its columns follow.
struct FileTable {
  std::uint32_t rows;
  std::uint32_t first_place;  ///< rows have the places from here on; null_place if a section lists them
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

/// Calls `copy_each(bytes)` with the size of a component. The usual sizes are constants: these are copied in registers.
template <class CopyEach>
auto with_row_size(std::size_t bytes, CopyEach&& copy_each) {
  switch (bytes) {
    case 4:
      return copy_each(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy_each(std::integral_constant<std::size_t, 8>{});
    case 12:
      return copy_each(std::integral_constant<std::size_t, 12>{});
    case 16:
      return copy_each(std::integral_constant<std::size_t, 16>{});
    default:
      return copy_each(bytes);
  }
}

}  // namespace serialize
}  // namespace stowage
