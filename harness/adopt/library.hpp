#pragma once

#include <span>
#include <string_view>

// The sources of the library as text, from which this binary was built. So an adopted header is the code that the
// binary has measured; a header read from a directory could have changed since. Defined in generated code.
namespace stowage::harness::adopt {

/// A header, by the name that it is included by: `stowage/contract/entity.hpp`.
struct LibraryFile {
  std::string_view path;
  std::string_view text;
};

/// What a line of `strategies/CMakeLists.txt` says of where a strategy is.
struct LibraryStrategy {
  std::string_view name;
  std::string_view header;
  std::string_view type;  ///< class template whose first parameter is the schema: `stowage::HashIndexNode`
};

/// Every header of the library, sorted by path.
[[nodiscard]] std::span<const LibraryFile> library_files() noexcept;

/// Every strategy of the list, whether or not this binary can measure it.
[[nodiscard]] std::span<const LibraryStrategy> library_strategies() noexcept;

/// A storage of another library. It has an adapter here and cannot be adopted.
struct Adapter {
  std::string_view name;
  std::string_view library;  ///< as find_package() knows it: `EnTT`
};

/// Every adapter of the list, whether or not this binary was built with it.
[[nodiscard]] std::span<const Adapter> adapters() noexcept;

/// The licence that all of this is under.
[[nodiscard]] std::string_view licence_text() noexcept;

}  // namespace stowage::harness::adopt
