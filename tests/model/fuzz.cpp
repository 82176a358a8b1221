#include <cstddef>
#include <cstdint>

#include "tests/model/subjects.hpp"

/// What libFuzzer calls with inputs of its own making (-DSTOWAGE_FUZZ=ON, clang), and the replay with those of the
/// corpus: every strategy does the work that the bytes stand for, and an exception ends the program.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto operations = stowage::workloads::verify::decode_operations(bytes, size);
  for (const auto& subject : stowage::model_test::subjects()) subject.run(operations);
  return 0;
}
