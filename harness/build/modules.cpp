// Which modules there are, the source that each is generated from, and how commands build and load what they need.
#include "harness/build/modules.hpp"

#include <fmt/format.h>

#define BOOST_DLL_USE_STD_FS

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cctype>
#include <iostream>
#include <iterator>
#include <system_error>
#include <utility>

#include "harness/build/module.hpp"
#include "harness/build/trust.hpp"
#include "harness/errors.hpp"
#include "harness/system/document.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// A string literal of C++.
std::string literal(const std::string& text) { return "R\"stowage(" + text + ")stowage\""; }

constexpr const char* hand_written = "reference";
/// The module that compares a strategy with the reference model, and has its card. It is apart from what is measured,
/// because only `verify` runs it.
std::string model_of(const std::string& strategy) { return module_of(strategy, "model"); }

/// A module that adds something to the catalogue.
std::string module_source(const std::string& includes, const std::string& before, const std::string& body) {
  return fmt::format(R"source(// Written by stowage.
{}
#include "harness/build/module.hpp"

namespace stowage::harness {{

{}static void add_to(Catalogue& catalogue) {{
{}
}}

}}  // namespace stowage::harness

STOWAGE_EXPORT_MODULE(&stowage::harness::add_to);
)source",
                     includes, before, body);
}

std::string alias_of(const Recipe& recipe) {
  return fmt::format("template <class SchemaType>\nusing Strategy_{} = {}<SchemaType>;\n\n", cpp_name_of(recipe.name),
                     recipe.template_name);
}

/// The catalogue's entry of a strategy, as C++.
std::string entry_of(const Recipe& recipe) {
  return fmt::format("{{{}, {}, {}, {}, std::nullopt, {}}}", literal(recipe.name), literal(recipe.family()),
                     literal(recipe.source), literal(recipe.summary), literal(recipe.storage_folder));
}

SourceUnit unit_of(const Recipe& recipe, const std::string& unit) {
  std::string before = alias_of(recipe);
  std::string is_wanted = "every_workload";
  if (!recipe.workloads.empty()) {
    is_wanted = "is_wanted";
    before += "static constexpr bool is_wanted(std::string_view workload) {\n  return false";
    for (const std::string& workload : recipe.workloads) before += fmt::format(" || workload == \"{}\"", workload);
    before += ";\n}\n\n";
  }
  return {.name = module_of(recipe.name, unit),
          .text = module_source(
              fmt::format("#include <{}>\n\n#include \"harness/bind.hpp\"\n#include \"workloads/unit_{}.hpp\"",
                          recipe.header, unit),
              before,
              fmt::format("  bind_strategy<Strategy_{}, {}, {}>(catalogue, {},\n      workloads::Unit_{}{{}});",
                          cpp_name_of(recipe.name), recipe.name == recipe.family(), is_wanted, entry_of(recipe), unit)),
          .compile_flags = recipe.compile_flags,
          .link_flags = recipe.link_flags,
          .has_layouts = true};
}

SourceUnit references_of(const std::string& unit) {
  return {.name = module_of(hand_written, unit),
          .text = module_source(fmt::format("#include \"harness/bind.hpp\"\n#include \"workloads/unit_{}.hpp\"", unit),
                                "", fmt::format("  bind_references(catalogue, workloads::Unit_{}{{}});", unit))};
}

SourceUnit model_unit_of(const Recipe& recipe) {
  return {
      .name = model_of(recipe.name),
      .text = module_source(fmt::format("#include <{}>\n\n#include \"harness/card.hpp\"\n"
                                        "#include \"workloads/verify/random_work.hpp\"",
                                        recipe.header),
                            alias_of(recipe),
                            fmt::format("  catalogue.add_strategy(with_card<Strategy_{0}<ProbeSchema>>({1}));\n"
                                        "  catalogue.set_model({2}, &workloads::verify::check_model<Strategy_{0}>);",
                                        cpp_name_of(recipe.name), entry_of(recipe), literal(recipe.name))),
      .compile_flags = recipe.compile_flags,
      .link_flags = recipe.link_flags};
}

std::vector<SourceUnit> modules_of(const Recipe& recipe, const std::vector<std::string>& units) {
  std::vector<SourceUnit> modules{model_unit_of(recipe)};
  for (const std::string& unit : units) modules.push_back(unit_of(recipe, unit));
  return modules;
}

/// Asserts what the contract asks of a storage, before all workloads are compiled for it.
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
BuildPlan plan_of(const Toolchain& toolchain, bool of_the_list, const std::vector<std::string>& units) {
  BuildPlan plan;
  if (!of_the_list) {
    plan.directory = toolchain.file.parent_path() / "modules";
  } else if (!toolchain.modules_are_prebuilt || toolchain.is_of_another_system) {
    plan.directory = toolchain.modules;
  } else {
    plan.root = build_cache();
    plan.directory = plan.root / "modules" / fingerprint(toolchain.file.string() + "\n" + module_interface);
    plan.prebuilt = toolchain.modules;
  }
  if (of_the_list) std::ranges::transform(units, std::back_inserter(plan.modules), references_of);
  for (const Recipe& recipe : toolchain.strategies) {
    if (recipe.storage_folder.empty() != of_the_list) continue;
    std::ranges::move(modules_of(recipe, units), std::back_inserter(plan.modules));
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

/// The first colon in `FILE:TYPE` that is no part of `::`.
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
  if (colon == std::string_view::npos || colon == 0) throw UserError(form, text);
  const fs::path file = fs::absolute(fs::path(place.substr(0, colon))).lexically_normal();
  const std::string type(place.substr(colon + 1));
  if (!is_type(type)) throw UserError(form, text);
  if (!fs::is_regular_file(file)) {
    throw UserError("--storage {}: {} {}", text,
                    fs::is_directory(file) ? "no header, but a directory:" : "there is no file", file.string());
  }
  if (!has_format(file.string(), "header") || file.string().find('>') != std::string::npos) {
    throw UserError(
        "--storage {}: C++ includes no file with a quotation mark, > or a control character in its path; rename it: {}",
        text, file.string());
  }
  const std::string name = equals == text.size() ? name_of_type(type) : std::string(text.substr(0, equals));
  if (!is_name(name)) {
    throw UserError(
        "--storage {}: '{}' cannot be a name; give one of lower-case letters, digits and _: --storage NAME={}", text,
        name, shell_word(place));
  }
  return {.name = name,
          .header = file.string(),
          .template_name = type,
          .source = "yours",
          .summary = fmt::format("{} of {}", type, file.filename().string()),
          .compile_flags = {"-I" + file.parent_path().string()},
          .storage_folder = file.parent_path().string()};
}

/// A user's storage has a directory of its own for each file, type and version of stowage.
BuildPlan plan_of_storage(const Recipe& recipe, const std::vector<std::string>& units) {
  const std::string key = fmt::format("{}\n{}\n{}", recipe.header, recipe.template_name, module_interface);
  return {.directory = build_cache() / "storages" / fingerprint(key),
          .root = build_cache(),
          .checks = {check_of(recipe)},
          .modules = modules_of(recipe, units)};
}

bool has_toolchain_file() {
  try {
    return fs::exists(toolchain_file());
  } catch (const EnvironmentError&) {
    return false;
  }
}

}  // namespace

std::string module_of(const std::string& strategy, const std::string& unit) { return strategy + "-" + unit; }

void load_trusted_module(const fs::path& file, Catalogue& catalogue) {
  const auto refuse = [&](const std::string& why) {
    throw EnvironmentError("cannot load {}: {}; build or install stowage again", file.string(), why);
  };
  if (!fs::exists(file)) refuse("there is no such file");
  if (!is_whole_library(file)) refuse("it is damaged");
  std::error_code error;
  static std::vector<boost::dll::shared_library> loaded;
  boost::dll::shared_library library;
  library.load(file, error, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
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

std::string Modules::add_storage(std::string_view text) {
  const Recipe recipe = recipe_of(text);
  if (catalogue_.knows(recipe.name) || recipe.name.starts_with("reference") || recipe.name.starts_with("form")) {
    throw UserError("--storage {}: the name {} is taken; give another: --storage NAME={}", text, recipe.name,
                    shell_word(text.substr(text.find('=') + 1)));
  }
  static_cast<void>(toolchain());  // there is one
  const BuildPlan plan = plan_of_storage(recipe, units());
  const std::map<std::string, std::string> failures = build_modules(plan, {model_of(recipe.name)});
  if (!failures.empty()) {
    constexpr std::string_view assertion = "static assertion failed: ";
    std::string why = failures.begin()->second;
    // A header may have assertions of its own, which the compiler's words say best.
    if (const std::size_t at = why.find(assertion); at != std::string::npos && why.find("stowage/contract/") < at) {
      why = fmt::format("{} lacks a part of the contract, {}", recipe.template_name, why.substr(at + assertion.size()));
    }
    throw UserError("--storage {}: {}", text, why);
  }
  storages_.push_back(recipe);
  load({model_of(recipe.name)});
  return recipe.name;
}

std::vector<std::string> Modules::units() const {
  std::vector<std::string> units;
  for (const WorkloadEntry& workload : catalogue_.workloads()) {
    const std::string& unit = workload.unit;
    if (unit.empty() || units_of_others_.contains(unit) || std::ranges::find(units, unit) != units.end()) continue;
    units.push_back(unit);
  }
  return units;
}

std::vector<BuildPlan> Modules::plans() const {
  if (!toolchain_) return {};
  const std::vector<std::string> all = units();
  std::vector<BuildPlan> plans{plan_of(*toolchain_, true, all), plan_of(*toolchain_, false, all)};
  for (const Recipe& recipe : storages_) plans.push_back(plan_of_storage(recipe, all));
  plans.insert(plans.end(), others_.begin(), others_.end());
  return plans;
}

void Modules::add_workloads(std::vector<WorkloadEntry> workloads, const std::vector<Recipe>& yardsticks,
                            BuildPlan plan) {
  for (const Recipe& yardstick : yardsticks) {
    StrategyEntry entry{yardstick.name, "yardstick", yardstick.source, yardstick.summary, std::nullopt};
    entry.always_measured = true;
    catalogue_.add_strategy(std::move(entry));
  }
  for (WorkloadEntry& workload : workloads) {
    units_of_others_.insert(workload.unit);
    catalogue_.add_workload(std::move(workload));
  }
  others_.push_back(std::move(plan));
}

std::string Modules::module_with(const std::string& strategy, const std::string& unit) const {
  if (unit.empty()) return {};
  const auto is_listed = [&](const std::vector<Recipe>& recipes) {
    return std::ranges::find(recipes, strategy, &Recipe::name) != recipes.end();
  };
  if ((toolchain_ && is_listed(toolchain_->strategies)) || is_listed(storages_)) return module_of(strategy, unit);
  return module_of(units_of_others_.contains(unit) ? strategy : hand_written, unit);
}

void Modules::require(const std::vector<std::string>& strategies, const std::vector<std::string>& units) {
  std::vector<std::string> modules;
  for (const std::string& unit : units) {
    if (unit.empty()) continue;  // of this program
    for (const std::string& name : strategies) modules.push_back(module_with(name, unit));
  }
  load(modules);
  for (const std::string& unit : units) {
    for (const std::string& name : strategies) {
      const auto loaded = loaded_.find(module_with(name, unit));
      if (loaded != loaded_.end()) catalogue_.set_module(name, unit, loaded->second.string());
    }
  }
}

void Modules::require_models(const std::vector<std::string>& strategies) {
  std::vector<std::string> missing;
  for (const std::string& name : strategies) {
    if (catalogue_.model(name) == nullptr) missing.push_back(model_of(name));
  }
  load(missing);
}

void Modules::require_layouts(const std::vector<std::string>& strategies, const std::vector<std::string>& units,
                              std::size_t layouts) {
  require(strategies, units);
  std::vector<std::string> wanted;
  for (const std::string& unit : units) {
    for (const std::string& name : strategies) wanted.push_back(module_of(name, unit));
  }
  for (const BuildPlan& plan : plans()) {
    std::vector<std::string> names;
    for (const SourceUnit& unit : plan.modules) {
      if (!unit.has_layouts || std::ranges::find(wanted, unit.name) == wanted.end()) continue;
      for (std::size_t layout = 1; layout < layouts; ++layout) names.push_back(layout_name(unit.name, layout));
    }
    if (names.empty()) continue;  // to Ninja that would mean all there is
    for (const auto& [name, why] : build_modules(plan, names)) {
      throw EnvironmentError("{} cannot be linked: {}", name, why);
    }
    for (const std::string& name : names) {
      Catalogue cells;
      take(module_file(plan.directory, name), cells);
      catalogue_.add_layout(cells);
    }
  }
}

void Modules::load(const std::vector<std::string>& modules) {
  if (!toolchain_ && !modules.empty() && has_toolchain_file()) static_cast<void>(toolchain());  // throws
  for (const BuildPlan& plan : plans()) {
    std::vector<std::string> missing;
    for (const SourceUnit& unit : plan.modules) {
      if (std::ranges::find(modules, unit.name) == modules.end() || loaded_.contains(unit.name)) continue;
      const fs::path prebuilt = module_file(plan.prebuilt, unit.name);
      if (!plan.prebuilt.empty() && fs::exists(prebuilt)) {
        take(prebuilt, catalogue_);
        loaded_[unit.name] = prebuilt;
      } else {
        missing.push_back(unit.name);
      }
    }
    if (missing.empty()) continue;
    for (const auto& [name, why] : build_modules(plan, missing)) {
      throw EnvironmentError("{} cannot be compiled: {}", name, why);
    }
    for (const std::string& name : missing) {
      if (!toolchain_->is_of_another_system) load_built(plan, name);
      loaded_[name] = module_file(plan.directory, name);
    }
  }
}

void Modules::load_ready() {
  if (!toolchain_) return;
  const BuildPlan plan = plan_of(*toolchain_, false, units());
  try {
    for (const Recipe& recipe : toolchain_->strategies) {
      const fs::path file = module_file(plan.directory, model_of(recipe.name));
      if (recipe.storage_folder.empty() || !fs::exists(file)) continue;
      if (forecast(*toolchain_, plan, {model_of(recipe.name)}).steps > 0) continue;
      load_module(file, catalogue_);
      loaded_[model_of(recipe.name)] = file;
    }
  } catch (const CommandError&) {  // a command that needs the cells says what is wrong
  }
}

std::map<std::string, std::string> Modules::build_modules(const BuildPlan& plan,
                                                          const std::vector<std::string>& names) const {
  if (frozen_at_) return {};
  const InterruptGuard guard;
  const BuildForecast needed = forecast(*toolchain_, plan, names);
  if (needed.steps == 0) return {};
  if (!needed.stale.empty()) {
    const auto strategy_of = [](const std::string& module) { return module.substr(0, module.find('-')); };
    const std::string first = strategy_of(needed.stale.front());
    const bool is_one = std::ranges::all_of(needed.stale, [&](const auto& name) { return strategy_of(name) == first; });
    say("compiling {}, which takes about {}", is_one ? first : fmt::format("{} modules", needed.stale.size()),
        rough_duration(needed.seconds));
  }
  StatusLine status(std::cerr, stderr_is_terminal());
  const auto progress = [&status](std::size_t done, std::size_t of) {
    status.show(fmt::format("compiling: {} of {} steps", done, of));
  };
  return build(*toolchain_, plan, names, {InterruptGuard::interrupted, progress}).failures;
}

void Modules::take(const fs::path& file, Catalogue& catalogue) {
  load_module(file, catalogue);
  newest_ = std::max(newest_, fs::last_write_time(file));
  if (newest_ <= frozen_at_.value_or(newest_)) return;
  throw EnvironmentError("{} was compiled again while it was measured; start another run", file.string());
}

void Modules::load_built(const BuildPlan& plan, const std::string& unit) {
  const fs::path file = module_file(plan.directory, unit);
  check_file_is_trusted(file);
  try {
    take(file, catalogue_);
  } catch (const EnvironmentError&) {  // something has damaged it since
    if (frozen_at_) throw;
    fs::remove(file);
    fs::remove(plan.directory / (unit + ".o"));
    static_cast<void>(build_modules(plan, {unit}));
    take(file, catalogue_);
  }
}

}  // namespace stowage::harness
