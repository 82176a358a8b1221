#include "harness/build/modules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#define BOOST_DLL_USE_STD_FS
#include <link.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "harness/build/module.hpp"
#include "harness/build/trust.hpp"
#include "harness/errors.hpp"
#include "harness/system/document.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

std::string cpp_name_of(std::string name) {
  std::ranges::replace_if(name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
  return name;
}

/// A string literal of C++.
std::string literal(const std::string& text) { return "R\"stowage(" + text + ")stowage\""; }

/// What has the cells of workloads that are compiled apart.
std::string apart_name(const std::string& strategy) { return strategy + ".apart"; }

SourceUnit unit_of(const Recipe& recipe, bool is_apart = false) {
  const std::string part = !recipe.workloads.empty() ? "all" : is_apart ? "apart" : "usual";
  const std::string workloads = recipe.workloads.empty()
                                    ? std::string("AllWorkloads")
                                    : fmt::format("TypeList<{}>", fmt::join(recipe.workloads, ", "));
  return {.name = is_apart ? apart_name(recipe.name) : recipe.name,
          .text = fmt::format(R"source(// Written by stowage.
#include <{header}>

#include "harness/bind.hpp"
#include "harness/build/module.hpp"
#include "workloads/all_workloads.hpp"

namespace stowage::harness {{

template <class SchemaType>
using Strategy_{id} = {type}<SchemaType>;

static void add_to(Catalogue& catalogue) {{
  using namespace workloads;
  bind_strategy<Strategy_{id}, {is_plain}, ModulePart::{part}>(
      catalogue, {{{name}, {family}, {source}, {summary}, std::nullopt, {folder}}}, {workloads}{{}});
}}

}}  // namespace stowage::harness

STOWAGE_EXPORT_MODULE(&stowage::harness::add_to);
)source",
                              fmt::arg("header", recipe.header), fmt::arg("id", cpp_name_of(recipe.name)),
                              fmt::arg("type", recipe.template_name), fmt::arg("name", literal(recipe.name)),
                              fmt::arg("family", literal(recipe.family())), fmt::arg("source", literal(recipe.source)),
                              fmt::arg("summary", literal(recipe.summary)),
                              fmt::arg("folder", literal(recipe.storage_folder)), fmt::arg("workloads", workloads),
                              fmt::arg("is_plain", recipe.name == recipe.family()), fmt::arg("part", part)),
          .compile_flags = recipe.compile_flags,
          .link_flags = recipe.link_flags,
          .has_layouts = true};
}

/// What compares a strategy with the reference model. Only `verify` runs it, so it is no part of what is measured.
std::string model_name(const std::string& strategy) { return strategy + ".model"; }

SourceUnit model_unit_of(const Recipe& recipe) {
  return {.name = model_name(recipe.name),
          .text = fmt::format(R"source(// Written by stowage.
#include <{header}>

#include "harness/build/module.hpp"
#include "harness/verify/random_work.hpp"

namespace stowage::harness {{

template <class SchemaType>
using Strategy_{id} = {type}<SchemaType>;

static void add_to(Catalogue& catalogue) {{ catalogue.set_model({name}, &verify::check_model<Strategy_{id}>); }}

}}  // namespace stowage::harness

STOWAGE_EXPORT_MODULE(&stowage::harness::add_to);
)source",
                              fmt::arg("header", recipe.header), fmt::arg("id", cpp_name_of(recipe.name)),
                              fmt::arg("type", recipe.template_name), fmt::arg("name", literal(recipe.name))),
          .compile_flags = recipe.compile_flags,
          .link_flags = recipe.link_flags};
}

/// The modules of a strategy.
std::vector<SourceUnit> units_of(const Recipe& recipe) {
  std::vector<SourceUnit> units{unit_of(recipe), model_unit_of(recipe)};
  if (recipe.workloads.empty()) units.push_back(unit_of(recipe, true));
  return units;
}

/// What the contract asks of a storage, before all workloads are compiled for it.
SourceUnit check_of(const Recipe& recipe) {
  return {.name = recipe.name + ".contract",
          .text = fmt::format(R"source(// Written by stowage.
#include <{}>

#include <stowage/contract/capabilities.hpp>

template <class SchemaType>
using Storage = {}<SchemaType>;

static_assert(stowage::assert_partial_storage<Storage<stowage::ProbeSchema>>());
)source",
                              recipe.header, recipe.template_name),
          .compile_flags = recipe.compile_flags};
}

/// Strategies of the list are in the build directory, or in the user's cache if a package does not bring them; those
/// that another project added (stowage_add_benchmark) are beside its toolchain.json. The plan has all of a directory,
/// whichever are asked for, so that Ninja forgets nothing.
BuildPlan plan_of(const Toolchain& toolchain, bool of_the_list) {
  BuildPlan plan;
  if (!of_the_list) {
    plan.directory = toolchain.file.parent_path() / "modules";
  } else if (!toolchain.modules_are_prebuilt) {
    plan.directory = toolchain.modules;
  } else {
    plan.root = build_cache();
    plan.directory = plan.root / "modules" / fingerprint(toolchain.file.string() + "\n" + module_interface);
  }
  for (const Recipe& recipe : toolchain.strategies) {
    if (recipe.storage_folder.empty() != of_the_list) continue;
    std::ranges::move(units_of(recipe), std::back_inserter(plan.modules));
  }
  return plan;
}

/// `my_storage` for `mine::MyStorage`.
std::string name_of_type(const std::string& type) {
  const std::size_t last = type.rfind("::");
  std::string name;
  for (const char letter : last == std::string::npos ? type : type.substr(last + 2)) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool begins_word = std::isupper(byte) != 0;
    if (begins_word && !name.empty() && name.back() != '_') name += '_';
    name += static_cast<char>(std::tolower(byte));
  }
  return name;
}

bool is_name(const std::string& text) {
  const auto is_letter = [](char letter) { return (letter >= 'a' && letter <= 'z') || letter == '_'; };
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [&](char letter) {
    return is_letter(letter) || (letter >= '0' && letter <= '9') || letter == '.';
  });
}

bool is_type(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == ':';
  });
}

/// Where `FILE:TYPE` is split: at the first colon that is no part of `::`.
std::size_t colon_in(std::string_view text) {
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 2)) {
    if (at + 1 == text.size() || text[at + 1] != ':') return at;
  }
  return std::string_view::npos;
}

Recipe recipe_of(std::string_view text) {
  constexpr const char* form = "--storage '{}' must be FILE:TYPE, such as my_storage.hpp:mine::MyStorage";
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view place = equals == text.size() ? text : text.substr(equals + 1);
  const std::size_t colon = colon_in(place);
  if (colon == std::string_view::npos || colon == 0) throw UserError(fmt::format(form, text));
  const fs::path file = fs::absolute(fs::path(place.substr(0, colon))).lexically_normal();
  const std::string type(place.substr(colon + 1));
  if (!is_type(type)) throw UserError(fmt::format(form, text));
  if (!fs::is_regular_file(file)) {
    throw UserError(fmt::format("--storage {}: {} {}", text,
                                fs::is_directory(file) ? "no header, but a directory:" : "there is no file",
                                file.string()));
  }
  if (!has_format(file.string(), "header") || file.native().find('>') != std::string::npos) {
    throw UserError(
        fmt::format("--storage {}: C++ includes no file with a quotation mark, > or a control character in "
                    "its path; rename it: {}",
                    text, file.string()));
  }
  const std::string name = equals == text.size() ? name_of_type(type) : std::string(text.substr(0, equals));
  if (!is_name(name)) {
    throw UserError(
        fmt::format("--storage {}: '{}' cannot be a name; give one of lower-case letters, digits and _: "
                    "--storage NAME={}",
                    text, name, shell_word(place)));
  }
  return {.name = name,
          .header = file.string(),
          .template_name = type,
          .source = "yours",
          .summary = fmt::format("{} of {}", type, file.filename().string()),
          .compile_flags = {"-I" + file.parent_path().string()},
          .storage_folder = file.parent_path().string()};
}

/// A storage of the user has a directory of its own: another file, type or version of stowage has another.
BuildPlan plan_of_storage(const Recipe& recipe) {
  const std::string key = fmt::format("{}\n{}\n{}", recipe.header, recipe.template_name, module_interface);
  return {.directory = build_cache() / "storages" / fingerprint(key),
          .root = build_cache(),
          .checks = {check_of(recipe)},
          .modules = units_of(recipe)};
}

bool has_toolchain_file() {
  try {
    return fs::exists(toolchain_file());
  } catch (const EnvironmentError&) {
    return false;
  }
}

/// The table of sections ends an ELF file. The dynamic linker trusts the sizes in a file, and dies of a shorter one.
bool is_whole_library(const fs::path& file) {
  ElfW(Ehdr) head{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(&head), sizeof(head))) return false;
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
         head.e_shoff + std::uint64_t{head.e_shnum} * head.e_shentsize <= fs::file_size(file);
}

}  // namespace

void load_trusted_module(const fs::path& file, Catalogue& catalogue) {
  const auto refuse = [&](const std::string& why) {
    throw EnvironmentError(fmt::format("cannot load {}: {}; build or install stowage again", file.string(), why));
  };
  if (!fs::exists(file)) refuse("there is no such file");
  if (!is_whole_library(file)) refuse("it is damaged");
  std::error_code error;
  static std::vector<boost::dll::shared_library> loaded;
  boost::dll::shared_library library;
  library.load(file.native(), error, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  if (error) refuse("it is damaged, or not a library for this machine");
  if (!library.has(module_symbol)) refuse("it is no module of stowage");
  const auto& interface = library.get<const ModuleInterface>(module_symbol);
  if (std::string_view(interface.build) != module_interface) {
    refuse("it was built from another version of stowage, or by another compiler");
  }
  interface.add_to(catalogue);
  loaded.push_back(std::move(library));
}

void load_module(const fs::path& file, Catalogue& catalogue) {
  check_file_is_trusted(file);
  load_trusted_module(file, catalogue);
}

Modules::Modules(Catalogue& catalogue) : catalogue_(catalogue) {
  try {
    toolchain_ = read_toolchain(toolchain_file());
  } catch (const std::exception&) {
    return;  // toolchain() says so when a command needs it
  }
  for (const Recipe& recipe : toolchain_->strategies) {
    if (catalogue.knows(recipe.name)) continue;
    catalogue.add_strategy(
        {recipe.name, recipe.family(), recipe.source, recipe.summary, std::nullopt, recipe.storage_folder});
  }
}

const Toolchain& Modules::toolchain() const {
  if (!toolchain_) static_cast<void>(read_toolchain(toolchain_file()));  // throws
  return *toolchain_;
}

std::string Modules::add_storage(std::string_view text, const ModuleBench& bench) {
  const Recipe recipe = recipe_of(text);
  if (catalogue_.knows(recipe.name) || recipe.name.starts_with("reference") || recipe.name.starts_with("form")) {
    throw UserError(fmt::format("--storage {}: the name {} is taken; give another: --storage NAME={}", text,
                                recipe.name, shell_word(text.substr(text.find('=') + 1))));
  }
  static_cast<void>(toolchain());  // there is one
  const BuildPlan plan = plan_of_storage(recipe);
  // Every command that takes a storage runs its model, too: both are compiled at once.
  const std::map<std::string, std::string> failures =
      build_modules(plan, {recipe.name, model_name(recipe.name)}, bench);
  if (!failures.empty()) {
    constexpr std::string_view assertion = "static assertion failed: ";
    std::string why = failures.begin()->second;
    // A header may have assertions of its own, which the compiler's words say best.
    if (const std::size_t at = why.find(assertion); at != std::string::npos && why.find("stowage/contract/") < at) {
      why = fmt::format("{} lacks a part of the contract, {}", recipe.template_name, why.substr(at + assertion.size()));
    }
    throw UserError(fmt::format("--storage {}: {}", text, why));
  }
  load_built(plan, recipe.name, bench);
  catalogue_.set_module(recipe.name, module_file(plan.directory, recipe.name).string());
  storages_.push_back(recipe);
  return recipe.name;
}

void Modules::require(const std::vector<std::string>& strategies, ModuleNeed need, const ModuleBench& bench) {
  std::vector<std::string> missing;
  for (const std::string& name : strategies) {
    if (!catalogue_.has_cells(name)) missing.push_back(name);
  }
  for (const auto& [name, file] : load_units(missing, bench)) catalogue_.set_module(name, file.string());
  if (need == ModuleNeed::usual) return;
  missing.clear();
  for (const std::string& name : strategies) {  // a usual module says why there are no cells in the other one
    if (!catalogue_.has_cells_apart(name)) missing.push_back(name);
  }
  const std::map<std::string, fs::path> loaded = load_beside(missing, &apart_name, bench);
  for (const std::string& name : missing) {
    const auto file = loaded.find(apart_name(name));
    if (file != loaded.end()) catalogue_.set_module(name, file->second.string(), true);
  }
}

void Modules::require_models(const std::vector<std::string>& strategies, const ModuleBench& bench) {
  std::vector<std::string> missing;
  for (const std::string& name : strategies) {
    if (catalogue_.model(name) == nullptr) missing.push_back(name);
  }
  static_cast<void>(load_beside(missing, &model_name, bench));
}

std::map<std::string, fs::path> Modules::load_beside(const std::vector<std::string>& strategies,
                                                     std::string (*unit_of_strategy)(const std::string&),
                                                     const ModuleBench& bench) {
  std::vector<std::string> units;
  std::map<std::string, fs::path> loaded;
  for (const std::string& name : strategies) {
    const std::string unit = unit_of_strategy(name);
    const auto own = std::ranges::find(storages_, name, &Recipe::name);
    if (own == storages_.end()) {
      units.push_back(unit);
    } else {
      const BuildPlan plan = plan_of_storage(*own);
      build_and_load(plan, {unit}, bench);
      loaded[unit] = module_file(plan.directory, unit);
    }
  }
  loaded.merge(load_units(units, bench));
  return loaded;
}

void Modules::require_layouts(const std::vector<std::string>& strategies, ModuleNeed need, std::size_t layouts,
                              const ModuleBench& bench) {
  require(strategies, need, bench);
  std::vector<std::string> wanted = strategies;
  for (const std::string& name : strategies) {
    if (need == ModuleNeed::all) wanted.push_back(apart_name(name));
  }
  const auto add_all = [&](const BuildPlan& plan) {
    std::vector<std::string> names;
    for (const SourceUnit& unit : plan.modules) {
      if (!unit.has_layouts || std::ranges::find(wanted, unit.name) == wanted.end()) continue;
      for (std::size_t layout = 1; layout < layouts; ++layout) names.push_back(layout_name(unit.name, layout));
    }
    if (names.empty()) return;  // to Ninja that would mean all there is
    for (const auto& [name, why] : build_modules(plan, names, bench)) {
      throw EnvironmentError(fmt::format("{} cannot be linked: {}", name, why));
    }
    for (const std::string& name : names) {
      Catalogue cells;
      load_module(module_file(plan.directory, name), cells);
      catalogue_.add_layout(cells);
    }
  };
  for (const bool of_the_list : {true, false}) add_all(plan_of(toolchain(), of_the_list));
  for (const Recipe& recipe : storages_) add_all(plan_of_storage(recipe));
}

std::map<std::string, fs::path> Modules::load_units(const std::vector<std::string>& units, const ModuleBench& bench) {
  std::map<std::string, fs::path> loaded;
  if (!toolchain_) {
    if (!units.empty() && has_toolchain_file()) static_cast<void>(toolchain());  // throws: it cannot be used
    return loaded;  // the catalogue has the cells of all that it lists
  }
  for (const bool of_the_list : {true, false}) {
    const BuildPlan plan = plan_of(*toolchain_, of_the_list);
    std::vector<std::string> missing;
    for (const SourceUnit& unit : plan.modules) {
      if (std::ranges::find(units, unit.name) == units.end()) continue;
      const fs::path prebuilt = module_file(toolchain_->modules, unit.name);
      if (of_the_list && toolchain_->modules_are_prebuilt && fs::exists(prebuilt)) {
        load_module(prebuilt, catalogue_);
        loaded[unit.name] = prebuilt;
      } else {
        missing.push_back(unit.name);
        loaded[unit.name] = module_file(plan.directory, unit.name);
      }
    }
    if (!missing.empty()) build_and_load(plan, missing, bench);
  }
  return loaded;
}

void Modules::build_and_load(const BuildPlan& plan, const std::vector<std::string>& units, const ModuleBench& bench) {
  for (const auto& [name, why] : build_modules(plan, units, bench)) {
    throw EnvironmentError(fmt::format("{} cannot be compiled: {}", name, why));
  }
  for (const std::string& unit : units) load_built(plan, unit, bench);
}

void Modules::load_ready() {
  if (!toolchain_) return;
  const BuildPlan plan = plan_of(*toolchain_, false);
  try {
    for (const Recipe& recipe : toolchain_->strategies) {
      const fs::path file = module_file(plan.directory, recipe.name);
      if (recipe.storage_folder.empty() || !fs::exists(file)) continue;
      if (forecast(*toolchain_, plan, {recipe.name}).steps > 0) continue;
      load_module(file, catalogue_);
      catalogue_.set_module(recipe.name, file.string());
    }
  } catch (const CommandError&) {  // a command that needs the cells says what is wrong
  }
}

std::map<std::string, std::string> Modules::build_modules(const BuildPlan& plan, const std::vector<std::string>& names,
                                                          const ModuleBench& bench) const {
  const BuildForecast needed = forecast(*toolchain_, plan, names);
  if (needed.steps == 0) return {};
  if (!needed.stale.empty()) {
    const bool one = needed.stale.size() == 1 || !plan.checks.empty();  // of a storage of the user
    bench.announce(fmt::format("compiling {}, which takes about {}",
                               one ? needed.stale.front() : fmt::format("{} modules", needed.stale.size()),
                               rough_duration(needed.seconds)));
  }
  return build(*toolchain_, plan, names, {bench.stop, bench.progress}).failures;
}

void Modules::load_built(const BuildPlan& plan, const std::string& unit, const ModuleBench& bench) {
  const fs::path file = module_file(plan.directory, unit);
  check_file_is_trusted(file);
  try {
    load_trusted_module(file, catalogue_);
  } catch (const EnvironmentError&) {  // something has damaged it since
    fs::remove(file);
    fs::remove(plan.directory / (unit + ".o"));
    static_cast<void>(build_modules(plan, {unit}, bench));
    load_module(file, catalogue_);
  }
}

}  // namespace stowage::harness
