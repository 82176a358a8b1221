#include "harness/measure/simulated/dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <istream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace stowage::harness {
namespace {

struct Event {
  std::string_view name;
  std::uint64_t CacheEvents::* sum;
};

constexpr Event known_events[] = {
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
      const auto* const known = std::ranges::find(known_events, word, &Event::name);
      events_.push_back(known == std::end(known_events) ? nullptr : known->sum);
      names.push_back(word);
    }
    for (const Event& event : known_events) {
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
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error != std::errc() || end != word.data() + word.size()) fail(fmt::format("'{}' is no count", word));
      if (sum != nullptr) file_->*sum += number;
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

}  // namespace stowage::harness
