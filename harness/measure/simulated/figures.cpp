// Parses a Callgrind dump, and makes figures per item of it; source files decide which misses are index or payload.
#include "harness/measure/simulated/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/text.hpp"

namespace stowage::harness {
namespace {

struct CountedEvent {
  std::string_view name;
  std::uint64_t CacheEvents::* sum;
};

constexpr CountedEvent known_events[] = {
    {"Ir", &CacheEvents::instructions}, {"Dr", &CacheEvents::reads},
    {"Dw", &CacheEvents::writes},       {"D1mr", &CacheEvents::l1d_misses},
    {"D1mw", &CacheEvents::l1d_misses}, {"DLmr", &CacheEvents::ll_misses},
    {"DLmw", &CacheEvents::ll_misses},  {"SpLoss1", &CacheEvents::unused_bytes},
};

/// Cuts the first word off `rest`; empty at the end.
std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(word.size());
  return word;
}

/// `key=value` where the key is one of `keys`.
bool has_key(std::string_view line, std::initializer_list<std::string_view> keys) {
  const std::string_view key = line.substr(0, line.find('='));
  return key.size() < line.size() && std::ranges::find(keys, key) != keys.end();
}

class Parser {
 public:
  CallgrindDump parse(std::istream& in) {
    for (std::string line; std::getline(in, line);) {
      ++line_number_;
      take(line);
    }
    // Written last: without it the rest of the file may be missing.
    if (!is_complete_) fail("it is truncated");
    return std::move(dump_);
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw std::runtime_error(fmt::format("Callgrind's dump cannot be used: line {}: {}", line_number_, why));
  }

  void take(std::string_view line) {
    if (line.starts_with("events:")) {
      take_events(line.substr(7));
    } else if (line.starts_with("positions:")) {
      take_positions(line.substr(10));
    } else if (line.starts_with("totals:")) {
      is_complete_ = true;
    } else if (has_key(line, {"fl", "fi", "fe"})) {
      file_ = &dump_.by_file[file_name(line)];
    } else if (has_key(line, {"cfi", "cfl"})) {
      static_cast<void>(file_name(line));
    } else if (line.starts_with("calls=")) {
      skips_next_cost_ = true;  // of the callee, which has it in its own lines
    } else if (is_cost(line) && !std::exchange(skips_next_cost_, false)) {
      take_cost(line);
    }
  }

  /// A line that begins with a position: absolute, relative to the one before, or the same.
  static bool is_cost(std::string_view line) {
    constexpr std::string_view beginnings = "0123456789+-*";
    return !line.empty() && beginnings.find(line.front()) != std::string_view::npos;
  }

  void take_positions(std::string_view words) {
    positions_ = 0;
    while (!next_word(words).empty()) ++positions_;
  }

  void take_events(std::string_view words) {
    events_.clear();
    std::vector<std::string_view> names;
    for (std::string_view word = next_word(words); !word.empty(); word = next_word(words)) {
      const auto* const known = std::ranges::find(known_events, word, &CountedEvent::name);
      events_.push_back(known == std::end(known_events) ? nullptr : known->sum);
      names.push_back(word);
    }
    for (const CountedEvent& event : known_events) {
      if (std::ranges::find(names, event.name) == names.end()) fail(fmt::format("there is no {}", event.name));
    }
  }

  /// `fl=(3) file` names number 3; `fl=(3)` refers to it.
  std::string file_name(std::string_view line) {
    const std::size_t open = line.find('(');
    const std::size_t close = line.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos)
      return std::string(line.substr(line.find('=') + 1));
    const std::string number(line.substr(open + 1, close - open - 1));
    if (close + 2 < line.size()) names_[number] = line.substr(close + 2);
    const auto name = names_.find(number);
    if (name == names_.end()) fail(fmt::format("file ({}) has no name", number));
    return name->second;
  }

  void take_cost(std::string_view words) {
    if (file_ == nullptr || events_.empty()) fail("a cost before the file or the events that it belongs to");
    for (std::size_t position = 0; position < positions_; ++position) next_word(words);
    // Zeros at the end of a line are left out.
    for (std::uint64_t CacheEvents::* const sum : events_) {
      const std::string_view word = next_word(words);
      if (word.empty()) return;
      const std::optional<std::uint64_t> number = parse_number(word);
      if (!number) fail(fmt::format("'{}' is no count", word));
      if (sum != nullptr) file_->*sum += *number;
    }
  }

  CallgrindDump dump_;
  std::map<std::string, std::string> names_;
  std::vector<std::uint64_t CacheEvents::*> events_;  ///< where each column goes; null for those of no interest
  std::size_t positions_ = 1;
  CacheEvents* file_ = nullptr;
  bool skips_next_cost_ = false;
  bool is_complete_ = false;
  std::size_t line_number_ = 0;
};

/// The split means nothing if more misses than this share of all, and more than so many per item, are on neither side.
constexpr double largest_unknown_share = 0.01;
constexpr double largest_unknown_per_item = 0.01;
/// The share of used bytes is above 1 if a pass finds lines in the cache. Up to this it may be rounding.
constexpr double largest_use_share = 1.01;
/// Callgrind does not count lines that are still in the cache at the end. They are few if this many times as many lines
/// as the cache holds were fetched.
constexpr std::uint64_t fewest_evicted_caches = 10;

struct Place {
  std::string_view part;  ///< of the path
  Side side;
};

/// The first that matches decides. A strategy's own header is index: its components are placed and read by the layout
/// parts, by component.hpp or by the workload; matrices are multiplied by form.hpp, and columns saved by checksum.hpp.
/// Of the standard library's headers these are what hot loops inline.
constexpr Place own_places[] = {
    {"workloads/floors/slot_table.hpp", Side::index},
    {"workloads/", Side::payload},
    {"stowage/hierarchy/form.hpp", Side::payload},
    {"stowage/serialize/checksum.hpp", Side::payload},
    {"stowage/parts/layout/", Side::payload},
    {"stowage/contract/component.hpp", Side::payload},
    {"stowage/", Side::index},
};
constexpr Place library_places[] = {
    {"/boost/", Side::index},                   // the hash map, and the tables of component sets
    {"/emmintrin.h", Side::index},              // its groups of 16 slots
    {"/bits/hashtable.h", Side::index},         // std::unordered_map,
    {"/bits/hashtable_policy.h", Side::index},  // its nodes,
    {"/bits/stl_function.h", Side::index},      // and the comparison with their keys
    {"/bits/unique_ptr.h", Side::index},        // pointers to objects
    {"/tuple", Side::index},                    // unique_ptr's pointer, and a new entry of the hash map
    {"/bits/stl_pair.h", Side::index},          // its entries
    {"/bits/stl_construct.h", Side::payload},   // components that are made in place
    {"/bits/stl_vector.h", Side::payload},      // the workload's lists
    {"/bit", Side::payload},                    // bit_cast, by which workloads read a component
    {"/avxintrin.h", Side::payload},            // a parent's matrix
};

/// `/home/me/stowage/build/simulate/../../workloads/join.hpp` -> `workloads/join.hpp`: what follows the last folder of
/// ours, wherever the sources are or were installed to, and whatever else is called so. Empty for files that are not
/// ours.
std::string_view own_path(std::string_view file) {
  using Folder = std::pair<std::string_view, std::string_view>;  // and what is above it
  std::size_t start = 0;
  for (const auto& [folder, above] : {Folder{"/workloads/", "/"}, Folder{"/strategies/stowage/", "/strategies/"},
                                      Folder{"/include/stowage/", "/include/"}}) {
    const std::size_t found = file.rfind(folder);
    if (found != std::string_view::npos) start = std::max(start, found + above.size());
  }
  return start == 0 ? std::string_view() : file.substr(start);
}

bool is_below(std::string_view file, std::string_view folder) {
  return !folder.empty() && file.starts_with(folder) && file.substr(folder.size()).starts_with('/');
}

/// The misses of one level by the side that caused them.
struct Split {
  double index = 0;
  double payload = 0;
  double neither = 0;

  [[nodiscard]] bool is_known(double items) const {
    return neither <= std::max(largest_unknown_share * (index + payload + neither), largest_unknown_per_item * items);
  }
};

Split split(const CallgrindDump& dump, std::uint64_t CacheEvents::* misses, std::string_view storage_folder) {
  Split sums;
  for (const auto& [file, events] : dump.by_file) {
    const Side side = side_of(file, storage_folder);
    double& sum = side == Side::index ? sums.index : side == Side::payload ? sums.payload : sums.neither;
    sum += static_cast<double>(events.*misses);
  }
  return sums;
}

void add_split(Counters& counters, const std::string& level, const Split& misses, double items) {
  if (!misses.is_known(items)) return;
  counters[level + "_misses_index_per_item"] = misses.index / items;
  counters[level + "_misses_payload_per_item"] = misses.payload / items;
}

double without(std::uint64_t all, std::uint64_t overhead) { return static_cast<double>(all - std::min(all, overhead)); }

}  // namespace

CacheEvents& CacheEvents::operator+=(const CacheEvents& other) noexcept {
  instructions += other.instructions;
  reads += other.reads;
  writes += other.writes;
  l1d_misses += other.l1d_misses;
  ll_misses += other.ll_misses;
  unused_bytes += other.unused_bytes;
  return *this;
}

CacheEvents CallgrindDump::total() const {
  CacheEvents sum;
  for (const auto& [file, events] : by_file) sum += events;
  return sum;
}

CallgrindDump parse_dump(std::istream& in) { return Parser().parse(in); }

Side side_of(std::string_view file, std::string_view storage_folder) {
  if (const std::string_view own = own_path(file); !own.empty()) {
    const auto* const place =
        std::ranges::find_if(own_places, [own](const Place& known) { return own.starts_with(known.part); });
    return place == std::end(own_places) ? Side::neither : place->side;
  }
  if (is_below(file, storage_folder)) return Side::index;
  const auto is_in = [file](const Place& known) {
    const bool is_folder = known.part.ends_with('/');
    return is_folder ? file.find(known.part) != std::string_view::npos : file.ends_with(known.part);
  };
  const auto* const place = std::ranges::find_if(library_places, is_in);
  return place == std::end(library_places) ? Side::neither : place->side;
}

Counters cache_counters(const Simulation& simulation, const CacheModel& model, std::optional<double> bytes_per_item,
                        std::string_view storage_folder) {
  const CacheEvents overhead = simulation.nothing.total();
  const CacheEvents pass = simulation.pass.total();
  const auto items = static_cast<double>(simulation.items);
  const auto misses = static_cast<double>(pass.l1d_misses);
  const auto line_bytes = static_cast<double>(model.l1d.line_bytes);
  Counters counters{
      {"instructions_per_item", without(pass.instructions, overhead.instructions) / items},
      {"data_reads_per_item", without(pass.reads, overhead.reads) / items},
      {"data_writes_per_item", without(pass.writes, overhead.writes) / items},
      {model.is_tlb() ? "l1_dtlb_misses_per_item" : "l1d_misses_per_item", misses / items},
      {model.is_tlb() ? "dtlb_misses_per_item" : "ll_misses_per_item", static_cast<double>(pass.ll_misses) / items}};
  if (model.is_tlb()) return counters;
  add_split(counters, "l1d", split(simulation.pass, &CacheEvents::l1d_misses, storage_folder), items);
  add_split(counters, "ll", split(simulation.pass, &CacheEvents::ll_misses, storage_folder), items);
  if (bytes_per_item && *bytes_per_item * items <= largest_use_share * misses * line_bytes) {
    counters["line_use_share"] = *bytes_per_item * items / (misses * line_bytes);
  }
  if (pass.l1d_misses >= fewest_evicted_caches * model.l1d.lines()) {
    counters["line_use_share_evicted"] = 1 - static_cast<double>(pass.unused_bytes) / (misses * line_bytes);
  }
  return counters;
}

}  // namespace stowage::harness
