#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <stowage/contract/semantics.hpp>

#include "harness/adopt/library.hpp"

namespace stowage::harness::adopt {

/// Something of the library that a storage does without, and that can be taken along.
struct Companion {
  std::string_view name;
  std::string_view header;
  std::string_view what;
};

/// All that there is to take along.
[[nodiscard]] std::span<const Companion> companions() noexcept;

/// What an adopted header is made of.
struct Adoption {
  std::string strategy;  ///< the CLI name
  std::string summary;   ///< one line: when to pick it
  std::string type;      ///< class template: `stowage::HashIndexNode`
  std::string header;    ///< that defines it
  std::vector<Companion> with;
  std::optional<SemanticsCard> semantics;
  std::string evidence;  ///< figures, or how to come by some; lines of text
  std::string version;   ///< of the stowage that writes it, and its commit
};

/// The strategy as one header that needs nothing else of the library, with its documentation. Throws AmalgamationError.
[[nodiscard]] std::string header_text(const Adoption& adoption, std::span<const LibraryFile> files);

/// Whether `text` is, or begins as, what header_text() writes: whoever wrote it will not miss it.
[[nodiscard]] bool is_adopted_header(std::string_view text) noexcept;

/// `text` as line comments. What could end a comment, or go on with it where it should end, is replaced: stored results
/// may hold anything.
[[nodiscard]] std::string commented(std::string_view text);

}  // namespace stowage::harness::adopt
