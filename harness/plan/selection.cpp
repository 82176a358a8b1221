// Turns the options of a selection into blocks of cells; if none is left, says why and what to type instead.
#include "harness/plan/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <regex>
#include <utility>

#include <stowage/contract/entity.hpp>

#include "harness/errors.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

/// True for digits with or without a unit, which are too large a number if parse_count() refuses them.
bool is_huge_number(std::string_view text) {
  if (!text.empty() && text.find_last_of("kKMm") == text.size() - 1) text.remove_suffix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::size_t parse_entity_count(const std::string& text) {
  const std::optional<std::uint64_t> count = parse_count(text);
  constexpr std::uint64_t most = Entity::max_entities;
  if (count ? *count > most : is_huge_number(text)) {
    throw UserError("--entities {}: a handle has {} index bits, at most {} entities; give fewer", text,
                    Entity::index_bits, most);
  }
  if (!count) {
    throw UserError(
        "--entities '{}' is not a number of entities; give a list such as 1k,16k,1M (k is 1,024, M is 1,048,576)",
        text);
  }
  if (*count == 0) throw UserError("--entities 0: there is nothing to measure; give at least 1");
  return static_cast<std::size_t>(*count);
}

// ---- what names mean

void refuse_not_built(const std::string& name, const Catalogue& catalogue) {
  const auto known = std::ranges::find(catalogue.not_built(), name, &NotBuilt::name);
  if (known == catalogue.not_built().end()) return;
  throw EnvironmentError(
      "strategy '{}' is not in this binary: {}; install it and build again, with CMAKE_PREFIX_PATH=PREFIX in the "
      "environment if it is in a PREFIX of its own",
      name, known->reason);
}

/// A variant that the preset does not measure like the base forms.
bool is_extra(const StrategyEntry& entry, const Preset& preset) {
  return entry.is_variant() && std::ranges::find(preset.like_base, entry.name) == preset.like_base.end();
}

constexpr std::string_view world_prefix = "world.";
bool is_of_a_world(const WorkloadEntry& entry) { return entry.card.name.starts_with(world_prefix); }
bool has_world(const Catalogue& catalogue) { return std::ranges::any_of(catalogue.workloads(), is_of_a_world); }

/// Whether the preset leaves a base form out of a workload, because another one does the same there.
bool repeats_another(const StrategyEntry& entry, const WorkloadEntry& workload, const Preset& preset) {
  const auto limit = preset.only_in.find(entry.name);
  return limit != preset.only_in.end() && std::ranges::find(limit->second, workload.card.name) == limit->second.end();
}

/// In the order of the catalogue, whatever the order of the user: a block is the same work either way.
std::vector<const StrategyEntry*> resolve_strategies(const SelectionRequest& request, const Preset& preset,
                                                     bool takes_variants, const Catalogue& catalogue) {
  const std::optional<std::string>& list = request.strategies;
  std::set<const StrategyEntry*> named;
  for (const std::string& name : request.storage_names) named.insert(&find_strategy(name, catalogue));
  for (const std::string& name : list ? split_list(*list) : std::vector<std::string>{}) {
    named.insert(&find_strategy(name, catalogue));
  }
  const bool in_world = has_world(catalogue);
  std::vector<const StrategyEntry*> selected;
  for (const StrategyEntry& entry : catalogue.strategies()) {
    const bool repeats = in_world && (entry.is_variant() || preset.only_in.contains(entry.name));
    const bool is_base = !entry.is_yardstick() && !is_extra(entry, preset) && !repeats;
    const bool wanted = named.contains(&entry) || (!list && (takes_variants || is_base));
    if (wanted || entry.is_company()) selected.push_back(&entry);
  }
  return selected;
}

/// Without a list: the workloads of the world, if one was named, or else of the preset.
std::vector<const WorkloadEntry*> resolve_workloads(const std::optional<std::string>& list, const Preset& preset,
                                                    const Catalogue& catalogue) {
  const bool in_world = has_world(catalogue);
  std::set<const WorkloadEntry*> named;
  for (const std::string& name : list ? split_list(*list) : std::vector<std::string>{}) {
    if (!in_world && name.starts_with(world_prefix)) {
      throw UserError("'{}' is a workload of a world; name its profile: --world FILE, such as profiles/typical.toml",
                      name);
    }
    named.insert(&find_named(
        catalogue.workloads(), name, [](const WorkloadEntry& entry) { return entry.card.name; }, "workload",
        "`stowage list workloads` shows what there is"));
  }
  std::vector<const WorkloadEntry*> selected;
  for (const WorkloadEntry& entry : catalogue.workloads()) {
    const bool is_left_out =
        is_of_a_world(entry) != in_world || std::ranges::find(preset.without, entry.card.name) != preset.without.end();
    if (named.contains(&entry) || (!list && !is_left_out)) selected.push_back(&entry);
  }
  return selected;
}

// ---- the cells of a selection

/// Google Benchmark's filter: a regular expression that is searched for, negated by a leading '-'; "all" is all.
class CellFilter {
 public:
  explicit CellFilter(const std::string& text) {
    if (text.empty() || text == "all") return;
    negated_ = text.starts_with('-');
    try {
      if (text.size() > longest) throw std::regex_error(std::regex_constants::error_complexity);
      expression_ = std::regex(negated_ ? text.substr(1) : text, std::regex::extended);
    } catch (const std::regex_error&) {
      throw UserError(
          "--cells '{}' is not a regular expression; it is searched for in names such as "
          "join/indirection_map/entities:1024",
          text);
    }
    is_set_ = true;
  }

  [[nodiscard]] bool is_set() const noexcept { return is_set_; }
  [[nodiscard]] bool takes(const std::string& cell) const {
    return !is_set_ || std::regex_search(cell, expression_) != negated_;
  }

 private:
  static constexpr std::size_t longest = 4096;  // std::regex goes as deep as an expression is nested

  std::regex expression_;
  bool is_set_ = false;
  bool negated_ = false;
};

/// Every combination of the axes' values; one empty combination if there are no axes.
std::vector<std::vector<workloads::Parameter>> combinations(const std::vector<workloads::Axis>& axes, bool quick) {
  std::vector<std::vector<workloads::Parameter>> all(1);
  for (const workloads::Axis& axis : axes) {
    std::vector<std::vector<workloads::Parameter>> longer;
    for (const std::vector<workloads::Parameter>& prefix : all) {
      for (const std::string_view value : quick ? axis.quick_values : axis.values) {
        longer.push_back(prefix);
        longer.back().push_back({std::string(axis.key), std::string(value)});
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The floor and other company stay wherever a strategy does, so that a filter never takes the ratios away. They are
/// measured alone only if the user asked for nothing else, never because no strategy can take part.
std::vector<const StrategyEntry*> participants(const Block& block, const Selection& selection, const CellFilter& filter,
                                               const Catalogue& catalogue, std::vector<MissingCell>& missing) {
  std::vector<const StrategyEntry*> taking_part;
  const auto is_company = [](const StrategyEntry* strategy) { return strategy->is_company(); };
  const bool only_company = std::ranges::all_of(selection.strategies, is_company);
  bool any_wanted = false;
  bool any_cannot = false;
  for (const StrategyEntry* strategy : selection.strategies) {
    const bool is_large = block.parameters.entities > selection.most_entities_of_variants;
    if (is_large && is_extra(*strategy, *selection.preset)) continue;
    if (!selection.takes_repetitions && repeats_another(*strategy, *block.workload, *selection.preset)) continue;
    std::string obstacle = catalogue.obstacle(strategy->name, block.workload->card.name, block.parameters);
    if (!obstacle.empty()) {
      missing.push_back({strategy, block.cell_name(*strategy), std::move(obstacle)});
      any_cannot = any_cannot || (!strategy->is_company() && filter.takes(missing.back().name));
      continue;
    }
    if (catalogue.maker(strategy->name, block.workload->card.name) == nullptr) continue;
    const bool wanted = filter.takes(block.cell_name(*strategy));
    const bool counts = !strategy->is_company() || only_company || filter.is_set();
    any_wanted = any_wanted || (wanted && counts);
    if (wanted || strategy->is_company()) taking_part.push_back(strategy);
  }
  const bool only_company_can = any_cannot && std::ranges::all_of(taking_part, is_company);
  if (!any_wanted || only_company_can) taking_part.clear();
  return taking_part;
}

/// The sizes that a workload is measured at: its own if the preset's were not replaced, of which `quick` takes the
/// first and the others those within their own.
std::vector<std::size_t> sizes_of(const WorkloadEntry& workload, const Selection& selection) {
  const workloads::WorkloadCard& card = workload.card;
  std::vector<std::size_t> sizes = selection.entities;
  if (card.sizes.front() != 0 && selection.entities == selection.preset->entities) {
    const std::size_t largest = std::ranges::max(selection.entities);
    sizes.assign(card.sizes.begin(), card.sizes.end());
    const bool is_own = is_of_a_world(workload);  // a world has the size that its profile says
    std::erase_if(sizes, [&](std::size_t size) { return size == 0 || (!is_own && size > largest); });
    if (selection.preset->quick_values_only && !is_own) sizes.resize(std::min<std::size_t>(1, sizes.size()));
    std::ranges::sort(sizes);
  }
  std::erase_if(sizes,
                [&card](std::size_t size) { return size < card.smallest_entities || size > card.largest_entities; });
  return sizes;
}

/// Calls `fn` with each block that the selection may have, whatever its shard, before it has strategies.
template <class Fn>
void for_each_block(const Selection& selection, Fn&& fn) {
  for (const WorkloadEntry* workload : selection.workloads) {
    const auto values = combinations(workload->axes, selection.preset->quick_values_only);
    for (const std::size_t entities : sizes_of(*workload, selection)) {
      for (const std::vector<workloads::Parameter>& combination : values) {
        fn(Block{workload, {.entities = entities, .values = combination}, {}});
      }
    }
  }
}

/// All blocks of the selection, whatever its shard.
std::vector<Block> expand_all(const Selection& selection, const Catalogue& catalogue,
                              std::vector<MissingCell>& missing) {
  const CellFilter filter(selection.filter);
  std::vector<Block> blocks;
  for_each_block(selection, [&](Block block) {
    block.strategies = participants(block, selection, filter, catalogue, missing);
    if (!block.strategies.empty()) blocks.push_back(std::move(block));
  });
  return blocks;
}

/// The same as far as names say, before it is known who can take part.
std::vector<Block> expand_by_name(const Selection& selection) {
  const CellFilter filter(selection.filter);
  std::vector<Block> blocks;
  for_each_block(selection, [&](Block block) {
    std::ranges::copy_if(selection.strategies, std::back_inserter(block.strategies),
                         [&](const StrategyEntry* strategy) { return filter.takes(block.cell_name(*strategy)); });
    if (!block.strategies.empty()) blocks.push_back(std::move(block));
  });
  return blocks;
}

/// The values of each key of these blocks, in their order.
std::vector<std::pair<std::string, std::vector<std::string>>> values_by_key(const std::vector<Block>& blocks) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  const auto add = [&all](const std::string& key, const std::string& value) {
    auto known = std::ranges::find(all, key, &decltype(all)::value_type::first);
    if (known == all.end()) known = all.insert(known, {key, {}});
    if (std::ranges::find(known->second, value) == known->second.end()) known->second.push_back(value);
  };
  for (const Block& block : blocks) {
    add("entities", std::to_string(block.parameters.entities));
    for (const workloads::Parameter& parameter : block.parameters.values) add(parameter.key, parameter.value);
  }
  return all;
}

/// What a filter can find in the names of these blocks: the values of the keys that it names or, if it names none,
/// those of all keys of the only workload, or a name.
std::string names_to_find(const std::vector<Block>& blocks, const std::string& filter) {
  auto values = values_by_key(blocks);
  const auto is_named = [&filter](const auto& key) { return filter.find(key.first + ":") != std::string::npos; };
  const auto other = [&blocks](const Block& block) { return block.workload != blocks.front().workload; };
  if (std::ranges::any_of(values, is_named)) {
    std::erase_if(values, std::not_fn(is_named));
  } else if (std::ranges::any_of(blocks, other)) {
    return "names are such as " + blocks.front().cell_name(*blocks.front().strategies.back());
  }
  std::string all;
  for (const auto& [key, its] : values) {
    all += fmt::format("{}{}:{}", all.empty() ? "there are " : "; ", key, fmt::join(its, ", "));
  }
  return all;
}

/// The first preset with such cells at sizes of its own; empty if there is none.
template <class Expand>
std::string preset_with_cells(Selection selection, Expand&& expanded) {
  const bool has_own_sizes = selection.entities != selection.preset->entities;
  for (const Preset& preset : presets()) {
    selection.preset = &preset;
    if (!has_own_sizes) selection.entities = preset.entities;
    if (!expanded(selection).empty()) return std::string(preset.name);
  }
  return "";
}

/// Why a filter leaves nothing, and what there would be without it; empty if that is nothing either.
template <class Expand>
std::string nothing_found(const Selection& selection, Expand&& expanded) {
  Selection unfiltered = selection;
  unfiltered.filter.clear();
  const std::vector<Block> blocks = expanded(unfiltered);
  if (selection.filter.empty() || blocks.empty()) return "";
  const std::string preset = preset_with_cells(selection, expanded);
  return fmt::format("nothing to measure: no selected cell has '{}' in its name; {}{}", selection.filter,
                     names_to_find(blocks, selection.filter),
                     preset.empty() ? "" : fmt::format(", and such cells with --preset {}", preset));
}

std::string nothing_to_measure(const std::vector<MissingCell>& missing) {
  std::string why = "`stowage list workloads` shows the sizes of each";
  if (!missing.empty()) why = fmt::format("{}: {}", missing.front().strategy->name, missing.front().reason);
  return fmt::format(
      "nothing to measure: no selected strategy takes part in a selected workload at a selected size; {}", why);
}

}  // namespace

std::vector<std::size_t> parse_entities(std::string_view text) {
  std::set<std::size_t> sizes;
  for (const std::string& part : split_list(text)) sizes.insert(parse_entity_count(part));
  return {sizes.begin(), sizes.end()};
}

std::optional<Shard> find_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = parse_number(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : parse_number(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count || *count > most_shards) return std::nullopt;
  return Shard{static_cast<std::size_t>(*index), static_cast<std::size_t>(*count)};
}

Shard parse_shard(std::string_view text) {
  if (const std::optional<Shard> shard = find_shard(text)) return *shard;
  throw UserError("--shard '{}' is not one part of several; give I/N with 1 <= I <= N <= {}, such as 2/4", text,
                  most_shards);
}

const StrategyEntry& find_strategy(const std::string& name, const Catalogue& catalogue) {
  refuse_not_built(name, catalogue);
  return find_named(catalogue.strategies(), name, &StrategyEntry::name, "strategy",
                    "`stowage list strategies` shows what there is", names_of(catalogue.not_built(), &NotBuilt::name));
}

Selection resolve(const SelectionRequest& request, const Catalogue& catalogue) {
  const Preset& preset = find_preset(request.preset.value_or("quick"));
  static_cast<void>(CellFilter(request.filter.value_or("")));  // a wrong one is refused before anything is compiled
  const std::size_t most_entities_of_variants = request.strategies || request.takes_variants
                                                    ? std::numeric_limits<std::size_t>::max()
                                                    : preset.most_entities_of_variants;
  return {.preset = &preset,
          .strategies = resolve_strategies(request, preset, most_entities_of_variants > 0, catalogue),
          .most_entities_of_variants = most_entities_of_variants,
          .takes_repetitions = request.strategies || request.takes_variants,
          .workloads = resolve_workloads(request.workloads, preset, catalogue),
          .entities = request.entities ? parse_entities(*request.entities) : preset.entities,
          .shard = request.shard ? parse_shard(*request.shard) : Shard{},
          .filter = request.filter.value_or("")};
}

std::string Selection::world() const {
  for (const WorkloadEntry* workload : workloads) {
    for (const workloads::Axis& axis : workload->axes) {
      if (axis.key == "world") return std::string(axis.values.front());
    }
  }
  return {};
}

Needed needed_for(const Selection& selection) {
  Needed needed;
  const std::vector<Block> blocks = expand_by_name(selection);
  if (blocks.empty()) {
    const std::string not_found = nothing_found(selection, expand_by_name);
    if (!not_found.empty()) throw UserError(not_found);
  }
  for (const Block& block : blocks) {
    needed.units.insert(block.workload->unit);
    for (const StrategyEntry* strategy : block.strategies) needed.strategies.insert(strategy->name);
  }
  for (const StrategyEntry* strategy : selection.strategies) {
    if (strategy->is_company()) needed.strategies.insert(strategy->name);
  }
  return needed;
}

std::vector<Block> expand(const Selection& selection, const Catalogue& catalogue) {
  std::vector<MissingCell> missing;
  std::vector<Block> all = expand_all(selection, catalogue, missing);
  if (all.empty()) {
    const std::string not_found = nothing_found(selection, [&catalogue](const Selection& other) {
      std::vector<MissingCell> none;
      return expand_all(other, catalogue, none);
    });
    throw UserError(not_found.empty() ? nothing_to_measure(missing) : not_found);
  }
  std::vector<Block> blocks;
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (selection.shard.takes(index)) blocks.push_back(std::move(all[index]));
  }
  if (blocks.empty()) {
    throw UserError("--shard {} has nothing to do; the selection has {} blocks, so give I up to {}",
                    selection.shard.name(), all.size(), all.size());
  }
  return blocks;
}

std::vector<MissingCell> missing_cells(const Selection& selection, const Catalogue& catalogue) {
  const CellFilter filter(selection.filter);
  std::vector<MissingCell> missing;
  expand_all(selection, catalogue, missing);
  std::erase_if(missing, [&filter](const MissingCell& cell) { return !filter.takes(cell.name); });
  return missing;
}

}  // namespace stowage::harness
