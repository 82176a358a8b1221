#pragma once

// What a profile says of what a recorder has seen: which components, kinds and changes, within the limits of
// profiles/schema.json.

#include <stowage/record/observations.hpp>
#include <stowage/record/plain_text.hpp>

namespace stowage::record::detail {

/// Chooses what the profile says, and notes what it leaves out.
class ProfilePlan {
 protected:
  explicit ProfilePlan(const Observations& seen) : seen_(seen) {
    looks_ = static_cast<double>(std::max<std::uint64_t>(seen.looks, 1));
    pairs_ = static_cast<double>(std::max<std::uint64_t>(seen.pairs, 1));
  }

  void choose() {
    choose_components();
    choose_kinds();
    choose_changes();
    choose_groups();
  }

  static constexpr double most_entities = 16 * 1024 * 1024;
  static constexpr std::size_t most_entries = 300;
  static constexpr std::size_t most_sets = 500;  ///< that are written; `recommend` measures 10,000, states included
  static constexpr std::size_t most_measured_sets = 10'000;
  static constexpr std::size_t most_systems = 100;
  static constexpr std::size_t most_lookups = 32;
  static constexpr std::size_t longest_name = 40;
  static constexpr std::size_t most_bytes = 4096;
  static constexpr double most_ms = 10'000;
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

  /// Components that are written, by themselves or merged: all but those that less than half an entity has.
  [[nodiscard]] Set known() const {
    Set known;
    for (const Entry& entry : entries_) known |= entry.seen_as;
    return known;
  }

  /// Leaves out components until the rest has an entity of the kinds that are written.
  [[nodiscard]] Work fit(const Use& use) const {
    Work work;
    const Set known = this->known();
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

  static void add(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + in_a_line(name); }

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
};

}  // namespace stowage::record::detail
