#pragma once

// Writes what a recorder has seen as a profile.

#include <stowage/record/observations.hpp>
#include <stowage/record/plain_text.hpp>
#include <stowage/record/profile_plan.hpp>

namespace stowage::record {

namespace detail {

/// The first line of a recorded profile, by which a recorder knows a file that it may replace.
inline constexpr std::string_view first_words = "# Recorded by stowage";

/// Writes the profile, and in comments what was seen, guessed and left out.
class ProfileWriter : private ProfilePlan {
 public:
  explicit ProfileWriter(const Observations& seen) : ProfilePlan(seen) { out_.imbue(std::locale::classic()); }

  [[nodiscard]] std::string text() {
    choose();
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
    write_times();
  }

  /// What `stowage recommend` needs to say whether another storage is worth it.
  void write_times() {
    if (!seen_.storage.empty()) {
      out_ << "storage = " << quoted(seen_.storage) << "\n";
    } else {
      out_ << "# storage = \"...\"  # unknown; Options::storage tells what the game stores its entities in\n";
    }
    if (frame_ms() <= 0) return;
    if (!has_times())
      out_ << "# A profile has times of at most " << most_ms << " ms, so those of this game are comments.\n# ";
    out_ << "frame_ms_measured = " << rounded(frame_ms()) << "  # mean of " << seen_.timed_frames
         << " frames, without the recorder\nyardstick_ms = " << rounded(seen_.yardstick_ms)
         << "  # a fixed loop on the machine of the game\n";
    if (!seen_.is_optimized) out_ << "debug_build = true  # these times count for nothing: record an optimised build\n";
  }
  /// 0 if there was no second frame. Systems that run beside each other may take longer together than the clock says.
  [[nodiscard]] double frame_ms() const {
    double of_systems = 0;
    for (const System& system : seen_.systems) of_systems += ms_of(system);
    return seen_.timed_frames == 0 ? 0 : (std::max)(of_systems, ms_of_frames(seen_.timed_s, seen_.timed_frames));
  }
  [[nodiscard]] bool has_times() const { return frame_ms() > 0 && frame_ms() <= most_ms; }
  /// Of a frame; 0 if it was not timed.
  [[nodiscard]] static double ms_of_frames(double seconds, std::uint64_t frames) {
    return frames == 0 ? 0 : 1e3 * seconds / static_cast<double>(frames);
  }
  [[nodiscard]] double ms_of(const System& system) const {
    return ms_of_frames(system.timed_s, system.is_of_looks ? system.timed_frames : seen_.frames);
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
      const Set required = system.use.reads | system.use.writes;
      // Without a component that is too rare, it would go through all entities that have the others.
      if (has_work && (required & ~known()).none() && !entries_in(required).empty())
        systems.push_back(system);
      else if (has_work || !system.is_of_looks)
        add(idle, system.name);
    }
    if (!idle.empty()) {
      out_ << "\n# Left out, because they go through no entity, or less than one in two looks: " << idle << ".\n";
    }
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
    if (ms_of(system) > 0) out_ << (has_times() ? "ms = " : "# ms = ") << rounded(ms_of(system)) << "  # measured\n";
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
      out_ << "per_frame = " << rate_text((std::min)(seen, 100 * entities_)) << "\n";
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

  std::ostringstream out_;
};

}  // namespace detail

/// The profile of what was seen, as TOML that `stowage recommend` accepts. Some entity must have had a component.
/// O(sets × components × (components + 500)), where sets are those of components that were seen.
[[nodiscard]] inline std::string profile_of(const Observations& seen) { return detail::ProfileWriter(seen).text(); }

}  // namespace stowage::record
