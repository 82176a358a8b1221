#include "harness/adopt/header_text.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness::adopt {
namespace {

const std::vector<LibraryFile> headers = {
    {"stowage/mine.hpp",
     "#pragma once\n\n// mine: a drawing.\n\n#include <boost/x.hpp>\n#include <vector>\n\nstruct M {};\n"},
    {"stowage/serialize/serialize.hpp", "#pragma once\n#include <tbb/y.h>\nvoid save();\n"}};

Adoption adoption() {
  SemanticsCard card{};
  card.creation_order = promised;
  card.growth = not_promised("it is full");
  return {.strategy = "mine.small",
          .summary = "when there is little",
          .type = "stowage::MineSmall",
          .header = "stowage/mine.hpp",
          .with = {},
          .semantics = card,
          .evidence = "No figures.\n",
          .version = "1.2.3 (abc)"};
}

TEST_CASE("a header says what it is, what it needs and what it promises before its first line of code") {
  const std::string text = header_text(adoption(), headers);
  const std::string documentation = text.substr(0, text.find("#pragma once"));
  for (const char* said :
       {"stowage 1.2.3 (abc)", "stowage adopt mine.small --out", "stowage::MineSmall<Schema>    when there is little",
        "stowage::MineSmall<Scene> scene;", "Boost 1.81 or newer, headers only: <boost/x.hpp>", "// mine: a drawing.",
        "creation_order                     yes", "growth                             no: it is full", "No figures.",
        "MIT License", "WITHOUT WARRANTY OF ANY KIND"}) {
    CHECK_THAT(documentation, ContainsSubstring(said));
  }
  CHECK_THAT(text, ContainsSubstring("\n#include <vector>\n\n#include <boost/x.hpp>\n"));
  CHECK_THAT(text, !ContainsSubstring("serialize"));
  CHECK(text.find("a drawing") == text.rfind("a drawing"));
}

TEST_CASE("companions are named, and bring what they need") {
  Adoption with = adoption();
  with.with = {companions().front()};
  const std::string text = header_text(with, headers);
  CHECK_THAT(text, ContainsSubstring("adopt mine.small --with serialize --out"));
  CHECK_THAT(text, ContainsSubstring("oneTBB, to be linked: <tbb/y.h>"));
  CHECK_THAT(text, ContainsSubstring("void save();"));
}

TEST_CASE("an adopted header is known by its beginning") {
  CHECK(is_adopted_header(header_text(adoption(), headers)));
  CHECK_FALSE(is_adopted_header("#pragma once\n"));
  CHECK_FALSE(is_adopted_header(""));
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
