#pragma once

#include <string_view>
#include <vector>

#include "tests/model/round_trip.hpp"
#include "workloads/verify/random_work.hpp"

namespace stowage::model_test {

using Operations = std::vector<workloads::verify::Operation>;

/// A strategy that can be given work beside the reference model; run() throws if the two differ, load() if what
/// another has saved does not come back. Where save and load are null, files are left to a run of all tests.
struct Subject {
  std::string_view name;
  void (*run)(const Operations& operations);
  Saved (*save)();
  void (*load)(const Saved& saved);
};

/// The file has references of default handles.
template <template <class> class Strategy>
void add_round_trip(Subject& subject) {
  using Storage = Strategy<RoundTripSchema>;
  if constexpr (std::is_same_v<typename Storage::entity_type, Entity>) {
    subject.save = &save_for_round_trip<Storage>;
    subject.load = &load_for_round_trip<Storage>;
  }
}

/// Every registered strategy. Defined in generated code.
[[nodiscard]] std::vector<Subject> subjects();

}  // namespace stowage::model_test
