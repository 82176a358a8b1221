#pragma once

#include <map>
#include <string>

#include "harness/results/run.hpp"
#include "harness/system/json.hpp"

/// Which member of which struct is which key of results.json: one list for the writer and the reader.
namespace stowage::harness {

/// Of `context.stowage`. Raised when a reader of the former format would misread a file.
inline constexpr int results_format = 2;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CacheLevel, type, level, size, num_sharing)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Host, date, host_name, executable, num_cpus, mhz_per_cpu, cpu_scaling_enabled,
                                   caches, load_avg, library_build_type)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, cpu_model, governor, virtualisation, transparent_hugepages, os, page_size,
                                   memory_bytes, aslr)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Build, version, compiler, flags, commit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunOptions, preset, seed, strategies, workloads, entities, shard, filter,
                                   repetitions, min_time_s, precision)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunState, blocks_planned, interrupted, wall_s, command)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PassRecord, pass, source, details)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Omission, pass, cell, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkloadRecord, name, item, setup, measured, checksum, favours, disadvantages, floor)

inline void to_json(nlohmann::json& json, const StrategyRecord& record) {
  json = {{"name", record.name},
          {"family", record.family},
          {"source", record.source},
          {"summary", record.summary},
          {"form", record.form},
          {"semantics", record.semantics ? nlohmann::json(*record.semantics) : nlohmann::json(nullptr)}};
  if (!record.lacks.empty()) json["lacks"] = record.lacks;
  if (!record.not_offered.empty()) json["not_offered"] = record.not_offered;
}

inline void from_json(const nlohmann::json& json, StrategyRecord& record) {
  json.at("name").get_to(record.name);
  json.at("family").get_to(record.family);
  json.at("source").get_to(record.source);
  json.at("summary").get_to(record.summary);
  record.form = json.value("form", record.form);
  const nlohmann::json& semantics = json.at("semantics");
  if (!semantics.is_null()) record.semantics = semantics.get<std::map<std::string, bool>>();
  if (json.contains("lacks")) json.at("lacks").get_to(record.lacks);
  if (json.contains("not_offered")) json.at("not_offered").get_to(record.not_offered);
}

}  // namespace stowage::harness
