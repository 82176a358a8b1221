# What every target of the project is compiled with, and the record of it that a run keeps.

# The headers of the library refuse a compiler by themselves, and earlier ones: contract/compiler.hpp.
set(oldest_GNU 12)
set(oldest_Clang 16)
set(oldest "${oldest_${CMAKE_CXX_COMPILER_ID}}")
if(STOWAGE_SUITE AND oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest)
  message("stowage: ${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, which is too old for the "
          "suite; set CXX to g++ ${oldest_GNU}, clang++ ${oldest_Clang}, or a newer one")
  message(FATAL_ERROR "The compiler is too old.")
endif()

add_library(stowage_options INTERFACE)
add_library(stowage::options ALIAS stowage_options)
target_compile_features(stowage_options INTERFACE cxx_std_20)
target_include_directories(stowage_options INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_BINARY_DIR}/generated>"
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_DATADIR}/stowage>)
# Warnings are for this project; flags that change the code are for every program that links it.
if(MSVC)
  target_compile_options(stowage_options INTERFACE /fp:precise
    "$<BUILD_INTERFACE:/W4;/permissive-;$<$<BOOL:${STOWAGE_WERROR}>:/WX>>")
else()
  # Contracting a * b + c into one rounding would make two strategies differ in the last bit, and their checksums with it.
  target_compile_options(stowage_options INTERFACE -ffp-contract=off
    "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;$<$<BOOL:${STOWAGE_WERROR}>:-Werror>>")
endif()

# stowage_compile_together(TARGET COUNT SOURCE...)
# Makes one translation unit of so many of these sources at a time: for files that take longer to read what they include
# than to compile. Never for what is measured, because what a function is inlined into depends on its neighbours.
function(stowage_compile_together TARGET COUNT)
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ${STOWAGE_TOGETHER} UNITY_BUILD_MODE GROUP)
  list(GET ARGN 0 first)
  get_filename_component(name ${first} NAME_WE)
  set(number 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${number} / ${COUNT}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
    math(EXPR number "${number} + 1")
  endforeach()
endfunction()

# g++ throws away from 128 MB on what it needs no more, again and again; if there is memory for each processor, it may keep
# a GB. A tenth less to compile everything, and the same code. Tests of several strategies are one translation unit, which needs
# less time for each and up to 3 GB.
set(STOWAGE_STRATEGIES_TOGETHER 3)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  cmake_host_system_information(RESULT memory_mb QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR memory_mb "${memory_mb} / ${processors}")
  if(memory_mb GREATER 3500)
    target_compile_options(stowage_options INTERFACE $<BUILD_INTERFACE:--param=ggc-min-heapsize=1048576>)
    set(STOWAGE_STRATEGIES_TOGETHER 7)
  endif()
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" STOWAGE_BUILD_TYPE_UPPER)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER} MATCHES "-fsanitize")
  # g++ 12 takes what the sanitizers insert into the standard library for reads of uninitialised variables.
  target_compile_options(stowage_options INTERFACE $<BUILD_INTERFACE:-Wno-maybe-uninitialized>)
endif()

# stowage_leave_pointers_to_the_address_sanitizer(TARGET)
# Tests of every pointer for null and alignment take as long to compile as two thirds of everything else. The address
# sanitizer finds what is read or written through null.
function(stowage_leave_pointers_to_the_address_sanitizer TARGET)
  if(CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER} MATCHES "-fsanitize=[^ ]*address")
    target_compile_options(${TARGET} PRIVATE -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  endif()
endfunction()

# stowage_call_the_address_sanitizer(TARGET)
# Each of its checks is a call, and not inline. A short run has no checks of what lies on the stack. Together that is a fifth
# less to compile.
function(stowage_call_the_address_sanitizer TARGET)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER} MATCHES "-fsanitize=[^ ]*address")
    target_compile_options(${TARGET} PRIVATE --param=asan-instrumentation-with-call-threshold=0)
    if(NOT STOWAGE_TEST_ALL)
      target_compile_options(${TARGET} PRIVATE --param=asan-stack=0)
    endif()
  endif()
endfunction()

# stowage_compile_unoptimised(TARGET [POINTER_CHECKS])
# For much that is compiled and little that is run: under the address sanitizer, optimising what it inserts takes longer than
# everything else. Pointers are left to it, except with POINTER_CHECKS among all tests.
function(stowage_compile_unoptimised TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "POINTER_CHECKS" "" "")
  if(NOT CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER} MATCHES "-fsanitize=[^ ]*address")
    return()
  endif()
  target_compile_options(${TARGET} PRIVATE -O0)
  stowage_call_the_address_sanitizer(${TARGET})
  if(NOT ARG_POINTER_CHECKS OR NOT STOWAGE_TEST_ALL)
    stowage_leave_pointers_to_the_address_sanitizer(${TARGET})
  endif()
endfunction()

# What is timed is what is simulated, so it has nothing that Valgrind does not execute, and what a game would ship: AVX2, not
# AVX-512 and not SVE. An x86 processor without AVX2, and one of a third kind, gets its own best.
if(STOWAGE_MEASURED AND NOT MSVC)
  if(NOT DEFINED STOWAGE_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(STOWAGE_ARCH armv8-a)
  elseif(NOT DEFINED STOWAGE_ARCH)
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("
      int main() {
        return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && __builtin_cpu_supports(\"bmi2\") ? 0 : 1;
      }" STOWAGE_HAS_AVX2)
    if(STOWAGE_HAS_AVX2)
      set(STOWAGE_ARCH x86-64-v3)
    else()
      set(STOWAGE_ARCH native)
    endif()
  endif()
  set(STOWAGE_ARCH "${STOWAGE_ARCH}" CACHE STRING "The processor (-march) that the measured build is for")
  # The address of a loop must not decide a comparison: a short loop across two lines of 64 bytes can take 1.9 times as
  # long.
  string(APPEND CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER} " -march=${STOWAGE_ARCH} -falign-functions=64 -falign-loops=64")
  # Without these g++ computes no square root and no maximum in vectors, because one may set errno and the other may trap:
  # a loop that has them is 18 times as long as it need be, for a hand-written floor as for a storage.
  string(APPEND CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER} " -fno-math-errno -fno-trapping-math")
  # g++ lets a large file grow by 40 % through inlining, so what a loop calls would depend on what else the file has.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    string(APPEND CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER} " --param=large-unit-insns=100000000")
  endif()
endif()
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER}} -ffp-contract=off" STOWAGE_FLAGS)
string(REGEX REPLACE " +" " " STOWAGE_FLAGS "${STOWAGE_FLAGS}")
stowage_relative_install_paths()
# What a module and the program that loads it must agree on.
set(STOWAGE_INTERFACE "${PROJECT_VERSION} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${STOWAGE_FLAGS}")
foreach(header harness/build/module.hpp harness/catalogue.hpp workloads/support/floor.hpp workloads/support/measurement.hpp
               workloads/support/parameters.hpp strategies/stowage/contract/capabilities.hpp
               strategies/stowage/contract/events.hpp strategies/stowage/contract/memory.hpp
               strategies/stowage/contract/semantics.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
  file(SHA256 ${PROJECT_SOURCE_DIR}/${header} hash)
  string(APPEND STOWAGE_INTERFACE " ${hash}")
endforeach()
string(SHA256 STOWAGE_INTERFACE "${STOWAGE_INTERFACE}")
configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/interface.hpp.in
               ${PROJECT_BINARY_DIR}/generated/harness/build/interface.hpp @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/build_info.hpp.in
               ${PROJECT_BINARY_DIR}/generated/harness/build_info.hpp @ONLY)

# The commit is asked for at every build and written only when it changed, so that a record never names a stale one.
add_custom_target(stowage_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
          -DOUTPUT=${PROJECT_BINARY_DIR}/generated/harness/build_commit.hpp
          -P ${PROJECT_SOURCE_DIR}/scripts/cmake/WriteCommit.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/harness/build_commit.hpp
  COMMENT "Noting the commit"
  VERBATIM)
