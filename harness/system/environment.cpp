#include "harness/system/environment.hpp"

#include <benchmark/benchmark.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include "harness/build_commit.hpp"
#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/system/cores.hpp"
#include "harness/system/files.hpp"
#include "harness/system/platform.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace stowage::harness {
namespace {

constexpr std::string_view unknown = "unknown";

std::string or_unknown(const std::string& text) { return text.empty() ? std::string(unknown) : text; }

/// "always [madvise] never" -> "madvise"
std::string bracketed(const std::string& choices) {
  const std::size_t open = choices.find('[');
  const std::size_t close = choices.find(']');
  if (open == std::string::npos || close == std::string::npos) return std::string(unknown);
  return choices.substr(open + 1, close - open - 1);
}

#if defined(__x86_64__) || defined(__i386__)
/// The hypervisor names itself in leaf 0x40000000 if bit 31 of leaf 1 says that there is one.
std::string hypervisor() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx >> 31U) == 0) return "none";
  __cpuid(0x40000000, eax, ebx, ecx, edx);
  std::array<char, 13> signature{};
  std::memcpy(signature.data(), &ebx, 4);
  std::memcpy(signature.data() + 4, &ecx, 4);
  std::memcpy(signature.data() + 8, &edx, 4);
  const std::string_view vendor(signature.data());
  if (vendor == "KVMKVMKVM") return "kvm";
  if (vendor == "Microsoft Hv") return "hyper-v";
  if (vendor == "VMwareVMware") return "vmware";
  if (vendor == "XenVMMXenVMM") return "xen";
  if (vendor == "bhyve bhyve ") return "bhyve";
  if (vendor == "TCGTCGTCGTCG") return "emulated by qemu";
  return or_unknown(std::string(vendor));
}
#else
std::string hypervisor() { return or_unknown(first_line_of("/sys/hypervisor/type")); }
#endif

/// What executes the instructions of this program if that is a program: qemu, or Valgrind. It shows our executable as
/// that of the process and its own as that of the thread, which Linux says are one.
std::string virtualisation() {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/thread-self/exe", ignored);
  if (program.empty() || program == own_executable()) return hypervisor();
  return fmt::format("emulated by {}", program.filename().string());
}

std::string governor(const std::vector<CoreKind>& kinds) {
  const int cpu = kinds.empty() ? 0 : kinds.front().cpus.front();
  const std::string name = first_line_of(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu));
  return name.empty() ? "none" : name;
}

/// malloc asks for them if its settings say so.
std::string huge_pages() {
  const std::string setting = bracketed(first_line_of("/sys/kernel/mm/transparent_hugepage/enabled"));
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  const bool are_asked_for =
      tunables != nullptr && std::string_view(tunables).find("glibc.malloc.hugetlb=1") != std::string_view::npos;
  return are_asked_for ? setting + ", malloc asks for them" : setting;
}

/// "2026-11-20T19:00:00+01:00", as Google Benchmark writes it.
std::string local_date() {
  const std::tm now = fmt::localtime(std::time(nullptr));
  const std::string offset = fmt::format("{:%z}", now);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}{}:{}", now, offset.substr(0, 3), offset.substr(3));
}

Host describe_host(const std::vector<CoreKind>& kinds) {
  const benchmark::CPUInfo& cpu = benchmark::CPUInfo::Get();
  Host host{.date = local_date(),
            .host_name = benchmark::SystemInfo::Get().name,
            .executable = or_unknown(own_executable().string()),
            .num_cpus = cpu.num_cpus,
            .mhz_per_cpu = static_cast<int>(std::lround(cpu.cycles_per_second / 1e6)),
            .cpu_scaling_enabled = cpu.scaling == benchmark::CPUInfo::ENABLED,
            .load_avg = cpu.load_avg,
            .library_build_type = build_info::build_type == "Debug" ? "debug" : "release"};
  std::ranges::transform(cpu.caches, std::back_inserter(host.caches), [](const benchmark::CPUInfo::CacheInfo& cache) {
    return CacheLevel{cache.type, cache.level, static_cast<std::uint64_t>(cache.size), cache.num_sharing};
  });
  if (kinds.empty() || kinds.front().name.empty()) return host;
  // Google Benchmark describes the first processor, which may be of another kind.
  host.caches = kinds.front().caches;
  if (kinds.front().mhz != 0) host.mhz_per_cpu = kinds.front().mhz;
  return host;
}

Machine describe_machine(const std::vector<CoreKind>& kinds) {
  Machine machine{.cpu_model = processor_of(or_unknown(processor_name()), kinds),
                  .governor = governor(kinds),
                  .virtualisation = virtualisation(),
                  .transparent_hugepages = huge_pages(),
                  .os = or_unknown(operating_system()),
                  .page_size = page_bytes(),
                  .memory_bytes = harness::memory_bytes(),
                  .aslr = first_line_of("/proc/sys/kernel/randomize_va_space") != "0"};
  if (is_emulated(machine)) machine.cpu_model = instruction_set();  // /proc is of the host
  return machine;
}

}  // namespace

Build describe_build() {
  return {.version = std::string(build_info::version),
          .compiler = std::string(build_info::compiler),
          .flags = std::string(build_info::flags),
          .commit = std::string(build_info::commit)};
}

void require_real_processor(std::string_view instead) {
  const Machine machine = describe_machine(kinds_in_use());
  if (!is_emulated(machine)) return;
  throw EnvironmentError("this processor is {}, so nothing can be timed; {}", machine.virtualisation, instead);
}

Environment describe_environment() {
  const std::vector<CoreKind> kinds = kinds_in_use();
  return {describe_host(kinds), describe_machine(kinds), describe_build()};
}

}  // namespace stowage::harness
