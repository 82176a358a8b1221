#include "harness/adopt/header.hpp"

#include "harness/adopt/game_schema.hpp"
#include "harness/text.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::adopt {
namespace {

const std::vector<LibraryFile> library = {
    {"stowage/a.hpp",
     "#pragma once\n\n// a: the first.\n//     a drawing\n\n#include <map>\n\n#include <stowage/b.hpp>\n"
     "#include <stowage/parts/c.hpp>\n\n/// Of A.\nstruct A : B, C {};\n"},
    {"stowage/b.hpp", "#pragma once\n#include <boost/x.hpp>\n#include <stowage/parts/c.hpp>\nstruct B {};\n"},
    {"stowage/parts/c.hpp",
     "#pragma once\n\n#if defined(WIDE)\n#include <immintrin.h>\n#endif\n#include <vector>\n\n/// Of C.\n\nstruct C "
     "{};\n"}};

Amalgamation amalgamate_a() { return amalgamate(library, std::vector<std::string>{"stowage/a.hpp"}); }

TEST_CASE("headers of the closure come once, after what they need, without comments and includes from elsewhere") {
  const Amalgamation all = amalgamate_a();
  CHECK(names_of(all.parts, &Part::path) ==
        std::vector<std::string>{"stowage/parts/c.hpp", "stowage/b.hpp", "stowage/a.hpp"});
  CHECK(all.standard == std::set<std::string>{"map", "vector"});
  CHECK(all.third_party == std::set<std::string>{"boost/x.hpp"});
  CHECK(all.parts[0].code == "#if defined(WIDE)\n#include <immintrin.h>\n#endif\n\n/// Of C.\n\nstruct C {};\n");
  CHECK(all.parts[2].comment == "// a: the first.\n//     a drawing\n");
  CHECK(all.parts[2].code == "/// Of A.\nstruct A : B, C {};\n");
  CHECK(all.parts[0].comment.empty());
}

TEST_CASE("a part has the same digest for every includer, and another if a letter changed") {
  const Amalgamation alone = amalgamate(library, std::vector<std::string>{"stowage/parts/c.hpp"});
  CHECK(guarded(alone.parts[0]) == guarded(amalgamate_a().parts[0]));
  std::vector<LibraryFile> changed = library;
  const std::string text = std::string(library[2].text) + "// more\n";
  changed[2].text = text;
  CHECK(amalgamate(changed, std::vector<std::string>{"stowage/parts/c.hpp"}).parts[0].digest != alone.parts[0].digest);
}

TEST_CASE("what does not fit into one header is refused by name") {
  const auto message_for = [](const char* text) {
    const std::vector<LibraryFile> files = {{"stowage/a.hpp", text}, {"stowage/b.hpp", ""}};
    try {
      static_cast<void>(amalgamate(files, std::vector<std::string>{"stowage/a.hpp"}));
    } catch (const AmalgamationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(message_for("#include <stowage/gone.hpp>\n"),
             ContainsSubstring("stowage/gone.hpp, wanted by stowage/a.hpp"));
  CHECK_THAT(message_for("#ifdef X\n#include <stowage/b.hpp>\n#endif\n"), ContainsSubstring("under a condition"));
  CHECK_THAT(message_for("#include \"b.hpp\"\n"), ContainsSubstring("relative name"));
  CHECK(message_for("#ifdef X\n#endif\n#include <stowage/b.hpp>\n").empty());
}

TEST_CASE("a type of the game keeps its name, whatever a component before it is called") {
  GameSchema game{.game = "a game", .strategy = "hybrid", .components = {}, .schema = {}};
  for (const auto& [name, type] : {std::pair("health", ""), std::pair("hp", "Health"), std::pair("all", "Storage")}) {
    GameSchema::Component component;
    component.name = name;
    component.type = type;
    game.components.push_back(component);
    game.schema.push_back({"", {name}});
  }
  const std::string text = game_schema_text(game, "stowage::Hybrid");
  CHECK_THAT(text,
             ContainsSubstring("Health_, Health, Storage") || ContainsSubstring("Health_,\n    Health,\n    Storage"));
}

TEST_CASE("nothing that a results file may hold ends a comment") {
  CHECK(commented("a\n\nb") == "// a\n//\n// b\n");
  CHECK(commented("ends with \\\n#error") == "// ends with ?\n// #error\n");
  CHECK(commented("ends with \\   \nx") == "// ends with ?\n// x\n");
  CHECK(commented("a\rint b;\vc\x7f"
                  "d\t\xe2\x80\xae") == "// a?int b;?c?d????\n");
  CHECK(commented("").empty());
}

}  // namespace
}  // namespace stowage::harness::adopt
