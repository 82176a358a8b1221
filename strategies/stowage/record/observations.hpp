#pragma once

// What a recorder is told, and what it has seen. All standard headers of the recorder are included here.

// libstdc++ cannot be read beside macros of these names, which windows.h and others define.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max
#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <locale>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#pragma pop_macro("max")
#pragma pop_macro("min")

namespace stowage::record {

template <class... Cs>
struct Reads {};
template <class... Cs>
struct Writes {};
template <class... Cs>
struct Without {};
template <class... Cs>
struct Optionally {};

/// What a system or a lookup does with components: it reads them, changes them, leaves out entities that have one of
/// them, or reads them in those of its entities that have them.
template <class... Cs>
inline constexpr Reads<Cs...> reads{};
template <class... Cs>
inline constexpr Writes<Cs...> writes{};
template <class... Cs>
inline constexpr Without<Cs...> without{};
template <class... Cs>
inline constexpr Optionally<Cs...> optionally{};

/// The text of a template argument.
template <std::size_t Size>
struct Text {
  // NOLINTNEXTLINE(google-explicit-constructor): a text is one
  consteval Text(const char (&text)[Size]) { std::copy_n(text, Size, characters); }
  char characters[Size] = {};
};
/// Stands for a component that has a name instead of a type of its own, wherever a type is asked for. A pool of EnTT
/// with an id is one: `storage<void>("enemy"_hs)` is Named<"enemy">, and `storage<Position>("previous"_hs)` is
/// Named<"previous", Position>, which also tells its size.
template <Text name, class C = void>
struct Named {};

struct Options {
  std::filesystem::path file = "game.toml";  ///< where the profile is written; the directory must exist
  std::string name = "game";                 ///< of the game
  std::size_t frames = 3000;                 ///< the profile is written, and recording ends, after that many
  double frames_per_second = 60;             ///< is passed on to the profile
  double overhead = 0.01;    ///< the share of the processor time that it may take; 1 looks after every frame
  std::string storage = {};  ///< what the game stores its entities in, if not EnTT or flecs: a key of the profile
};

/// Component types that are told apart. Further ones count as the last.
inline constexpr std::size_t most_components = 320;
/// Components by their number.
using Set = std::bitset<most_components>;

struct Component {
  std::string symbol;     ///< its type, with dots: game.Health
  std::size_t bytes = 0;  ///< 0: a tag
  bool is_size_known = false;
  bool is_state = false;
  bool is_unnamed = false;   ///< called by an id, because the recorder was not told its name
  std::uint64_t gained = 0;  ///< by entities that lived before and after the frame
  std::uint64_t lost = 0;
};

struct Use {
  Set reads = {};
  Set writes = {};
  Set without = {};
  Set optionally = {};

  bool operator==(const Use&) const = default;
};

struct System {
  std::string name;
  Use use = {};
  std::uint64_t runs = 0;
  bool is_of_looks = false;  ///< `runs` counts those in frames after which there was a look
  double timed_s = 0;        ///< that its runs took in all frames, or of those of looks in `timed_frames`; 0: unknown
  std::uint64_t timed_frames = 0;
};

struct Lookup {
  Use use;
  std::uint64_t times = 0;
};

/// Trees of more levels are cut: what is below counts as a tree of its own.
inline constexpr std::uint32_t most_levels = 16;

/// Entities that are alike: their components, and where they are in their trees.
struct Kind {
  Set set = {};
  Set parent = {};          ///< the components of what they hang on
  std::uint32_t level = 0;  ///< 0: they hang on nothing
  bool is_parent = false;

  bool operator==(const Kind&) const = default;
  struct Hash {
    [[nodiscard]] std::size_t operator()(const Kind& kind) const noexcept {
      const std::hash<Set> hash;
      return (hash(kind.set) * 31 + hash(kind.parent)) * 31 + kind.level * 2 + (kind.is_parent ? 1 : 0);
    }
  };
};
struct KindFigures {
  std::uint64_t entities = 0;
  std::uint64_t created = 0;  ///< with all that hangs on them, which is not counted again
  std::uint64_t destroyed = 0;
};

/// What a recorder has seen. Figures are sums over all looks, or over all pairs of looks after consecutive frames.
struct Observations {
  std::string name;
  double frames_per_second = 60;
  std::uint64_t frames = 0;
  std::uint64_t looks = 0;
  std::uint64_t pairs = 0;
  double share_of_time = 0;  ///< of the processor that looks took
  std::string storage;       ///< of the game, as the profile names it; empty if it is not known
  double timed_s = 0;        ///< that `timed_frames` took, without looks and writing
  std::uint64_t timed_frames = 0;
  double yardstick_ms = 0;            ///< of the fixed loop on this machine
  bool is_optimized = true;           ///< whether the recorder was compiled so, and most likely the game
  std::vector<Component> components;  ///< by number
  std::unordered_map<Kind, KindFigures, Kind::Hash> kinds;
  std::uint64_t least_entities = (std::numeric_limits<std::uint64_t>::max)();  ///< in one look
  std::uint64_t most_entities = 0;
  std::uint64_t created = 0;
  std::uint64_t destroyed = 0;
  std::uint64_t children = 0;  ///< entities with a parent
  std::uint64_t levels = 0;    ///< of the deepest tree, its root included
  std::vector<System> systems;
  std::vector<Lookup> lookups;

  [[nodiscard]] bool has_components() const {
    return std::any_of(kinds.begin(), kinds.end(), [](const auto& kind) { return kind.first.set.any(); });
  }
};

namespace detail {

/// A type with dots for `::`, and without the keyword that MSVC writes before it.
[[nodiscard]] inline std::string dotted(std::string type) {
  for (const std::string_view keyword : {"struct ", "class ", "enum "}) {
    if (type.starts_with(keyword)) type.erase(0, keyword.size());
  }
  for (std::size_t place = 0; (place = type.find("::", place)) != std::string::npos;) type.replace(place, 2, ".");
  return type;
}

/// Returns no std::string, because compilers then append what that is an alias of.
template <class C>
[[nodiscard]] const char* signature_of() {
#if defined(_MSC_VER) && !defined(__clang__)
  return __FUNCSIG__;
#else
  return __PRETTY_FUNCTION__;
#endif
}

/// How the compiler writes a type, with dots for `::`: what flecs calls the symbol of a component.
template <class C>
[[nodiscard]] std::string symbol_of() {
  std::string text = signature_of<C>();
#if defined(_MSC_VER) && !defined(__clang__)
  text = text.substr(text.find("signature_of<") + 13);
  text.resize(text.rfind(">(void)"));
#else
  text = text.substr(text.find("C = ") + 4);
  text.resize(text.rfind(']'));
#endif
  return dotted(std::move(text));
}

/// A number for each list of terms, by which a call finds its counter at once.
inline std::atomic<std::size_t> term_lists = 0;
template <class... Terms>
[[nodiscard]] std::size_t number_of_terms() {
  static const std::size_t number = term_lists++;
  return number;
}

}  // namespace detail

}  // namespace stowage::record
