// Compiled for every x86-64 processor, and called before anything else of the program: the rest of it may use AVX2.

#ifdef STOWAGE_NEEDS_V3

#include <unistd.h>

#include <cstring>

namespace {

[[gnu::constructor(101)]] void check_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) return;
  constexpr int environment_lacks = 3;  // of errors.hpp, which has the headers of fmt
  constexpr const char* message =
      "stowage: this program needs a processor with AVX2, BMI2 and FMA (x86-64-v3), and this one lacks them; build "
      "from source, which uses what the processor has: git clone the repository, then ./scripts/stowage run\n";
  static_cast<void>(!write(STDERR_FILENO, message, std::strlen(message)));
  _exit(environment_lacks);
}

}  // namespace

#endif
