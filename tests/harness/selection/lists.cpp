#include "harness/selection/lists.hpp"

#include <string>
#include <vector>

#include "harness/errors.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("k is 1024 and M is 1048576") {
  CHECK(parse_entities("1k,16k,1M,100") == std::vector<std::size_t>{100, 1024, 16384, 1048576});
  CHECK(parse_entities("2K") == std::vector<std::size_t>{2048});
}

TEST_CASE("sizes are sorted, and said twice counts once") {
  CHECK(parse_entities("16k,1k,1024") == std::vector<std::size_t>{1024, 16384});
}

TEST_CASE("sizes that cannot be are refused, naming them and what would be accepted") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"0", "at least 1"},
      {"0k", "at least 1"},
      {"-5", "not a number"},
      {"abc", "not a number"},
      {"", "not a number"},
      {"k", "not a number"},
      {"1k,,2k", "not a number"},
      {"1.5k", "not a number"},
      {"16 k", "not a number"},
      {"4294967296", "index bits"},
      {"4096M", "index bits"},
      {"99999999999999999999999999", "index bits"},
  }));
  CAPTURE(text);
  CHECK_THROWS_AS(parse_entities(text), UserError);
  CHECK_THROWS_WITH(parse_entities(text), ContainsSubstring("--entities") && ContainsSubstring(reason));
}

TEST_CASE("as many entities as the handle has indices are accepted") {
  CHECK(parse_entities("4294967295") == std::vector<std::size_t>{4294967295});
}

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

TEST_CASE("a shard is I/N, counted from 1") {
  const Shard shard = parse_shard("2/4");
  CHECK(shard.name() == "2/4");
  CHECK_FALSE(shard.takes(0));
  CHECK(shard.takes(1));
  CHECK(shard.takes(5));
  const std::string wrong = GENERATE("0/4", "5/4", "2", "/", "a/b", "2/4/8", "-1/4", "");
  CAPTURE(wrong);
  CHECK_THROWS_AS(parse_shard(wrong), UserError);
}

TEST_CASE("an empty part of a list stays, to be refused by its reader") {
  CHECK(split_list("a,,b") == std::vector<std::string>{"a", "", "b"});
  CHECK(split_list("") == std::vector<std::string>{""});
}

}  // namespace
}  // namespace stowage::harness
