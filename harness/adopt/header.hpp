#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <stowage/contract/semantics.hpp>

#include "harness/adopt/library.hpp"

namespace stowage::harness::adopt {

/// A header of the library without what it includes at its top.
struct Part {
  std::string path;
  std::string comment;       ///< what it says of itself before anything else; empty if it says nothing
  std::string code;          ///< everything after that, without `#pragma once`
  std::uint64_t digest = 0;  ///< of the whole file: equal parts of two amalgamations are known by it
};

/// Headers of the library and all that they include of it, each once and after what it needs.
struct Amalgamation {
  std::set<std::string> standard;     ///< headers of the standard library, `vector`
  std::set<std::string> third_party;  ///< other headers outside the library, `boost/unordered/unordered_flat_map.hpp`
  std::vector<Part> parts;
};

/// The library cannot be put into one header: a defect of the library, not a mistake of the user.
class AmalgamationError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Puts `roots` and their closure together, in the order of their includes. Includes that stand under a condition stay
/// where they are, with it. Throws AmalgamationError if a header of the library is not among `files`, or is included
/// under a condition or by a relative name.
[[nodiscard]] Amalgamation amalgamate(std::span<const LibraryFile> files, std::span<const std::string> roots);

/// The part between its guards. A second header that brings the same part leaves it out; one that brings another
/// version of it does not compile, and says why.
[[nodiscard]] std::string guarded(const Part& part);

/// An optional feature of the library that can be added to an adopted header.
struct Companion {
  std::string_view name;
  std::string_view header;
  std::string_view what;
};

/// All optional features.
[[nodiscard]] std::span<const Companion> companions() noexcept;

/// What an adopted header is made of.
struct Adoption {
  std::string strategy;  ///< the CLI name
  std::string request;   ///< what `stowage adopt` was asked for: the strategy, or `--from ANSWER`
  std::string summary;   ///< one line: when to pick it
  std::string type;      ///< class template: `stowage::HashIndexNode`
  std::string header;    ///< that defines it
  std::vector<Companion> with;
  std::optional<SemanticsCard> semantics;
  std::string evidence = {};  ///< figures, or how to get some; lines of text
  std::string version;        ///< of the stowage that writes it, and its commit
};

/// The strategy as one header that needs nothing else of the library, with its documentation. Throws AmalgamationError.
[[nodiscard]] std::string header_text(const Adoption& adoption, std::span<const LibraryFile> files);

/// Whether `text` begins as header_text() begins, so that it may be replaced.
[[nodiscard]] bool is_adopted_header(std::string_view text) noexcept;

/// `text` as line comments. What could end a comment, or go on with it where it should end, is replaced: stored results
/// may hold anything.
[[nodiscard]] std::string commented(std::string_view text);

}  // namespace stowage::harness::adopt
