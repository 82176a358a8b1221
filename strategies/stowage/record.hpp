#pragma once

// Observes a running game and writes what it does as a profile for `stowage recommend`. Needs nothing else of stowage.
//
//     #include <entt/entt.hpp>         // the ECS of the game comes first
//     #include <stowage/record.hpp>
//
//     namespace record = stowage::record;
//     record::Recorder recorder({.file = "game.toml", .name = "my game"}, record::entt_registry(registry));
//     recorder.components<Position, Velocity, Health>();                             // which tells their sizes
//     while (running) {
//       recorder.system("move", record::reads<Velocity>, record::writes<Position>);  // whenever it runs
//       recorder.lookups(hits.size(), record::writes<Health>);                       // components found by handle
//       ...
//       recorder.frame();                                                            // at the end of each frame
//     }
//
// The recorder looks at the world at the end of a frame: which entities there are, which components each has, and what
// it hangs on. Entities with the same components are a kind. Two looks after consecutive frames tell how many of each
// kind were created and destroyed in between, and which components the others gained and lost. It looks as often as its
// share of the processor time allows (`Options::overhead`). Systems and lookups leave no trace in a world: flecs knows
// its systems, and other games name them as above.
//
// When the profile is written: after `Options::frames` frames, by the destructor, or by std::exit, whichever comes
// first; also after 64, 128, 256, ... frames, so that a game that is killed leaves what it did until then. Comments in
// the profile say what was seen and what was guessed. If no entity had a component, no file is written, and a line on
// standard error says so. A file is written whole or not at all, and replaces only a file that a recorder wrote.
//
// What it cannot see: entities that end in the frame in which they began, components that are removed and added within
// one frame, and components and parents of flecs that are not part of a table (DontFragment, Parent).
//
// A look takes O(entities + their components), a few nanoseconds for each, and twice 64 bytes for each index up to the
// highest. Otherwise frame(), system() and lookups() take some ten nanoseconds. Nothing in the world is changed or
// invalidated. The world must outlive the recorder. All calls come from one thread. Any call may throw std::bad_alloc.
// What is wrong with the file is said on standard error.

// libstdc++ cannot be read beside macros of these names, which windows.h and others define.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <bitset>
#include <cctype>
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
  double overhead = 0.01;  ///< the share of the processor time that it may take; 1 looks after every frame
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
  double share_of_time = 0;           ///< of the processor that looks took
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

[[nodiscard]] inline std::string dotted(std::string type) {
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
  for (const char* const word : {"struct ", "class ", "enum "}) {
    if (text.starts_with(word)) text.erase(0, std::string_view(word).size());
  }
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

/// Bytes of the character of UTF-8 that `text` begins with; 0 if it begins with none.
[[nodiscard]] inline std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  for (std::size_t at = 1; at < size; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return 0;
  }
  const bool is_longer_than_needed = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_none = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return is_longer_than_needed || is_none ? 0 : size;
}

/// Names may come from files of the game: control characters become blanks, and what is no UTF-8 question marks.
[[nodiscard]] inline std::string in_a_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool is_control = first < ' ' || first == 0x7F;
    line += size == 0 ? "?" : is_control ? " " : text.substr(0, size);
    text.remove_prefix((std::max<std::size_t>)(size, 1));
  }
  return line;
}

/// As a shell takes it.
[[nodiscard]] inline std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("_-./,:=+@%", c) != nullptr; };
  if (!text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = text.starts_with('-') ? "./'" : "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// The first line of a recorded profile, by which a recorder knows a file that it may replace.
inline constexpr std::string_view first_words = "# Recorded by stowage";

/// Makes the profile: keeps within the limits of profiles/schema.json, and says where it had to leave something out.
class ProfileWriter {
 public:
  explicit ProfileWriter(const Observations& seen) : seen_(seen) {
    out_.imbue(std::locale::classic());
    looks_ = static_cast<double>(std::max<std::uint64_t>(seen.looks, 1));
    pairs_ = static_cast<double>(std::max<std::uint64_t>(seen.pairs, 1));
  }

  [[nodiscard]] std::string text() {
    choose_components();
    choose_kinds();
    choose_changes();
    choose_groups();
    write_head();
    write_components();
    write_kinds();
    write_systems();
    write_lookups();
    write_changes();
    write_hierarchy();
    out_ << "\n# [saves] and [budget] cannot be seen; docs/profiles.md explains them.\n";
    return std::move(out_).str();
  }

 private:
  static constexpr double most_entities = 16 * 1024 * 1024;
  static constexpr std::size_t most_entries = 300;
  static constexpr std::size_t most_sets = 500;  ///< that are written; `recommend` measures 10,000, states included
  static constexpr std::size_t most_measured_sets = 10'000;
  static constexpr std::size_t most_systems = 100;
  static constexpr std::size_t most_lookups = 32;
  static constexpr std::size_t longest_name = 40;
  static constexpr std::size_t most_bytes = 4096;
  static constexpr std::size_t guessed_bytes = 16;

  /// A [[component]]: one that was seen, or the rest of them.
  struct Entry {
    std::string name = {};
    Set seen_as = {};
    std::size_t bytes = 0;
    bool is_size_known = true;
    bool is_state = false;
    bool is_unnamed = false;
    std::size_t owners = 0;  ///< by the kinds
    double gained = 0;       ///< a frame
    double lost = 0;
    double changes = 0;     ///< a frame, as far as the kinds allow it; as many gain it as lose it
    std::size_t group = 0;  ///< 0: none
  };
  using Entries = std::vector<std::size_t>;

  /// An [[entity_kind]].
  struct KindEntry {
    std::string name = {};
    Entries components = {};
    double seen = 0;  ///< entities
    double created = 0;
    double destroyed = 0;
    std::size_t count = 0;
    std::map<std::size_t, double> children = {};  ///< how many of each kind hang on all of this one
    bool is_in_tree = false;
  };

  /// What of a system or a lookup the profile can say.
  struct Work {
    Entries reads, writes, without, optional;
    std::string unseen;    ///< components that no entity has
    std::string left_out;  ///< those that no entity would have
  };

  // ---- figures

  template <class Counts>
  [[nodiscard]] double mean_of(Counts counts) const {
    std::uint64_t sum = 0;
    for (const auto& [kind, figures] : seen_.kinds) {
      if (counts(kind.set)) sum += figures.entities;
    }
    return static_cast<double>(sum) / looks_;
  }
  [[nodiscard]] double owners_of(const Set& any) const {
    return mean_of([&](const Set& set) { return (set & any).any(); });
  }
  [[nodiscard]] double matches_of(const Use& use) const {
    const Set all = use.reads | use.writes;
    return mean_of([&](const Set& set) { return (set & all) == all && (set & use.without).none(); });
  }
  /// How many entities of the kinds have all of these components, and none of `without`.
  [[nodiscard]] std::size_t entities_with(const Entries& all, const Entries& without = {}) const {
    std::size_t count = 0;
    for (const KindEntry& kind : kinds_) {
      const auto has_it = [&](std::size_t entry) { return contains(kind.components, entry); };
      if (std::all_of(all.begin(), all.end(), has_it) && std::none_of(without.begin(), without.end(), has_it)) {
        count += kind.count;
      }
    }
    return count;
  }

  // ---- components

  void choose_components() {
    std::vector<double> owners(seen_.components.size());
    for (std::size_t number = 0; number < owners.size(); ++number) owners[number] = owners_of(Set().set(number));
    // Less than half an entity would be rounded to none; but a profile has one component at least.
    const double enough = (std::min)(0.5, *std::max_element(owners.begin(), owners.end()));
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < owners.size(); ++number) {
      if (owners[number] >= enough) {
        numbers.push_back(number);
      } else if (owners[number] > 0) {
        add(too_rare_, seen_.components[number].symbol);
      }
    }
    const std::vector<std::size_t> rest = take_rest(numbers, owners);
    for (const std::size_t number : numbers) entries_.push_back(entry_of(number));
    if (!rest.empty()) entries_.push_back(merged(rest, owners));
    for (Entry& entry : entries_) entry.bytes = (std::min)(entry.bytes, most_bytes);
  }

  /// Takes out of `numbers` what a profile has no place for: what no system names and has the fewest bytes.
  [[nodiscard]] std::vector<std::size_t> take_rest(std::vector<std::size_t>& numbers,
                                                   const std::vector<double>& owners) const {
    if (numbers.size() <= most_entries) return {};
    Set named;
    for (const System& system : seen_.systems) named |= system.use.reads | system.use.writes;
    for (const Lookup& lookup : seen_.lookups) named |= lookup.use.reads | lookup.use.writes;
    const auto weight = [&](std::size_t number) {
      return std::pair(named.test(number), owners[number] * static_cast<double>(bytes_of(seen_.components[number])));
    };
    std::stable_sort(numbers.begin(), numbers.end(),
                     [&](std::size_t left, std::size_t right) { return weight(left) > weight(right); });
    const auto first = numbers.begin() + (most_entries - 1);
    std::sort(numbers.begin(), first);
    std::vector<std::size_t> rest(first, numbers.end());
    numbers.erase(first, numbers.end());
    return rest;
  }

  [[nodiscard]] static std::size_t bytes_of(const Component& component) {
    return component.is_size_known ? component.bytes : guessed_bytes;
  }

  [[nodiscard]] Entry entry_of(std::size_t number) {
    const Component& component = seen_.components[number];
    Entry entry{.name = name_of(component.symbol, names_),
                .seen_as = Set().set(number),
                .bytes = bytes_of(component),
                .is_size_known = component.is_size_known,
                .is_state = component.is_state,
                .is_unnamed = component.is_unnamed};
    entry.gained = static_cast<double>(component.gained) / pairs_;
    entry.lost = static_cast<double>(component.lost) / pairs_;
    return entry;
  }

  /// One for all of them, which the entities have that have one of them, with as many bytes in all.
  [[nodiscard]] Entry merged(const std::vector<std::size_t>& numbers, const std::vector<double>& owners) {
    Entry rest{.name = name_of("rest", names_)};
    double bytes = 0;
    for (const std::size_t number : numbers) {
      const Component& component = seen_.components[number];
      rest.seen_as.set(number);
      rest.is_size_known = rest.is_size_known && component.is_size_known;
      bytes += owners[number] * static_cast<double>(bytes_of(component));
      add(merged_, component.symbol);
    }
    rest.bytes = static_cast<std::size_t>((std::round)(bytes / owners_of(rest.seen_as)));
    return rest;
  }

  // ---- kinds of entities

  using MeansOfSets = std::map<Entries, double>;
  using Links = std::set<std::pair<std::size_t, std::size_t>>;  ///< parent and child, by the places of their sets

  void choose_kinds() {
    MeansOfSets means;
    for (const auto& [kind, figures] : seen_.kinds) {
      means[entries_in(kind.set)] += static_cast<double>(figures.entities) / looks_;
    }
    if (const auto bare = means.find(Entries()); bare != means.end()) {
      bare_entities_ = bare->second;
      means.erase(bare);
    }
    const std::vector<Entries> kept = kept_of(means);
    std::map<Entries, std::size_t> place_of;
    for (const auto& [set, mean] : means) {
      place_of[set] = nearest(kept, set);
      if (kept[place_of[set]] == set) continue;
      ++merged_sets_;
      merged_entities_ += mean;
    }
    add_kinds(kept, place_of);
    count_kinds();
  }

  /// The most common sets first, and at least one for each component.
  [[nodiscard]] std::vector<Entries> kept_of(const MeansOfSets& means) const {
    std::vector<std::pair<double, Entries>> sets;
    for (const auto& [set, mean] : means) sets.emplace_back(mean, set);
    std::stable_sort(sets.begin(), sets.end(),
                     [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<bool> has_set(entries_.size(), false);
    std::vector<bool> is_kept(sets.size(), false);
    std::size_t count = 0;
    for (std::size_t place = 0; place < sets.size(); ++place) {
      for (const std::size_t entry : sets[place].second) {
        if (!has_set[entry]) is_kept[place] = has_set[entry] = true;
      }
      if (is_kept[place]) ++count;
    }
    std::vector<Entries> kept;
    for (std::size_t place = 0; place < sets.size(); ++place) {
      if (!is_kept[place] && sets[place].first >= 0.5 && count < most_sets) {
        is_kept[place] = true;
        ++count;
      }
      if (is_kept[place]) kept.push_back(std::move(sets[place].second));
    }
    return kept;
  }

  /// The place of the set that differs in the fewest components.
  [[nodiscard]] static std::size_t nearest(const std::vector<Entries>& kept, const Entries& set) {
    std::size_t best = 0;
    std::size_t fewest = most_entries + 1;
    for (std::size_t place = 0; place < kept.size() && fewest > 0; ++place) {
      Entries apart;
      std::set_symmetric_difference(kept[place].begin(), kept[place].end(), set.begin(), set.end(),
                                    std::back_inserter(apart));
      if (apart.size() >= fewest) continue;
      fewest = apart.size();
      best = place;
    }
    return best;
  }

  /// One for each set; several if some of its entities are in trees and others not, or are parents and others not. A
  /// kind cannot hang on itself, so if entities hang on others with the same set, there is a kind for each level.
  void add_kinds(const std::vector<Entries>& kept, const std::map<Entries, std::size_t>& place_of) {
    const auto place = [&](const Set& set) { return place_of.at(entries_in(set)); };
    const auto hangs = [&](const Kind& kind) { return kind.level > 0 && !entries_in(kind.parent).empty(); };
    Links links;
    for (const auto& [kind, figures] : seen_.kinds) {
      if (hangs(kind) && !entries_in(kind.set).empty()) links.emplace(place(kind.parent), place(kind.set));
    }
    const std::set<std::size_t> layered = in_cycles(std::move(links));
    std::map<std::tuple<std::size_t, bool, bool, std::size_t>, std::size_t> numbers;
    const auto number_of = [&](std::size_t set, bool is_parent, std::size_t level) {
      const std::tuple key(set, is_parent, level > 0, layered.count(set) > 0 ? level : 0);
      const auto [at, is_new] = numbers.emplace(key, kinds_.size());
      if (is_new) kinds_.push_back({.components = kept[set], .is_in_tree = is_parent || level > 0});
      return at->second;
    };
    for (const auto& [seen, figures] : seen_.kinds) {
      if (entries_in(seen.set).empty()) continue;
      const std::size_t number = number_of(place(seen.set), seen.is_parent, seen.level);
      const double entities = static_cast<double>(figures.entities) / looks_;
      kinds_[number].seen += entities;
      kinds_[number].created += static_cast<double>(figures.created) / pairs_;
      kinds_[number].destroyed += static_cast<double>(figures.destroyed) / pairs_;
      if (!hangs(seen)) continue;
      const std::size_t parent = number_of(place(seen.parent), true, seen.level - 1);
      kinds_[parent].children[number] += entities;
    }
  }

  /// Sets between which links lead back to where they came from.
  [[nodiscard]] static std::set<std::size_t> in_cycles(Links links) {
    std::set<std::size_t> parents, children;
    for (std::size_t before = links.size() + 1; links.size() < before;) {
      before = links.size();
      parents.clear();
      children.clear();
      for (const auto& [parent, child] : links) {
        parents.insert(parent);
        children.insert(child);
      }
      std::erase_if(
          links, [&](const auto& link) { return children.count(link.first) == 0 || parents.count(link.second) == 0; });
    }
    return parents;
  }

  void count_kinds() {
    double all = 0;
    for (const KindEntry& kind : kinds_) all += kind.seen;
    const double scale = (std::min)(1.0, (most_entities - static_cast<double>(kinds_.size())) / all);
    for (KindEntry& kind : kinds_) {
      kind.count = static_cast<std::size_t>((std::max)(1.0, (std::round)(kind.seen * scale)));
      for (auto& [child, mean] : kind.children) mean *= scale / static_cast<double>(kind.count);
      for (const std::size_t entry : kind.components) entries_[entry].owners += kind.count;
      entities_ += static_cast<double>(kind.count);
    }
    for (const std::size_t number : by_count()) {
      KindEntry& kind = kinds_[number];
      const std::size_t rarest = *std::min_element(
          kind.components.begin(), kind.components.end(),
          [&](std::size_t left, std::size_t right) { return entries_[left].owners < entries_[right].owners; });
      kind.name = name_of(entries_[rarest].name, kind_names_);
    }
  }

  [[nodiscard]] std::vector<std::size_t> by_count() const {
    std::vector<std::size_t> numbers(kinds_.size());
    for (std::size_t number = 0; number < numbers.size(); ++number) numbers[number] = number;
    std::stable_sort(numbers.begin(), numbers.end(), [&](std::size_t left, std::size_t right) {
      return std::pair(kinds_[right].count, kinds_[left].components) <
             std::pair(kinds_[left].count, kinds_[right].components);
    });
    return numbers;
  }

  // ---- changes and groups

  /// Without components that change, `other` apart.
  [[nodiscard]] Entries base_of(const KindEntry& kind, std::size_t other = most_entries) const {
    Entries base = kind.components;
    std::erase_if(base, [&](std::size_t entry) { return entry == other || entries_[entry].changes > 0; });
    return base;
  }

  /// Entities that lack the component, and have what an owner of it has.
  [[nodiscard]] std::size_t may_gain(std::size_t entry) const {
    std::set<Entries> bases;
    for (const KindEntry& kind : kinds_) {
      if (contains(kind.components, entry)) bases.insert(base_of(kind, entry));
    }
    std::size_t count = 0;
    for (const KindEntry& kind : kinds_) {
      if (!contains(kind.components, entry) && bases.count(base_of(kind, entry)) > 0) count += kind.count;
    }
    return count;
  }

  /// Which component sets the kinds and what they gain and lose may make.
  [[nodiscard]] double sets_with_changes() const {
    std::map<std::pair<bool, Entries>, std::pair<std::set<std::size_t>, double>> bases;
    for (const KindEntry& kind : kinds_) {
      auto& [states, entities] = bases[{kind.is_in_tree, base_of(kind)}];
      entities += static_cast<double>(kind.count);
      for (const std::size_t entry : kind.components) {
        if (entries_[entry].changes > 0) states.insert(entry);
      }
    }
    double sets = 0;
    for (const auto& [base, of_base] : bases) {
      sets += (std::min)(std::exp2(static_cast<double>(of_base.first.size())), of_base.second);
    }
    return sets;
  }

  /// As many gain a component as lose it; no more than there are. What no kind can gain, and what would make too many
  /// sets, is left out.
  void choose_changes() {
    for (Entry& entry : entries_) entry.changes = (entry.gained + entry.lost) / 2;
    const auto is_more_often = [](const Entry& left, const Entry& right) {
      return (left.changes > 0 ? left.changes : HUGE_VAL) < (right.changes > 0 ? right.changes : HUGE_VAL);
    };
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (std::size_t number = 0; number < entries_.size(); ++number) {
        Entry& entry = entries_[number];
        if (entry.changes == 0) continue;
        entry.changes = (std::min)(entry.changes, static_cast<double>((std::min)(entry.owners, may_gain(number))));
        if (entry.changes == 0) is_done = false;
      }
      if (!is_done || sets_with_changes() <= static_cast<double>(most_measured_sets)) continue;
      std::min_element(entries_.begin(), entries_.end(), is_more_often)->changes = 0;
      is_done = false;
    }
  }

  /// Components that entities of the same kinds have, and that do not change.
  void choose_groups() {
    std::size_t groups = 0;
    for (std::size_t first = 0; first < entries_.size(); ++first) {
      if (entries_[first].group != 0 || is_for_all_or_changes(entries_[first])) continue;
      for (std::size_t other = first + 1; other < entries_.size(); ++other) {
        if (entries_[other].group != 0 || is_for_all_or_changes(entries_[other])) continue;
        const bool are_together = std::all_of(kinds_.begin(), kinds_.end(), [&](const KindEntry& kind) {
          return contains(kind.components, first) == contains(kind.components, other);
        });
        if (!are_together) continue;
        if (entries_[first].group == 0) entries_[first].group = ++groups;
        entries_[other].group = entries_[first].group;
      }
    }
  }
  [[nodiscard]] bool is_for_all_or_changes(const Entry& entry) const {
    return static_cast<double>(entry.owners) == entities_ || entry.changes > 0;
  }

  /// The last part of a symbol, in the letters that a name may have; one that no other has.
  [[nodiscard]] static std::string name_of(std::string_view symbol, std::set<std::string>& taken) {
    symbol = symbol.substr(0, symbol.find('<'));
    std::string name(symbol.substr(symbol.find_last_of(".:") + 1));
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    for (char& c : name) {
      if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '-') c = '_';
    }
    if (name.empty() || !is_letter(name.front())) name.insert(0, "c_");
    if (name.size() > longest_name) name.resize(longest_name);
    std::string unique = name;
    for (std::size_t count = 2; !taken.insert(unique).second; ++count) {
      const std::string end = "_" + std::to_string(count);
      unique = name.substr(0, longest_name - end.size()) + end;
    }
    return unique;
  }

  // ---- what the profile can say of a system or a lookup

  [[nodiscard]] static bool contains(const Entries& entries, std::size_t entry) {
    return std::find(entries.begin(), entries.end(), entry) != entries.end();
  }
  [[nodiscard]] Entries entries_in(const Set& set) const {
    Entries found;
    for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
      if ((entries_[entry].seen_as & set).any()) found.push_back(entry);
    }
    return found;
  }

  /// Leaves out components until the rest has an entity of the kinds that are written.
  [[nodiscard]] Work fit(const Use& use) const {
    Work work;
    Set known;
    for (const Entry& entry : entries_) known |= entry.seen_as;
    for (std::size_t number = 0; number < seen_.components.size(); ++number) {
      if ((use.reads | use.writes).test(number) && !known.test(number)) {
        add(work.unseen, seen_.components[number].symbol);
      }
    }
    Entries required = entries_in(use.reads | use.writes);
    std::stable_sort(required.begin(), required.end(), [&](std::size_t left, std::size_t right) {
      return entries_[left].owners < entries_[right].owners;
    });
    Entries taken;
    for (const std::size_t entry : required) {
      taken.push_back(entry);
      if (entities_with(taken) > 0) continue;
      taken.pop_back();
      add(work.left_out, entries_[entry].name);
    }
    std::sort(taken.begin(), taken.end());
    for (const std::size_t entry : taken) {
      const bool is_written = entries_[entry].bytes > 0 && (entries_[entry].seen_as & use.writes).any();
      (is_written ? work.writes : work.reads).push_back(entry);
    }
    for (const std::size_t entry : entries_in(use.without)) {
      if (contains(required, entry)) continue;
      work.without.push_back(entry);
      if (entities_with(taken, work.without) > 0) continue;
      work.without.pop_back();
      add(work.left_out, "without " + entries_[entry].name);
    }
    for (const std::size_t entry : entries_in(use.optionally)) {
      if (!contains(required, entry) && !contains(work.without, entry)) work.optional.push_back(entry);
    }
    return work;
  }

  // ---- text

  static void add(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + in_a_line(name); }

  [[nodiscard]] static std::string rounded(double value, int digits = 4) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(digits);
    out << value;
    return out.str();
  }

  [[nodiscard]] static std::string quoted(const std::string& text) {
    const std::string line = in_a_line(text);
    std::size_t size = std::min<std::size_t>(line.size(), 100);
    while (size < line.size() && (line[size] & '\xC0') == '\x80') --size;  // ends before a character, not in one
    std::string quoted = "\"";
    for (const char c : line.substr(0, size)) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + '"';
  }

  /// A rate that is as many as there are must not be rounded up.
  [[nodiscard]] static std::string rate_text(double rate) { return rounded(rate, rate < 1000 ? 4 : 9); }

  void write_list(const char* key, const Entries& entries) {
    if (entries.empty()) return;
    std::string list;
    for (const std::size_t entry : entries) add(list, quoted(entries_[entry].name));
    out_ << key << " = [" << list << "]\n";
  }

  void write_head() {
    out_ << first_words << " from a running game. Figures are means; \"guessed\" marks what could not be seen.\n# "
         << seen_.frames << " frames. The recorder looked at the world after " << seen_.looks << " of them, which took "
         << rounded(100 * seen_.share_of_time, 2) << " % of the processor time.\n# Changes are those of " << seen_.pairs
         << " frames that had a look before and after.\n";
    if (seen_.pairs == 0) out_ << "# That is too short: record more frames.\n";
    if (merged_sets_ > 0) {
      out_ << "# " << merged_sets_ << " rare sets of components, of " << rounded(merged_entities_)
           << " entities, are counted with the kinds that are most like them.\n";
    }
    if (bare_entities_ > 0) out_ << "# Left out: " << rounded(bare_entities_) << " entities without components.\n";
    if (!merged_.empty()) {
      out_ << "# A profile has at most " << most_entries << " components, so these are merged into 'rest': " << merged_
           << ".\n";
    }
    if (!too_rare_.empty())
      out_ << "# Left out, because less than one entity in two looks has them: " << too_rare_ << ".\n";
    if (seen_.components.size() == most_components) {
      out_ << "# There may be more than " << most_components << " component types; the last stands for all others.\n";
    }
    std::string name = in_a_line(seen_.name);
    name.erase(0, name.find_first_not_of(' '));
    out_ << "\n[profile]\nname = " << quoted(name.empty() ? "game" : name) << "\nentities = " << rounded(entities_, 9)
         << "  # seen: " << seen_.least_entities << " to " << seen_.most_entities
         << "; give those of a heavy frame\nframes_per_second = "
         << rounded((std::clamp)(seen_.frames_per_second, 0.001, 1000.0)) << "\n";
  }

  void write_components() {
    for (const Entry& entry : entries_) {
      out_ << "\n[[component]]";
      if (entry.is_unnamed) out_ << "  # recorder.components<record::Named<\"text of its id\">>() gives it a name";
      out_ << "\nname = " << quoted(entry.name) << "\nbytes = " << entry.bytes;
      if (!entry.is_size_known) out_ << "  # guessed; recorder.components<...>() tells the size";
      if (entry.bytes == most_bytes) out_ << "  # or more, which a profile cannot say";
      out_ << "\n";
      if (entry.group != 0) out_ << "together = \"group" << entry.group << "\"\n";
      if (entry.is_state && entry.changes > 0) {
        out_ << "toggled_per_frame = " << rate_text(entry.changes) << "  # seen: " << rounded(entry.gained)
             << " switched on, " << rounded(entry.lost) << " off\n";
      }
    }
  }

  void write_kinds() {
    for (const std::size_t number : by_count()) {
      const KindEntry& kind = kinds_[number];
      const double created = (std::min)((kind.created + kind.destroyed) / 2, static_cast<double>(kind.count));
      out_ << "\n[[entity_kind]]  # seen: " << rounded(kind.seen) << " entities, " << rounded(kind.created)
           << " created and " << rounded(kind.destroyed) << " destroyed a frame\nname = " << quoted(kind.name)
           << "\ncount = " << kind.count << "\n";
      write_list("components", kind.components);
      if (created > 0) out_ << "created_per_frame = " << rate_text(created) << "\n";
      if (kind.children.empty()) continue;
      std::string children;
      for (const auto& [child, mean] : kind.children) {
        children += (children.empty() ? "" : ", ") + ("{kind = " + quoted(kinds_[child].name)) +
                    ", count = " + rounded(mean) + "}";
      }
      out_ << "children = [" << children << "]\n";
    }
  }

  void write_systems() {
    std::vector<System> systems;
    std::string idle;
    for (const System& system : seen_.systems) {
      const bool has_work = system.runs > 0 && matches_of(system.use) > 0;
      if (has_work && !entries_in(system.use.reads | system.use.writes).empty())
        systems.push_back(system);
      else if (has_work || !system.is_of_looks)
        add(idle, system.name);
    }
    if (!idle.empty()) out_ << "\n# Left out, because no entity was seen that they go through: " << idle << ".\n";
    if (systems.empty()) {
      out_ << "\n# There is no system, so one is guessed that reads the most common set; recorder.system() names "
              "them.\n";
      systems.push_back(guessed_system());
    }
    if (systems.size() > most_systems) {
      std::stable_sort(systems.begin(), systems.end(),
                       [&](const System& left, const System& right) { return bytes_of(left) > bytes_of(right); });
      std::string others;
      for (std::size_t number = most_systems; number < systems.size(); ++number) add(others, systems[number].name);
      systems.resize(most_systems);
      out_ << "\n# A profile has at most " << most_systems
           << " systems. Those that touch least are left out: " << others << ".\n";
    }
    std::set<std::string> names;
    for (const System& system : systems) write_system(system, names);
  }

  [[nodiscard]] double frames_of(const System& system) const {
    return static_cast<double>(system.is_of_looks ? seen_.looks : std::max<std::uint64_t>(seen_.frames, 1));
  }
  /// That it touches in a frame.
  [[nodiscard]] double bytes_of(const System& system) const {
    double bytes = 1;
    for (const std::size_t entry : entries_in(system.use.reads | system.use.writes)) {
      bytes += static_cast<double>(entries_[entry].bytes);
    }
    return bytes * matches_of(system.use) * static_cast<double>(system.runs) / frames_of(system);
  }

  void write_system(const System& system, std::set<std::string>& names) {
    const double frames = frames_of(system);
    const double runs = (std::clamp)(static_cast<double>(system.runs) / frames, 0.0625, 100.0);
    const Work work = fit(system.use);
    Entries all = work.reads;
    all.insert(all.end(), work.writes.begin(), work.writes.end());
    out_ << "\n[[system]]  # seen: " << rounded(matches_of(system.use)) << " entities, of the kinds it is "
         << entities_with(all, work.without) << "; " << system.runs << " runs in " << frames
         << " frames\nname = " << quoted(name_of(system.name, names)) << "\n";
    write_work(work);
    write_list("without", work.without);
    write_list("optional", work.optional);
    if ((std::abs)(runs - 1) > 0.005) out_ << "runs_per_frame = " << rounded(runs) << "\n";
  }

  void write_work(const Work& work) {
    if (!work.unseen.empty()) out_ << "# left out, because no entity has it: " << work.unseen << "\n";
    if (!work.left_out.empty()) {
      out_ << "# left out, because no kind would be left: " << work.left_out << "\n";
    }
    write_list("reads", work.reads);
    write_list("writes", work.writes);
  }

  [[nodiscard]] System guessed_system() const {
    Set set;
    for (const std::size_t entry : kinds_[by_count().front()].components) set |= entries_[entry].seen_as;
    return {.name = "guessed", .use = {.reads = set}, .runs = seen_.frames};
  }

  void write_lookups() {
    std::vector<Lookup> lookups = seen_.lookups;
    std::erase_if(lookups, [&](const Lookup& lookup) {
      return lookup.times == 0 || entries_in(lookup.use.reads | lookup.use.writes).empty();
    });
    if (lookups.empty()) {
      out_ << "\n# No lookup was named: if the game has handles that it follows, recorder.lookups() counts them.\n";
    }
    std::stable_sort(lookups.begin(), lookups.end(),
                     [](const Lookup& left, const Lookup& right) { return left.times > right.times; });
    if (lookups.size() > most_lookups) {
      out_ << "\n# A profile has at most " << most_lookups << " lookups; the rarest " << lookups.size() - most_lookups
           << " are left out.\n";
      lookups.resize(most_lookups);
    }
    for (const Lookup& lookup : lookups) {
      const double seen =
          static_cast<double>(lookup.times) / static_cast<double>(std::max<std::uint64_t>(seen_.frames, 1));
      out_ << "\n[[lookup]]  # its order is guessed: random\n";
      write_work(fit(lookup.use));
      out_ << "per_frame = " << rounded((std::min)(seen, 100 * entities_)) << "\n";
    }
  }

  void write_changes() {
    for (const Entry& entry : entries_) {
      if (entry.gained + entry.lost > 0 && entry.changes == 0) {
        out_ << "\n# '" << entry.name << "' changes, seen: " << rounded(entry.gained) << " gained and "
             << rounded(entry.lost)
             << " lost a frame; but no kind differs in that alone, or there are too many sets.\n";
      }
      if (entry.changes == 0 || entry.is_state) continue;
      out_ << "\n[[change]]  # seen: " << rounded(entry.gained) << " gained and " << rounded(entry.lost)
           << " lost a frame\ncomponent = " << quoted(entry.name) << "\nper_frame = " << rate_text(entry.changes)
           << "\n";
    }
  }

  void write_hierarchy() {
    if (seen_.children == 0) {
      out_ << "\n# No entity with a parent was seen.\n";
      return;
    }
    out_ << "\n# Seen: " << rounded(static_cast<double>(seen_.children) / looks_)
         << " entities hang on others, at most " << seen_.levels << " levels.\n";
    if (seen_.levels > most_levels)
      out_ << "# What is below level " << most_levels << " is taken for trees of its own.\n";
    const bool has_trees =
        std::any_of(kinds_.begin(), kinds_.end(), [](const KindEntry& kind) { return !kind.children.empty(); });
    if (!has_trees) return;
    out_ << "# Each has two transforms beside its components, so remove components that are such.\n"
         << "[hierarchy]\ndirty_share = 1  # guessed: all nodes move in each frame\n";
  }

  const Observations& seen_;
  double looks_ = 1;
  double pairs_ = 1;
  double entities_ = 0;  ///< of all kinds
  std::vector<Entry> entries_;
  std::vector<KindEntry> kinds_;
  std::set<std::string> names_;
  std::set<std::string> kind_names_;
  std::size_t merged_sets_ = 0;
  double merged_entities_ = 0;
  double bare_entities_ = 0;
  std::string merged_;
  std::string too_rare_;
  std::ostringstream out_;
};

}  // namespace detail

/// The profile of what was seen, as TOML that `stowage recommend` accepts. Some entity must have had a component.
/// O(sets × components × (components + 500)), where sets are those of components that were seen.
[[nodiscard]] inline std::string profile_of(const Observations& seen) { return detail::ProfileWriter(seen).text(); }

class Recorder {
 public:
  /// Tells the recorder what is in the world, by entity(), has(), child_of() and ran().
  using Look = std::function<void(Recorder&)>;

  Recorder(Options options, Look look) : options_(std::move(options)), look_(std::move(look)) {
    seen_.name = options_.name;
    seen_.frames_per_second = options_.frames_per_second;
    live().push_back(this);
    [[maybe_unused]] static const int at_exit = std::atexit([] {
      for (Recorder* const recorder : std::vector<Recorder*>(live())) recorder->finish();
    });
  }
  ~Recorder() {
    finish();
    std::erase(live(), this);
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // ---- for games

  /// Tells the sizes of components. Not necessary for those of flecs or a stowage storage, or if a system or a lookup
  /// names them.
  template <class... Cs>
  void components() {
    (static_cast<void>(component<Cs>()), ...);
  }
  /// Components that a storage may switch off and on where it can, instead of removing and adding them.
  template <class... Cs>
  void states() {
    ((seen_.components[component<Cs>()].is_state = true), ...);
  }

  /// Counts a run of the system with that name and these terms: reads<>, writes<>, without<>, optionally<>. O(1), but
  /// O(systems) if several systems with equal terms run in turns.
  template <class... Terms>
  void system(std::string_view name, Terms... terms) {
    if (is_over_) return;
    const std::size_t number = detail::number_of_terms<Terms...>();
    if (number >= last_systems_.size()) last_systems_.resize(number + 1, no_system);
    std::size_t& last = last_systems_[number];
    if (last >= seen_.systems.size() || seen_.systems[last].name != name) last = find_or_add(name, terms...);
    ++seen_.systems[last].runs;
  }

  /// Counts that reads<> and writes<> were found in so many entities, by handle. O(1).
  template <class... Terms>
  void lookups(std::uint64_t times, Terms... terms) {
    if (is_over_) return;
    const std::size_t number = detail::number_of_terms<Terms...>();
    if (number >= seen_.lookups.size()) seen_.lookups.resize(number + 1);
    Lookup& lookup = seen_.lookups[number];
    if (lookup.times == 0) (add_to(lookup.use, terms), ...);
    lookup.times += times;
  }

  /// Ends a frame, and looks at the world if it is time to.
  void frame() {
    if (is_over_) return;
    ++seen_.frames;
    const bool is_last = seen_.frames == options_.frames;
    const bool is_half_a_pair = last_look_ + 1 == seen_.frames && !last_look_made_pair_;
    const bool is_time_to_write = seen_.frames >= 64 && std::has_single_bit(seen_.frames);
    if (seen_.frames < next_check_ && !is_last && !is_half_a_pair && !is_time_to_write) return;
    const double now = processor_seconds();
    if (seen_.frames == 1) begin_ = now;
    const bool may_look = options_.overhead >= 1 || spent_ < options_.overhead * (now - begin_);
    if (seen_.frames == 1 || is_half_a_pair || may_look) {
      look();
    } else {
      next_check_ = seen_.frames + 16;  // to read the processor's clock may take a microsecond
    }
    if (is_last) return finish();
    if (is_time_to_write) write(false);
    spent_ += processor_seconds() - now;
  }

  /// Writes the profile, if there is something to write, and ends the recording. Ends the program if memory runs out.
  void finish() noexcept {
    if (is_over_) return;
    is_over_ = true;
    write(true);
  }

  [[nodiscard]] const Observations& seen() const noexcept { return seen_; }

  // ---- for adapters, which are called in a look

  /// The number of a component, by its symbol. O(1).
  std::size_t component(const std::string& symbol) { return number_in(numbers_, symbol, symbol); }
  std::size_t component(const std::string& symbol, std::size_t bytes) {
    const std::size_t number = component(symbol);
    set_bytes(number, bytes);
    return number;
  }
  template <class C>
  std::size_t component() {
    return number_of(static_cast<const C*>(nullptr));
  }
  /// The number of a component of an ECS that tells its components apart by ids: two ids are two components, even if
  /// their symbols are equal. The first with a symbol is the one that is told and used by the type. O(1), but
  /// O(components) for a new id.
  std::size_t component_of(std::uint64_t id, const std::string& symbol) {
    const auto known = ids_.find(id);
    if (known != ids_.end()) return known->second;
    const std::size_t number = component(symbol);
    const bool is_taken =
        std::any_of(ids_.begin(), ids_.end(), [&](const auto& other) { return other.second == number; });
    return ids_[id] = is_taken ? add_component(symbol) : number;
  }
  /// The number of the Named<> component whose name passes the test, if there is one. O(components).
  template <class IsIt>
  [[nodiscard]] std::optional<std::size_t> named(IsIt is_it) const {
    const auto found = std::find_if(named_.begin(), named_.end(), [&](const auto& each) { return is_it(each.first); });
    return found == named_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Of the type with this symbol, if the recorder was told them. O(1).
  [[nodiscard]] std::optional<std::size_t> bytes_of(const std::string& symbol) const {
    const auto known = numbers_.find(symbol);
    if (known == numbers_.end() || !seen_.components[known->second].is_size_known) return std::nullopt;
    return seen_.components[known->second].bytes;
  }
  void set_bytes(std::size_t component, std::size_t bytes) {
    seen_.components[component].bytes = bytes;
    seen_.components[component].is_size_known = true;
  }
  void set_unnamed(std::size_t component) { seen_.components[component].is_unnamed = true; }
  void set_state(std::size_t component) { seen_.components[component].is_state = true; }

  /// An entity that is alive. Another one with the same index must have another handle.
  void entity(std::size_t index, std::uint64_t handle) {
    if (index >= rows_.size()) rows_.resize(index + 1);
    rows_[index].handle = handle;
    rows_[index].is_alive = true;
  }
  /// Of entities and components that the recorder was told; others are left out, here and below.
  void has(std::size_t index, std::size_t component) {
    if (index < rows_.size() && component < seen_.components.size()) rows_[index].set.set(component);
  }
  void child_of(std::size_t index, std::size_t parent) {
    if (index < rows_.size()) rows_[index].parent = parent;
  }

  /// Adds a system of a library that knows its systems, and returns its number.
  std::size_t add_system(std::string name, const Use& use) {
    seen_.systems.push_back({.name = std::move(name), .use = use, .runs = 0, .is_of_looks = true});
    return seen_.systems.size() - 1;
  }
  /// A system with such a number ran in the frame of this look.
  void ran(std::size_t system) { ++seen_.systems[system].runs; }

 private:
  using Numbers = std::unordered_map<std::string, std::size_t>;

  static constexpr auto no_system = static_cast<std::size_t>(-1);
  static constexpr std::size_t no_parent = (std::numeric_limits<std::size_t>::max)();

  struct Row {
    std::uint64_t handle = 0;
    Set set;
    std::size_t parent = no_parent;
    std::uint32_t level = 0;  ///< in its tree, which is cut below most_levels
    bool is_alive = false;
    bool is_parent = false;
  };

  std::size_t add_component(const std::string& symbol) {
    if (seen_.components.size() < most_components) seen_.components.emplace_back().symbol = symbol;
    return seen_.components.size() - 1;
  }
  std::size_t number_in(Numbers& numbers, const std::string& key, const std::string& symbol) {
    const auto known = numbers.find(key);
    return known != numbers.end() ? known->second : numbers[key] = add_component(symbol);
  }
  template <class C>
  std::size_t number_of(const C*) {
    return component(detail::symbol_of<C>(), std::is_empty_v<C> ? 0 : sizeof(C));
  }
  template <Text name, class C>
  std::size_t number_of(const Named<name, C>*) {
    const std::size_t number = number_in(named_, name.characters, name.characters);
    if constexpr (!std::is_void_v<C>) set_bytes(number, std::is_empty_v<C> ? 0 : sizeof(C));
    return number;
  }

  /// Never destroyed, because a recorder may be a static object.
  [[nodiscard]] static std::vector<Recorder*>& live() {
    static auto* const recorders = new std::vector<Recorder*>();
    return *recorders;
  }

  /// Of the program: what others do on the machine must not make looks look cheap.
  [[nodiscard]] static double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

  template <class... Terms>
  [[nodiscard]] std::size_t find_or_add(std::string_view name, Terms... terms) {
    System system{.name = std::string(name)};
    (add_to(system.use, terms), ...);
    const auto found = std::find_if(seen_.systems.begin(), seen_.systems.end(), [&](const System& other) {
      return other.name == system.name && other.use == system.use;
    });
    if (found != seen_.systems.end()) return static_cast<std::size_t>(found - seen_.systems.begin());
    seen_.systems.push_back(std::move(system));
    return seen_.systems.size() - 1;
  }
  template <class... Cs>
  void add_to(Use& use, Reads<Cs...>) {
    (use.reads.set(component<Cs>()), ...);
  }
  template <class... Cs>
  void add_to(Use& use, Writes<Cs...>) {
    (use.writes.set(component<Cs>()), ...);
  }
  template <class... Cs>
  void add_to(Use& use, Without<Cs...>) {
    (use.without.set(component<Cs>()), ...);
  }
  template <class... Cs>
  void add_to(Use& use, Optionally<Cs...>) {
    (use.optionally.set(component<Cs>()), ...);
  }

  void look() {
    rows_.swap(previous_);
    rows_.assign(rows_.size(), Row());
    look_(*this);
    ++seen_.looks;
    find_levels();
    count_kinds();
    last_look_made_pair_ = last_look_ + 1 == seen_.frames && seen_.frames > 1;
    if (last_look_made_pair_) count_changes();
    last_look_ = seen_.frames;
  }

  [[nodiscard]] static const Row* parent_of(const std::vector<Row>& rows, const Row& row) {
    return row.parent < rows.size() && rows[row.parent].is_alive ? &rows[row.parent] : nullptr;
  }
  [[nodiscard]] static Kind kind_of(const std::vector<Row>& rows, const Row& row) {
    Kind kind{.set = row.set, .level = row.level, .is_parent = row.is_parent};
    if (row.level > 0) kind.parent = rows[row.parent].set;
    return kind;
  }

  void find_levels() {
    constexpr std::uint32_t most = 10000;  // or parents in a circle
    for (Row& row : rows_) {
      if (!row.is_alive) continue;
      std::uint32_t level = 0;
      for (const Row* at = parent_of(rows_, row); at != nullptr && level < most; at = parent_of(rows_, *at)) ++level;
      if (level == 0) continue;
      ++seen_.children;
      seen_.levels = (std::max)(seen_.levels, std::uint64_t{level} + 1);
      row.level = level == most ? 0 : level % most_levels;
      if (row.level > 0) rows_[row.parent].is_parent = true;
    }
  }

  void count_kinds() {
    std::uint64_t entities = 0;
    KindFigures* figures = nullptr;  // neighbours are often of one kind
    Kind last;
    for (const Row& row : rows_) {
      if (!row.is_alive) continue;
      ++entities;
      const Kind kind = kind_of(rows_, row);
      if (figures == nullptr || last != kind) figures = &seen_.kinds[kind];
      last = kind;
      ++figures->entities;
    }
    seen_.least_entities = (std::min)(seen_.least_entities, entities);
    seen_.most_entities = (std::max)(seen_.most_entities, entities);
  }

  void count_changes() {
    ++seen_.pairs;
    const Row none;
    const auto row_in = [&](const std::vector<Row>& rows, std::size_t index) -> const Row& {
      return index < rows.size() ? rows[index] : none;
    };
    const auto is_same = [&](std::size_t index) {
      const Row& before = row_in(previous_, index);
      const Row& after = row_in(rows_, index);
      return before.is_alive && after.is_alive && before.handle == after.handle;
    };
    // What came or went with its parent is counted with that.
    const auto is_alone = [&](const Row& row) { return row.level == 0 || is_same(row.parent); };
    for (std::size_t index = 0; index < (std::max)(rows_.size(), previous_.size()); ++index) {
      const Row& before = row_in(previous_, index);
      const Row& after = row_in(rows_, index);
      if (!is_same(index)) {
        if (before.is_alive) ++seen_.destroyed;
        if (after.is_alive) ++seen_.created;
        if (before.is_alive && is_alone(before)) ++seen_.kinds[kind_of(previous_, before)].destroyed;
        if (after.is_alive && is_alone(after)) ++seen_.kinds[kind_of(rows_, after)].created;
      } else if (before.set != after.set) {
        for (std::size_t number = 0; number < seen_.components.size(); ++number) {
          if (after.set.test(number) && !before.set.test(number)) ++seen_.components[number].gained;
          if (before.set.test(number) && !after.set.test(number)) ++seen_.components[number].lost;
        }
      }
    }
  }

  // ---- the file

  void write(bool is_last) {
    const std::string file = options_.file.string();
    if (!seen_.has_components()) {
      if (is_last) {
        complain("no entity with a component was seen in " + std::to_string(seen_.frames) + " frames, so there is no " +
                 file + "; call frame() while the world is filled");
      }
      return;
    }
    const double elapsed = processor_seconds() - begin_;
    seen_.share_of_time = elapsed > 0 ? (std::min)(1.0, spent_ / elapsed) : 0;
    if (!write_whole(profile_of(seen_)) || !is_last) return;
    std::fprintf(stderr, "stowage: recorded %llu frames of %s in %s; next: stowage recommend %s\n",
                 static_cast<unsigned long long>(seen_.frames), detail::in_a_line(options_.name).c_str(),
                 detail::in_a_line(file).c_str(), detail::shell_word(file).c_str());
  }

  [[nodiscard]] bool write_whole(const std::string& text) {
    const std::string file = options_.file.string();
    std::string line;
    if (std::ifstream there(options_.file);
        there && (!std::getline(there, line) || !line.starts_with(detail::first_words))) {
      complain(file + " is no recorded profile and is left as it is; remove it, or give Options::file another name");
      return false;
    }
    std::filesystem::path part = options_.file;
    part += ".part";
    std::error_code error;
    std::filesystem::remove(part, error);                             // a game that was killed may have left it
    std::FILE* const out = std::fopen(part.string().c_str(), "wbx");  // a new file, whatever link is there
    bool is_whole = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
    is_whole = out != nullptr && std::fclose(out) == 0 && is_whole;
    if (is_whole) std::filesystem::rename(part, options_.file, error);
    if (is_whole && !error) return true;
    std::filesystem::remove(part, error);
    complain(file + " cannot be written; give Options::file a path in a directory that can be");
    return false;
  }

  /// A line on standard error, once for each text.
  void complain(const std::string& what) {
    if (what == last_complaint_) return;
    std::fprintf(stderr, "stowage: %s\n", detail::in_a_line(what).c_str());
    last_complaint_ = what;
  }

  Options options_;
  Look look_;
  Observations seen_;
  Numbers numbers_;  ///< by symbol
  Numbers named_;    ///< by the name of a Named<>
  std::unordered_map<std::uint64_t, std::size_t> ids_;
  std::vector<Row> rows_;
  std::vector<Row> previous_;
  std::vector<std::size_t> last_systems_;  ///< for each list of terms, the system that ran last
  double begin_ = 0;
  double spent_ = 0;  ///< seconds in looks, and in writing
  std::uint64_t last_look_ = 0;
  bool last_look_made_pair_ = true;
  bool is_over_ = false;
  std::string last_complaint_;
  std::uint64_t next_check_ = 0;  ///< the frame before which there is no time for a look
};

// ---- adapters

/// For an adopted storage, or one of the library. Components that are off count as absent, and those that the schema
/// marks as Toggled as states. `parent_of`, if the game has a hierarchy, returns the parent of an entity or a null
/// handle.
template <class Storage, class ParentOf = std::nullptr_t>
[[nodiscard]] Recorder::Look storage(Storage& storage, ParentOf parent_of = nullptr) {
  return [&storage, parent_of](Recorder& recorder) {
    const auto each_of = [&]<template <class...> class List, class... Cs>(const List<Cs...>*) {
      const auto look_at = [&]<class C>(const C*) {
        const std::size_t number = recorder.component<C>();
        storage.template each<const C>([&](auto entity, const auto&) {
          recorder.entity(entity.index(), entity.word());
          recorder.has(entity.index(), number);
          if constexpr (!std::is_same_v<ParentOf, std::nullptr_t>) {
            if (const auto parent = parent_of(entity); !parent.is_null())
              recorder.child_of(entity.index(), parent.index());
          }
        });
      };
      (look_at(static_cast<const Cs*>(nullptr)), ...);
    };
    const auto mark = [&]<template <class...> class List, class... Cs>(const List<Cs...>*) {
      recorder.states<Cs...>();
    };
    using Schema = typename std::remove_const_t<Storage>::schema_type;
    each_of(static_cast<const typename Schema::components*>(nullptr));
    mark(static_cast<const typename Schema::toggled*>(nullptr));
  };
}

#ifdef ENTT_VERSION_MAJOR
namespace detail {
/// The name of that function before and from EnTT 3.16 on.
template <class Pool>
[[nodiscard]] const auto& type_of(const Pool& pool) {
  if constexpr (requires { pool.info(); }) {
    return pool.info();
  } else {
    return pool.type();
  }
}

/// Numbers the pools of a registry: each is a component.
class EnttPools {
 public:
  template <class Pool>
  [[nodiscard]] std::size_t number_of(Recorder& recorder, entt::id_type id, const Pool& pool) {
    const auto [known, is_new] = numbers_.try_emplace(id);
    if (is_new) known->second = add(recorder, id, pool);
    return known->second;
  }

 private:
  /// By its type, if the id is that of the type; by the name of a Named<> with that id; else by the id.
  template <class Pool>
  [[nodiscard]] static std::size_t add(Recorder& recorder, entt::id_type id, const Pool& pool) {
    const std::string type = dotted(std::string(type_of(pool).name()));
    if (id == type_of(pool).hash() && !type.empty()) return recorder.component_of(id, type);
    const auto named = recorder.named(
        [&](const std::string& name) { return entt::hashed_string::value(name.data(), name.size()) == id; });
    if (named) return *named;
    std::array<char, 2 * sizeof(id) + 1> digits{};
    std::snprintf(digits.data(), digits.size(), "%llx", static_cast<unsigned long long>(id));
    const std::size_t number =
        recorder.component_of(id, (type.empty() || type == "void" ? "pool" : type) + "_" + digits.data());
    recorder.set_unnamed(number);
    if (const auto bytes = recorder.bytes_of(type)) recorder.set_bytes(number, *bytes);
    return number;
  }

  std::unordered_map<entt::id_type, std::size_t> numbers_;
};
}  // namespace detail

/// For a registry of EnTT, from 3.13 on. Each pool is a component: tell the recorder Named<"enemy"> before the first
/// frame() if a pool is `storage<void>("enemy"_hs)`, else it is called by its id. Pools of empty types have 0 bytes;
/// other sizes are known if the recorder was told them by components<>(), a system or a lookup. `parent_of`, if the
/// game has a hierarchy, returns the parent of an entity or entt::null.
template <class Registry, class ParentOf = std::nullptr_t>
[[nodiscard]] Recorder::Look entt_registry(const Registry& registry, ParentOf parent_of = nullptr) {
  using Traits = entt::entt_traits<typename Registry::entity_type>;
  const auto index_of = [](auto entity) { return static_cast<std::size_t>(Traits::to_entity(entity)); };
  return [&registry, parent_of, index_of, pools = detail::EnttPools()](Recorder& recorder) mutable {
    const auto* const entities = registry.template storage<typename Registry::entity_type>();
    for (std::size_t place = 0; entities != nullptr && place < entities->free_list(); ++place) {
      const auto entity = entities->data()[place];
      recorder.entity(index_of(entity), Traits::to_integral(entity));
      if constexpr (!std::is_same_v<ParentOf, std::nullptr_t>) {
        if (const auto parent = parent_of(entity); parent != entt::null) {
          recorder.child_of(index_of(entity), index_of(parent));
        }
      }
    }
    for (const auto& [id, pool] : registry.storage()) {
      const auto& type = detail::type_of(pool);
      if (type == entt::type_id<typename Registry::entity_type>() || type.name() == "entt::reactive") continue;
      const std::size_t number = pools.number_of(recorder, id, pool);
      for (std::size_t place = 0; place < pool.size(); ++place) {
        const auto entity = pool.data()[place];
        if (entity == entt::tombstone) continue;
        recorder.has(index_of(entity), number);
        if (pool.value(entity) == nullptr) recorder.set_bytes(number, 0);  // its type is empty
      }
    }
  };
}
#endif

#ifdef FLECS_H
namespace detail {

/// Looks at a world of flecs. Entities that have no component, are prefabs or belong to flecs are not of the game.
class FlecsLook {
 public:
  explicit FlecsLook(ecs_world_t* world) : world_(world) {}

  void operator()(Recorder& recorder) {
    ++looks_;
    const ecs_entities_t entities = ecs_get_entities(world_);
    for (std::int32_t place = 0; place < entities.alive_count; ++place) look_at(recorder, entities.ids[place]);
  }

 private:
  /// What a look needs of a table.
  struct Table {
    std::uint64_t look = 0;     ///< in which it was compared last
    std::vector<ecs_id_t> ids;  ///< by which it is known again: one that is gone may have lent its address to another
    bool is_of_game = false;
    bool has_systems = false;
    std::size_t parent = 0;  ///< 0: none
    std::vector<std::size_t> components;
    std::vector<std::pair<ecs_id_t, std::size_t>> states;
  };

  void look_at(Recorder& recorder, ecs_entity_t entity) {
    ecs_table_t* const address = ecs_get_table(world_, entity);
    if (address == nullptr) return;
    if (address != last_address_) last_ = &tables_[address];  // neighbours often share a table
    last_address_ = address;
    Table& table = *last_;
    if (table.look != looks_) {
      const ecs_type_t& type = *ecs_table_get_type(address);
      if (!std::equal(type.array, type.array + type.count, table.ids.begin(), table.ids.end()) || table.look == 0) {
        table = read(recorder, entity, type);
      }
      table.look = looks_;
    }
    if (table.has_systems) look_at_system(recorder, entity);
    if (!table.is_of_game) return;
    const std::size_t index = index_of(entity);
    recorder.entity(index, entity);
    for (const std::size_t component : table.components) recorder.has(index, component);
    for (const auto& [id, component] : table.states) {
      if (ecs_is_enabled_id(world_, entity, id)) recorder.has(index, component);
    }
    if (table.parent != 0) recorder.child_of(index, table.parent);
  }

  [[nodiscard]] Table read(Recorder& recorder, ecs_entity_t entity, const ecs_type_t& type) {
    Table table;
    table.ids.assign(type.array, type.array + type.count);
    bool is_of_game = !is_in_flecs(entity);
    for (std::int32_t place = 0; place < type.count; ++place) {
      const ecs_id_t id = type.array[place];
      if (ECS_IS_PAIR(id) && ECS_PAIR_FIRST(id) == EcsChildOf) table.parent = index_of(ECS_PAIR_SECOND(id));
      if (id == EcsSystem) table.has_systems = true;
      if (is_of_flecs(id)) is_of_game = false;
    }
    for (std::int32_t place = 0; is_of_game && place < type.count; ++place) {
      const ecs_id_t id = type.array[place];
      if (!is_component(id)) continue;
      const std::size_t component = number_of(recorder, id);
      const bool may_be_off =
          std::find(type.array, type.array + type.count, ECS_TOGGLE | id) != type.array + type.count;
      if (may_be_off) {
        recorder.set_state(component);
        table.states.emplace_back(id, component);
      } else {
        table.components.push_back(component);
      }
    }
    table.is_of_game = !table.components.empty() || !table.states.empty();
    return table;
  }

  [[nodiscard]] bool is_in_flecs(ecs_entity_t entity) const {
    while (entity != 0 && entity != EcsFlecs) entity = ecs_get_parent(world_, entity);
    return entity == EcsFlecs;
  }

  /// What an entity has that stands for a type, a prefab, a system or the like.
  [[nodiscard]] static bool is_of_flecs(ecs_id_t id) {
#ifdef FLECS_META
    if (id == ecs_id(EcsMember) || (ECS_IS_PAIR(id) && ECS_PAIR_FIRST(id) == EcsConstant)) return true;
#endif
#ifdef FLECS_SCRIPT
    if (id == ecs_id(EcsScript)) return true;
#endif
    return id == ecs_id(EcsComponent) || id == EcsModule || id == EcsPrefab || id == EcsSystem || id == EcsQuery ||
           id == EcsObserver;
  }

  /// Not a name, a bit, or one of flecs' own tags and relationships; but Disabled is a state like any other.
  [[nodiscard]] static bool is_component(ecs_id_t id) {
    if (!ECS_IS_PAIR(id) && (id & ECS_ID_FLAGS_MASK) != 0) return false;
    const ecs_entity_t first = ECS_IS_PAIR(id) ? ECS_PAIR_FIRST(id) : id;
    const bool is_of_flecs = first >= FLECS_HI_COMPONENT_ID && first < EcsFirstUserEntityId;
    return first == EcsDisabled || (!is_of_flecs && first != ecs_id(EcsIdentifier) && first != ecs_id(EcsPoly));
  }

  /// A pair is a component of its own if its target is a type, or a name for a kind: an entity that has a name and no
  /// component. If the target is an entity of the game, all pairs with that relationship are one component, which is a
  /// handle if it has no data.
  [[nodiscard]] std::size_t number_of(Recorder& recorder, ecs_id_t id) {
    const auto [known, is_new] = numbers_.try_emplace(id);
    if (is_new) known->second = add(recorder, id);
    return known->second;
  }

  [[nodiscard]] std::size_t add(Recorder& recorder, ecs_id_t id) const {
    const ecs_type_info_t* const type = ecs_get_type_info(world_, id);
    std::size_t bytes = type == nullptr ? 0 : static_cast<std::size_t>(type->size);
    std::string symbol = symbol_of_entity(ECS_IS_PAIR(id) ? ecs_pair_first(world_, id) : id);
    if (ECS_IS_PAIR(id)) {
      const ecs_entity_t second = ecs_pair_second(world_, id);
      if (is_kind(second)) {
        symbol += "-" + last_part(symbol_of_entity(second));
      } else {
        id = ecs_pair(ECS_PAIR_FIRST(id), 0);
        if (bytes == 0) bytes = sizeof(ecs_entity_t);
      }
    }
    const std::size_t number = recorder.component_of(id, symbol);
    recorder.set_bytes(number, bytes);
    return number;
  }

  [[nodiscard]] bool is_kind(ecs_entity_t target) const {
    if (ecs_get_symbol(world_, target) != nullptr) return true;
    const ecs_type_t* const type = ecs_get_type(world_, target);
    return ecs_get_name(world_, target) != nullptr &&
           (type == nullptr || std::none_of(type->array, type->array + type->count, is_component));
  }

  [[nodiscard]] std::string symbol_of_entity(ecs_entity_t entity) const {
    if (const char* const symbol = ecs_get_symbol(world_, entity)) return symbol;
    if (const char* const name = ecs_get_name(world_, entity)) return name;
    return "entity" + std::to_string(index_of(entity));
  }
  [[nodiscard]] static std::string last_part(const std::string& symbol) {
    return symbol.substr(symbol.find_last_of('.') + 1);
  }
  [[nodiscard]] static std::size_t index_of(ecs_entity_t entity) { return static_cast<std::uint32_t>(entity); }

  void look_at_system(Recorder& recorder, ecs_entity_t entity) {
    const ecs_system_t* const system = ecs_system_get(world_, entity);
    if (system == nullptr || system->query == nullptr) return;
    const auto [known, is_new] = systems_.try_emplace(entity);
    if (is_new) {
      const char* const name = ecs_get_name(world_, entity);
      known->second = recorder.add_system(name == nullptr ? "system" : name, use_of(recorder, *system->query));
    }
    const EcsTickSource* tick = nullptr;
    if (system->tick_source != 0) {
      tick = static_cast<const EcsTickSource*>(ecs_get_id(world_, system->tick_source, ecs_id(EcsTickSource)));
    }
    const bool has_tick = system->tick_source == 0 || (tick != nullptr && tick->tick);
    if (has_tick && system->last_frame >= ecs_get_world_info(world_)->frame_count_total) recorder.ran(known->second);
  }

  /// Terms about other entities than those that the system goes through are left out.
  [[nodiscard]] Use use_of(Recorder& recorder, const ecs_query_t& query) {
    Use use;
    for (int number = 0; number < query.term_count; ++number) {
      const ecs_term_t& term = query.terms[number];
      const bool is_of_this = ECS_TERM_REF_ID(&term.src) == EcsThis && (term.src.id & EcsSelf) != 0;
      if (!is_of_this || ecs_id_is_wildcard(term.id) || !is_component(term.id)) continue;
      const std::size_t component = number_of(recorder, term.id);
      if (term.oper == EcsNot) {
        use.without.set(component);
      } else if (term.oper == EcsOptional || term.oper == EcsOr ||
                 (term.src.id & EcsUp) != 0) {  // or its prefab has it
        use.optionally.set(component);
      } else if (term.inout == EcsInOutDefault || term.inout == EcsInOut || term.inout == EcsOut) {
        use.writes.set(component);
      } else {
        use.reads.set(component);
      }
    }
    return use;
  }

  ecs_world_t* world_;
  std::uint64_t looks_ = 0;
  const ecs_table_t* last_address_ = nullptr;
  Table* last_ = nullptr;  ///< in tables_, which moves none
  std::unordered_map<const ecs_table_t*, Table> tables_;
  std::unordered_map<ecs_id_t, std::size_t> numbers_;
  std::unordered_map<ecs_entity_t, std::size_t> systems_;
};

}  // namespace detail

/// For a world of flecs, from 4.1 on, also a flecs::world. Systems are those of the world; a system counts as run if it
/// was due in the frame. Call frame() after progress(), or from a system in the last phase.
[[nodiscard]] inline Recorder::Look flecs_world(ecs_world_t* world) { return detail::FlecsLook(world); }
#endif

}  // namespace stowage::record
