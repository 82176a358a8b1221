#include "harness/text.hpp"

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("sizes are printed as they are typed") {
  CHECK(entities_text(1024) == "1k");
  CHECK(entities_text(4194304) == "4M");
  CHECK(entities_text(1000) == "1000");
}

TEST_CASE("a count is a whole number with or without a unit") {
  CHECK(parse_count("40k") == 40960U);
  CHECK(parse_count("18014398509481983k") == 18446744073709550592U);
  const std::string wrong = GENERATE("", "k", "-1", "+1", "1.5", "1 k", "1kB", "18014398509481984k");
  CAPTURE(wrong);
  CHECK_FALSE(parse_count(wrong));
}

TEST_CASE("bytes have units that go by 1024") {
  const auto [text, bytes] = GENERATE(table<std::string, std::uint64_t>({
      {"5", 5},
      {"5B", 5},
      {"5kB", 5120},
      {"5KB", 5120},
      {"5 KiB", 5120},
      {"64MB", 67108864},
      {"64MiB", 67108864},
      {"2  GB", 2147483648},
      {"2GiB", 2147483648},
  }));
  CAPTURE(text);
  CHECK(parse_bytes(text) == bytes);
  const std::string wrong = GENERATE("", "MB", "5M", "5k", "5 bytes", "5 MBB", "-5MB", "1.5GB", "17179869184GB");
  CAPTURE(wrong);
  CHECK_FALSE(parse_bytes(wrong));
}

TEST_CASE("an empty part of a list stays, to be refused by its reader") {
  CHECK(split_list("a,,b") == std::vector<std::string>{"a", "", "b"});
  CHECK(split_list("") == std::vector<std::string>{""});
}

TEST_CASE("the edit distance counts insertions, deletions, substitutions and swaps as one each") {
  CHECK(edit_distance("join", "join") == 0);
  CHECK(edit_distance("join", "joint") == 1);
  CHECK(edit_distance("join", "oin") == 1);
  CHECK(edit_distance("join", "jain") == 1);
  CHECK(edit_distance("join", "jion") == 1);
  CHECK(edit_distance("", "join") == 4);
  CHECK(edit_distance("ca", "abc") == 3);
}

TEST_CASE("the nearest name is suggested while it could be a slip") {
  const std::vector<std::string> names = {"point_mass", "join", "lookup"};
  CHECK(suggestion("jion", names, "see the list") == "; did you mean 'join'?");
  CHECK(suggestion("pointmass", names, "see the list") == "; did you mean 'point_mass'?");
  CHECK(suggestion("hierarchy", names, "see the list") == "; see the list");
  CHECK(suggestion("x", {}, "see the list") == "; see the list");
}

TEST_CASE("a command line is taken apart into its words again") {
  const std::vector<std::string> words = {"stowage", "",  "it's",    "$(touch x)", "`y` \"z\"",
                                          "a\\b",    ";", "--cells", "'",          "\n"};
  CHECK(parse_shell_line(shell_line(words)) == words);
  CHECK(shell_line({"run", "--out=results/a-b_1.x", "1k,2k"}) == "run --out=results/a-b_1.x 1k,2k");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_path("-x y") == "'./-x y'");
  CHECK(parse_shell_line(R"( "a\"b"\ c  'd' )") == std::vector<std::string>{"a\"b c", "d"});
  CHECK_FALSE(parse_shell_line("it's"));
  CHECK_FALSE(parse_shell_line("x\\"));
}

TEST_CASE("what is shown moves no cursor") {
  CHECK(on_terminal("\x1b[2J a\nb\x7f") == "\\x1b[2J a\\x0ab\\x7f");
  CHECK(on_terminal("\u009b1m") == "\\x9b1m");
  CHECK(on_terminal("µs – ä") == "µs – ä");
}

}  // namespace
}  // namespace stowage::harness
