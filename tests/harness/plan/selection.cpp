// What options select: sizes and values of each preset, variants, references, filters and shards; and refusals.
#include "harness/plan/selection.hpp"

#include "harness/errors.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/text.hpp"
#include "tests/harness/fake_catalogue.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using Names = std::vector<std::string>;

std::vector<Block> selected_blocks(const SelectionRequest& request) {
  static const Catalogue catalogue = fake::make();
  return expand(resolve(request, catalogue), catalogue);
}
Names blocks_of(const SelectionRequest& request) { return names_of(selected_blocks(request), &Block::name); }
/// In the first block.
Names strategies_of(const SelectionRequest& request) {
  return names_of(selected_blocks(request).at(0).strategies, &StrategyEntry::name);
}

using Wanted = std::optional<std::string>;
SelectionRequest request_of(const Wanted& strategies, const Wanted& workloads = {}, const Wanted& entities = {},
                            const Wanted& preset = {}) {
  SelectionRequest request;
  request.strategies = strategies;
  request.workloads = workloads;
  request.entities = entities;
  request.preset = preset;
  return request;
}

bool has(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

/// The fake catalogue with one more strategy, which takes part in `walk`.
Catalogue with_strategy(const std::string& name) {
  Catalogue catalogue = fake::make();
  catalogue.add_strategy({name, name.substr(0, name.find('.')), "S0 (XX)", "when memory is short", std::nullopt});
  catalogue.add_cell(name, "walk", catalogue.maker("fast", "walk"));
  return catalogue;
}

Names selected(const SelectionRequest& request, const Catalogue& catalogue) {
  return names_of(resolve(request, catalogue).strategies, &StrategyEntry::name);
}

/// The sizes at which blocks of `walk` measure the strategy.
std::vector<std::size_t> sizes_of(const std::string& strategy, const Wanted& strategies, const std::string& preset,
                                  const Catalogue& catalogue) {
  std::vector<std::size_t> sizes;
  for (const Block& block : expand(resolve(request_of(strategies, "walk", {}, preset), catalogue), catalogue)) {
    const bool is_there = std::ranges::find(block.strategies, strategy, &StrategyEntry::name) != block.strategies.end();
    if (is_there && block.parameters.get("via") == "each") sizes.push_back(block.parameters.entities);
  }
  return sizes;
}

TEST_CASE("quick takes few sizes and the quick values, standard and full take all values") {
  CHECK(blocks_of(request_of({}, "walk")) ==
        Names{"walk/entities:1024/via:each", "walk/entities:16384/via:each", "walk/entities:262144/via:each"});
  CHECK(blocks_of(request_of({}, "walk", {}, "standard")).size() == 8);
  const Names full = blocks_of(request_of({}, "walk", {}, "full"));
  CHECK(full.size() == 10);
  CHECK(full.back() == "walk/entities:4194304/via:find");
}

Catalogue with_slow_workload() {
  Catalogue catalogue = fake::make();
  WorkloadEntry slow = catalogue.workloads().front();
  slow.card.name = "wide";
  slow.unit = "wide";
  catalogue.add_workload(slow);
  return catalogue;
}

TEST_CASE("quick leaves out what takes the compiler long unless it is named, and that is in a module of its own") {
  Catalogue catalogue = with_slow_workload();
  const auto takes_it = [&catalogue](const SelectionRequest& request) {
    return std::ranges::any_of(resolve(request, catalogue).workloads,
                               [](const WorkloadEntry* entry) { return entry->card.name == "wide"; });
  };
  CHECK_FALSE(takes_it({}));
  CHECK(takes_it(request_of({}, {}, {}, "standard")));
  CHECK(takes_it(request_of({}, "walk,wide")));
  catalogue.add_cell("fast", "wide", catalogue.maker("fast", "walk"));
  catalogue.set_module("fast", "wide", "fast-wide.so");
  const Selection selection = resolve(request_of("fast", "walk,wide", "1k"), catalogue);
  CHECK(needed_for(selection).units == std::set<std::string>{"", "wide"});
  for (const Block& block : expand(selection, catalogue)) {
    const bool is_wide = block.workload->card.name == "wide";
    CHECK(block.module_of(*block.strategies.back()) == (is_wide ? "fast-wide.so" : ""));
  }
}

TEST_CASE("if variants are not named, quick takes base forms alone, and standard no variant in its largest blocks") {
  const Catalogue catalogue = with_strategy("fast.lean");
  SelectionRequest request;
  CHECK_FALSE(has(selected(request, catalogue), "fast.lean"));
  request.takes_variants = true;
  CHECK(has(selected(request, catalogue), "fast.lean"));
  CHECK(has(selected(request_of({}, {}, {}, "standard"), catalogue), "fast.lean"));
  CHECK(has(selected(request_of("fast.lean"), catalogue), "fast.lean"));
  CHECK(sizes_of("fast.lean", {}, "standard", catalogue) == std::vector<std::size_t>{1024, 16 * 1024});
  CHECK(sizes_of("fast.lean", "fast.lean", "standard", catalogue) ==
        std::vector<std::size_t>{1024, 16 * 1024, 256 * 1024, 1024 * 1024});
}

TEST_CASE("the rival of a base form is measured in every block, hybrid where it differs from archetype_sections") {
  const Catalogue with_hybrid = with_strategy("hybrid");
  for (const char* preset : {"quick", "standard"}) {
    const std::size_t blocks = sizes_of("fast", {}, preset, fake::make()).size();
    CHECK(sizes_of("hash_index.flat_map", {}, preset, with_strategy("hash_index.flat_map")).size() == blocks);
    CHECK(sizes_of("hash_index.another", {}, preset, with_strategy("hash_index.another")).size() < blocks);
    CHECK(sizes_of("hybrid", {}, preset, with_hybrid).empty());
    CHECK_FALSE(sizes_of("hybrid", "hybrid,fast", preset, with_hybrid).empty());
  }
}

TEST_CASE("a workload with sizes of its own is measured at these: quick takes the first, others those within theirs") {
  SelectionRequest request = request_of("fast", "march");
  CHECK(blocks_of(request) == Names{"march/entities:16384/on:wheels", "march/entities:16384/on:foot"});
  request.preset = "standard";
  CHECK(blocks_of(request).size() == 2 * 3);
  CHECK(blocks_of(request).back() == "march/entities:100000/on:hold");
  request.entities = "4k";
  CHECK(blocks_of(request).front() == "march/entities:4096/on:wheels");
}

TEST_CASE("cells that cannot exist, or not in this size, are left out; if none is left, the reason is given") {
  CHECK(blocks_of(request_of("mismodelled", "walk,build", "1k")) == Names{"walk/entities:1024/via:each"});
  CHECK(blocks_of(request_of("narrow", "walk", "4k,8k")) == Names{"walk/entities:4096/via:each"});
  CHECK(strategies_of(request_of("narrow,fast", "walk", "8k")) == Names{"reference", "fast"});
  CHECK_THROWS_WITH(blocks_of(request_of("narrow", "walk", "8k")),
                    ContainsSubstring("narrow: it has at most 4096 rows of a component"));
  SelectionRequest filtered = request_of("narrow", "walk", "4k,8k");
  filtered.filter = "walk";
  CHECK(blocks_of(filtered) == Names{"walk/entities:4096/via:each"});
  CHECK(blocks_of(request_of("fast", "march,build", "1k,1M")) == Names{"build/entities:1024", "build/entities:1048576",
                                                                       "march/entities:1024/on:wheels",
                                                                       "march/entities:1024/on:foot"});
  CHECK(blocks_of(request_of("fast", "crowd,build", "1k,4k")) ==
        Names{"build/entities:1024", "build/entities:4096", "crowd/entities:4096"});
  CHECK_THROWS_AS(blocks_of(request_of("fast", "crowd", "1k")), UserError);
}

TEST_CASE("the reference is in every block, a yardstick if it is named or all are measured with more than quick") {
  CHECK(strategies_of(request_of("twin,fast", "walk", "1k")) == Names{"reference", "fast", "twin"});
  CHECK(strategies_of(request_of("reference.loop", "walk", "1k")) == Names{"reference", "reference.loop"});
  CHECK(strategies_of(request_of("reference", "walk", "1k")) == Names{"reference"});
  const Catalogue catalogue = fake::make();
  for (const char* preset : {"quick", "standard", "full"}) {
    const bool measures_all = preset != std::string("quick");
    CHECK(has(selected(request_of({}, {}, {}, preset), catalogue), "reference.loop") == measures_all);
    CHECK_FALSE(has(selected(request_of("fast", {}, {}, preset), catalogue), "reference.loop"));
    CHECK(has(selected(request_of("fast,reference.loop", {}, {}, preset), catalogue), "reference.loop"));
  }
}

TEST_CASE("a yardstick that is always measured comes with its workload, and is no reason for a block") {
  Catalogue catalogue = fake::make();
  StrategyEntry limit{"reference.limit", "yardstick", "hand-written", "what no strategy can beat", std::nullopt};
  limit.always_measured = true;
  catalogue.add_strategy(limit);
  catalogue.add_cell("reference.limit", "walk", catalogue.maker("reference", "walk"));
  const auto names = [&](const std::string& strategies, const std::string& workloads) {
    const auto blocks = expand(resolve(request_of(strategies, workloads, "1k"), catalogue), catalogue);
    Names found = names_of(blocks.at(0).strategies, &StrategyEntry::name);
    std::ranges::sort(found);
    return found;
  };
  CHECK(names("fast", "walk") == Names{"fast", "reference", "reference.limit"});
  CHECK(names("fast", "build") == Names{"fast", "reference"});
  CHECK(names("reference", "walk") == Names{"reference", "reference.limit"});
  const auto never = [](const workloads::Parameters&) { return std::string("it has two left feet"); };
  catalogue.add_cell("reference.limit", "walk", catalogue.maker("reference", "walk"), never);
  CHECK(names("reference", "walk") == Names{"reference"});
  catalogue.add_cell("fast", "walk", catalogue.maker("fast", "walk"), never);
  CHECK_THROWS_WITH(names("fast", "walk"), ContainsSubstring("fast: it has two left feet"));
  limit.name = "reference.loop";  // it is enough that one of the workloads that have it says so
  catalogue.add_strategy(limit);
  CHECK(find_strategy("reference.loop", catalogue).always_measured);
  CHECK(find_strategy("reference.loop", catalogue).summary == "another loop");
}

SelectionRequest filtered_by(const std::string& filter) {
  SelectionRequest request;
  request.filter = filter;
  return request;
}

TEST_CASE("the filter keeps matching cells and the reference beside them") {
  CHECK(strategies_of(filtered_by("build/(fast|twin)/")) == Names{"reference", "fast", "twin"});
  CHECK(blocks_of(filtered_by("-walk|crowd")).front() == "build/entities:1024");
  CHECK(blocks_of(filtered_by("all")) == blocks_of({}));
  CHECK_THROWS_AS(blocks_of(filtered_by("(")), UserError);
}

TEST_CASE("only what a filter may take is compiled, and one that takes nothing is refused before that") {
  const Catalogue catalogue = with_slow_workload();
  SelectionRequest request = request_of("fast,twin", "walk,wide", "1k");
  request.filter = "^wide/fast/";
  const Needed needed = needed_for(resolve(request, catalogue));
  CHECK(needed.units == std::set<std::string>{"wide"});
  CHECK(needed.strategies == std::set<std::string>{"fast", "reference"});
  request.filter = "via:fnid";
  CHECK_THROWS_WITH(needed_for(resolve(request, catalogue)),
                    ContainsSubstring("no selected cell has 'via:fnid' in its name; there are via:each"));
}

TEST_CASE("a filter that finds nothing is refused with the values that exist, and unknown names with the nearest one") {
  SelectionRequest request = request_of("fast", "walk", "1k,4k", "standard");
  request.filter = "via:fnid";
  CHECK_THROWS_WITH(blocks_of(request), ContainsSubstring("no selected cell has 'via:fnid' in its name; there "
                                                          "are via:each, find") &&
                                            !ContainsSubstring("--preset"));
  request.filter = "slow";
  CHECK_THROWS_WITH(blocks_of(request), ContainsSubstring("there are entities:1024, 4096; via:each, find"));
  request.workloads.reset();
  CHECK_THROWS_WITH(blocks_of(request), ContainsSubstring("names are such as walk/fast/entities:1024/via:each"));
  request.workloads = "walk";
  request.preset.reset();
  request.filter = "entities:4096/via:find";
  CHECK_THROWS_WITH(blocks_of(request), ContainsSubstring("there are entities:1024, 4096; via:each, and such "
                                                          "cells with --preset standard"));
  SelectionRequest nothing = request_of("narrow", "walk", "8k");  // without the filter, too
  nothing.filter = "via:fnid";
  CHECK_THROWS_WITH(blocks_of(nothing), ContainsSubstring("narrow: it has at most 4096 rows of a component"));
  CHECK_THROWS_WITH(blocks_of(request_of("fats", "walk", "1k")), ContainsSubstring("did you mean 'fast'?"));
  CHECK_THROWS_WITH(blocks_of(request_of("absnt", "walk", "1k")), ContainsSubstring("did you mean 'absent'?"));
  CHECK_THROWS_WITH(blocks_of(request_of("fast", "wlak", "1k")), ContainsSubstring("did you mean 'walk'?"));
  CHECK_THROWS_WITH(blocks_of(request_of("fast", "world.join", "1k")), ContainsSubstring("name its profile: --world"));
  CHECK_THROWS_WITH(blocks_of(request_of({}, {}, {}, "fulll")), ContainsSubstring("did you mean 'full'?"));
}

TEST_CASE("sizes are sorted and count once, k is 1024 and M 1048576, up to all indices of a handle") {
  CHECK(parse_entities("1k,16k,1M,100") == std::vector<std::size_t>{100, 1024, 16384, 1048576});
  CHECK(parse_entities("2K,16k,2048") == std::vector<std::size_t>{2048, 16384});
  CHECK(parse_entities("4294967295") == std::vector<std::size_t>{4294967295});
}

TEST_CASE("impossible sizes are refused with what is accepted") {
  using Texts = std::vector<std::string>;
  const auto& [reason, texts] = GENERATE(table<std::string, Texts>({
      {"at least 1", {"0", "0k"}},
      {"not a number", {"-5", "abc", "", "k", "1k,,2k", "1.5k", "16 k"}},
      {"index bits", {"4294967296", "4096M", "99999999999999999999999999"}},
  }));
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_entities(text), UserError);
    CHECK_THROWS_WITH(parse_entities(text), ContainsSubstring("--entities") && ContainsSubstring(reason));
  }
}

TEST_CASE("a shard is I/N, counted from 1, and has a block") {
  const Shard shard = parse_shard("2/4");
  CHECK(shard.name() == "2/4");
  CHECK_FALSE(shard.takes(0));
  CHECK(shard.takes(1));
  CHECK(shard.takes(5));
  SelectionRequest beyond = request_of("fast", "walk", "1k");
  beyond.shard = "2/2";
  CHECK_THROWS_WITH(blocks_of(beyond), ContainsSubstring("--shard 2/2"));
  const std::string wrong = GENERATE("0/4", "5/4", "2", "/", "a/b", "2/4/8", "-1/4", "");
  CAPTURE(wrong);
  CHECK_THROWS_AS(parse_shard(wrong), UserError);
}

TEST_CASE("a run in a world goes on with the profile that was named, or with a likely one") {
  Run run;
  run.options.world = "big_game-0123abcd";
  CHECK(command_to_resume("run", run) == "stowage run --resume run --world big_game.toml");
  CHECK(command_to_resume("run", run, "games/big.toml") == "stowage run --resume run --world games/big.toml");
  run.state.command = GENERATE("stowage run --world ../big.toml --out x", "stowage run --world=../big.toml");
  CHECK(command_to_resume("run", run) == "stowage run --resume run --world ../big.toml");
}

}  // namespace
}  // namespace stowage::harness
