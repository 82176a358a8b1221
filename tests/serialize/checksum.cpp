#include <stowage/serialize/checksum.hpp>

#include "tests/support/catch.hpp"

namespace stowage::serialize {
namespace {

std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(1 + i * 7 + i / 251);
  return bytes;
}

}  // namespace

TEST_CASE("vector registers sum up to what words do") {
  const auto bytes = numbered(Checksum::block_bytes * 5);
  Checksum by_vectors;
  Checksum by_words;
  by_vectors.add_blocks(bytes.data(), 5);
  by_words.add_words(bytes.data(), 5);  // as add_blocks() does without AVX2
  CHECK(by_vectors.finish(nullptr, 0) == by_words.finish(nullptr, 0));
  CHECK(by_vectors.finish(nullptr, 0) != Checksum().finish(nullptr, 0));
  const auto tail = numbered(13);
  Checksum in_pieces;
  in_pieces.add_blocks(bytes.data(), 2);
  in_pieces.add_blocks(bytes.data() + 2 * Checksum::block_bytes, 3);
  CHECK(in_pieces.finish(tail.data(), 13) == [&] {
    Checksum whole;
    whole.add_blocks(bytes.data(), 5);
    return whole.finish(tail.data(), 13);
  }());
}

TEST_CASE(
    "what is summed up while it is copied is copied, in whatever pieces it comes, and summed up as a whole if it is "
    "not") {
  const auto bytes = numbered(3 * SectionSum::piece_bytes + 100);
  const std::uint64_t expected = checksum_of(bytes.data(), bytes.size());
  for (const std::size_t piece : {1u, 12u, 255u, 256u, 257u, 5'000u, 16'383u, 16'384u, 16'640u, 40'000u, 60'000u}) {
    INFO(piece);
    std::vector<std::byte> copied(bytes.size() + 1);
    SectionSum of_source(bytes.data());
    SectionSum of_copy(copied.data());
    for (std::size_t done = 0; done < bytes.size();) {
      const std::size_t count = std::min(piece, bytes.size() - done);
      of_source.copy(bytes.data() + done, copied.data() + done, count);
      of_copy.advance(count);
      done += count;
    }
    CHECK(std::equal(bytes.begin(), bytes.end(), copied.begin()));
    CHECK(copied.back() == std::byte{0});
    CHECK(of_source.finish() == expected);
    CHECK(of_copy.finish() == expected);
  }
  std::vector<std::byte> copied(bytes.size());
  for (const std::size_t count : {100u, 20'000u, 20'001u}) {
    SectionSum sum(bytes.data());
    sum.copy(bytes.data(), copied.data(), count);
    sum.advance(bytes.size() - count);
    CHECK(sum.finish() == expected);
  }
}

TEST_CASE("files keep their checksums from one version of the library to the next") {
  CHECK(checksum_of(nullptr, 0) == 0x86011fa0cb5891ec);
  const auto bytes = numbered(1'000);
  CHECK(checksum_of(bytes.data(), bytes.size()) == 0x6598aa137e87a2b8);
}

TEST_CASE("no bit, no length and no exchange of words is without effect") {
  auto bytes = numbered(Checksum::block_bytes * 2 + 40);
  std::set<std::uint64_t> sums{checksum_of(bytes.data(), bytes.size())};
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
    CHECK(sums.insert(checksum_of(bytes.data(), bytes.size())).second);
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
  }
  for (std::size_t count = 0; count < bytes.size(); ++count)
    CHECK(sums.insert(checksum_of(bytes.data(), count)).second);
  const std::vector<std::byte> zeros(600);
  for (std::size_t count = 1; count < zeros.size(); ++count)
    CHECK(sums.insert(checksum_of(zeros.data(), count)).second);
  for (std::size_t word = 0; word + 16 <= bytes.size(); word += 8) {
    auto exchanged = bytes;
    for (std::size_t i = 0; i < 8; ++i) std::swap(exchanged[word + i], exchanged[word + 8 + i]);
    CHECK(sums.insert(checksum_of(exchanged.data(), exchanged.size())).second);
  }
}

}  // namespace stowage::serialize
