#include "workloads/verify/random_work.hpp"

#include <array>
#include <cstring>

#include "workloads/support/random.hpp"

namespace stowage::workloads::verify {
namespace {

constexpr std::size_t wave_length = 12'000;
constexpr std::size_t audit_every = 1'500;

/// Weights of the kinds, in the order of the enumeration.
using Weights = std::array<unsigned, kind_count>;
constexpr Weights growing{6, 20, 12, 2, 6, 4, 24, 10, 16, 0, 0, 1, 4, 8, 2, 4};
constexpr Weights declining{2, 3, 3, 0, 44, 6, 12, 14, 16, 0, 0, 1, 4, 8, 2, 4};

Kind draw(workloads::Random& random, const Weights& weights) {
  unsigned total = 0;
  for (const unsigned weight : weights) total += weight;
  auto drawn = static_cast<unsigned>(random.below(total));
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    if (drawn < weights[kind]) return static_cast<Kind>(kind);
    drawn -= weights[kind];
  }
  return Kind::audit;
}

}  // namespace

const char* name_of(Kind kind) noexcept {
  static constexpr std::array<const char*, kind_count> names{
      "create_empty", "create_group", "create_partial", "create_bulk", "destroy", "destroy_stale",
      "emplace",      "remove",       "look_up",        "clear",       "audit",   "collect",
      "batch",        "toggle",       "change_list",    "write"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Operation> random_operations(std::uint64_t seed, std::size_t count) {
  workloads::Random random(seed);
  std::vector<Operation> operations;
  operations.reserve(count);
  while (operations.size() < count) {
    const std::size_t done = operations.size();
    Kind kind = draw(random, done / wave_length % 2 == 0 ? growing : declining);
    if (done % audit_every == audit_every - 1) kind = Kind::audit;
    if (done % (4 * wave_length) == 4 * wave_length - 1) kind = Kind::clear;
    operations.push_back({kind, static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32)),
                          static_cast<std::uint32_t>(random.below(1'000'000))});
  }
  return operations;
}

std::vector<Operation> decode_operations(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::size_t record_bytes = 9;
  std::vector<Operation> operations;
  for (; size >= record_bytes; bytes += record_bytes, size -= record_bytes) {
    Operation operation;
    operation.kind = static_cast<Kind>(bytes[0] % kind_count);
    std::memcpy(&operation.pick, bytes + 1, sizeof operation.pick);
    std::memcpy(&operation.value, bytes + 5, sizeof operation.value);
    operations.push_back(operation);
  }
  return operations;
}

std::string describe(const Mismatch& mismatch, const std::vector<Operation>& operations, std::size_t position) {
  const std::string& text = mismatch.message();
  if (position == operations.size()) return text + " after the last of " + std::to_string(position) + " operations";
  const Operation& operation = operations[position];
  return text + " at operation " + std::to_string(position) + " of " + std::to_string(operations.size()) + ", " +
         name_of(operation.kind) + " (pick " + std::to_string(operation.pick) + ", value " +
         std::to_string(operation.value) + ")";
}

}  // namespace stowage::workloads::verify
