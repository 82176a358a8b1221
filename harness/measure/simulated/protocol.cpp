#include "harness/measure/simulated/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "harness/text.hpp"

namespace stowage::harness {
namespace {

constexpr char separator = '\t';
constexpr std::string_view warm = "warm";
constexpr std::string_view cold = "cold";
constexpr std::string_view done = "done";
constexpr std::string_view failed = "failed";
constexpr std::string_view built = "stowage";

[[noreturn]] void refuse(std::string_view line) {
  throw std::invalid_argument(fmt::format("'{}' is no line of the simulation", line));
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::string_view rest = line;;) {
    const std::size_t end = rest.find(separator);
    fields.push_back(rest.substr(0, end));
    if (end == std::string_view::npos) return fields;
    rest.remove_prefix(end + 1);
  }
}

template <class Number>
Number number_in(std::string_view text) {
  const std::optional<Number> number = parse_number<Number>(text);
  if (!number) refuse(text);
  return *number;
}

/// A message may hold anything; a field is one word group of one line.
std::string as_field(std::string text) {
  std::ranges::replace_if(text, [](char character) { return character == separator || character == '\n'; }, ' ');
  return text;
}

}  // namespace

std::string line_of(const SimulationRequest& request) {
  std::string line = fmt::format("{}\t{}\t{}\t{}", request.cold ? cold : warm, request.workload, request.strategy,
                                 request.parameters.entities);
  for (const workloads::Parameter& parameter : request.parameters.values) {
    line += fmt::format("\t{}\t{}", parameter.key, parameter.value);
  }
  return line;
}

std::string line_of(const SimulationAnswer& answer) {
  if (!answer.error.empty()) return fmt::format("{}\t{}", failed, as_field(answer.error));
  return fmt::format("{}\t{}\t{}\t{}", done, answer.process, answer.items, answer.checksum);
}

std::string line_of(const Build& build) {
  return fmt::format("{}\t{}\t{}\t{}\t{}", built, build.version, build.compiler, build.flags, build.commit);
}

SimulationRequest parse_request(std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line);
  const bool is_known = fields[0] == warm || fields[0] == cold;
  if (!is_known || fields.size() < 4 || fields.size() % 2 != 0) refuse(line);
  SimulationRequest request{.workload = std::string(fields[1]),
                            .strategy = std::string(fields[2]),
                            .parameters = {.entities = number_in<std::size_t>(fields[3]), .values = {}},
                            .cold = fields[0] == cold};
  for (std::size_t field = 4; field < fields.size(); field += 2) {
    request.parameters.values.push_back({std::string(fields[field]), std::string(fields[field + 1])});
  }
  return request;
}

SimulationAnswer parse_answer(std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields[0] == failed && fields.size() == 2) return {.error = std::string(fields[1])};
  if (fields[0] != done || fields.size() != 4) refuse(line);
  return {.process = number_in<std::int64_t>(fields[1]),
          .items = number_in<std::uint64_t>(fields[2]),
          .checksum = number_in<std::uint64_t>(fields[3])};
}

Build parse_build(std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields[0] != built || fields.size() != 5) refuse(line);
  return {.version = std::string(fields[1]),
          .compiler = std::string(fields[2]),
          .flags = std::string(fields[3]),
          .commit = std::string(fields[4])};
}

}  // namespace stowage::harness
