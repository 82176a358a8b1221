# What `cmake --install` makes of a build: a prefix that can be moved.
#
#     bin/stowage
#     include/stowage/          the strategies
#     lib/                      the harness, and every workload compiled for every strategy
#     lib/cmake/stowage/        find_package(stowage)
#     share/stowage/            harness/, workloads/, tests/, scripts/cmake/, reports/ and profiles/ as in the repository:
#                               what outside projects compile, the report package, and games to be measured
#     share/doc/stowage/
#
# Components: `strategies` (headers and package alone; nothing has to be built for it) and `suite` (everything else).

# Sets in the caller's scope where an installed program finds its files, relative to itself.
macro(stowage_relative_install_paths)
  file(RELATIVE_PATH STOWAGE_PREFIX_TO_PROGRAMS ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_BINDIR})
  file(RELATIVE_PATH STOWAGE_PROGRAMS_TO_SHARED ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/stowage)
endmacro()

function(stowage_install)
  stowage_install_targets()
  stowage_install_files()
  stowage_install_package()
  stowage_install_debug_information_compressed()
endfunction()

function(stowage_install_targets)
  set_target_properties(stowage_strategies PROPERTIES EXPORT_NAME strategies)
  install(TARGETS stowage_strategies EXPORT stowageTargets COMPONENT strategies)
  foreach(part options heap harness cells peers)
    if(TARGET stowage_${part})
      set_target_properties(stowage_${part} PROPERTIES EXPORT_NAME ${part})
      install(TARGETS stowage_${part} EXPORT stowageHarnessTargets COMPONENT suite)
    endif()
  endforeach()
  install(TARGETS stowage COMPONENT suite)

  # A cell that was compiled otherwise than those in the archive would be measured as something else.
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER}}")
  target_compile_options(stowage_cells INTERFACE "$<INSTALL_INTERFACE:${flags}>")
  set(asserts true)
  if("-DNDEBUG" IN_LIST flags)
    set(asserts false)
  endif()
  target_compile_definitions(stowage_cells INTERFACE $<INSTALL_INTERFACE:STOWAGE_CELLS_HAVE_ASSERTS=${asserts}>)
endfunction()

function(stowage_install_files)
  set(shared ${CMAKE_INSTALL_DATADIR}/stowage)
  install(DIRECTORY strategies/stowage DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT strategies
          FILES_MATCHING PATTERN *.hpp)
  install(DIRECTORY harness workloads DESTINATION ${shared} COMPONENT suite FILES_MATCHING PATTERN *.hpp)
  install(FILES ${PROJECT_BINARY_DIR}/generated/workloads/all_workloads.hpp DESTINATION ${shared}/workloads
          COMPONENT suite)
  install(DIRECTORY tests/conformance tests/model DESTINATION ${shared}/tests COMPONENT suite
          PATTERN CMakeLists.txt EXCLUDE PATTERN mutants EXCLUDE)
  install(DIRECTORY tests/support DESTINATION ${shared}/tests COMPONENT suite)
  # What outside projects compile themselves, with their own flags.
  foreach(source cli/main.cpp measure/memory/heap.cpp measure/memory/tracker.cpp verify/model.cpp)
    get_filename_component(folder ${source} DIRECTORY)
    install(FILES harness/${source} DESTINATION ${shared}/harness/${folder} COMPONENT suite)
  endforeach()
  install(DIRECTORY reports/stowage_report DESTINATION ${shared}/reports COMPONENT suite
          PATTERN __pycache__ EXCLUDE)
  install(FILES ${PROJECT_BINARY_DIR}/generated/package/toolchain.json DESTINATION ${shared} COMPONENT suite)
  install(DIRECTORY profiles DESTINATION ${shared} COMPONENT suite)
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT strategies)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT strategies)
endfunction()

function(stowage_install_package)
  include(CMakePackageConfigHelpers)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/stowage)
  set(scripts ${CMAKE_INSTALL_DATADIR}/stowage/scripts/cmake)
  get_property(STOWAGE_CATALOGUED GLOBAL PROPERTY STOWAGE_CATALOGUED)
  get_property(STOWAGE_NOT_BUILT GLOBAL PROPERTY STOWAGE_NOT_BUILT)
  set(STOWAGE_OLDEST_BOOST 1.81)  # with an older one, what is compiled elsewhere would not fit what was compiled here
  if(Boost_VERSION VERSION_LESS 1.81)
    set(STOWAGE_OLDEST_BOOST 1.74)
  endif()
  configure_package_config_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/stowageConfig.cmake.in
    ${PROJECT_BINARY_DIR}/generated/package/stowageConfig.cmake INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_DATADIR)
  stowage_list_what_archives_need(STOWAGE_ARCHIVES_NEED)
  set(STOWAGE_HAS_PFM OFF)
  if(PFM_LIBRARY)
    set(STOWAGE_HAS_PFM ON)
  endif()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/stowageSuite.cmake.in
    ${PROJECT_BINARY_DIR}/generated/package/stowageSuite.cmake @ONLY)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/package/stowageConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/generated/package/stowageConfig.cmake
                ${PROJECT_BINARY_DIR}/generated/package/stowageConfigVersion.cmake
          DESTINATION ${package} COMPONENT strategies)
  install(FILES ${PROJECT_BINARY_DIR}/generated/package/stowageSuite.cmake DESTINATION ${package} COMPONENT suite)
  install(EXPORT stowageTargets NAMESPACE stowage:: DESTINATION ${package} COMPONENT strategies)
  install(EXPORT stowageHarnessTargets NAMESPACE stowage:: DESTINATION ${package} COMPONENT suite)
  install(FILES scripts/cmake/StowageLists.cmake scripts/cmake/StowageStorages.cmake scripts/cmake/StowageTests.cmake
                scripts/cmake/catalogue.cpp.in scripts/cmake/strategy.cpp.in
          DESTINATION ${scripts} COMPONENT suite)
endfunction()

# Sets OUT to the packages, and Debian's names of what has them, that programs with these archives are linked with.
function(stowage_list_what_archives_need OUT)
  set(need benchmark libbenchmark-dev fmt libfmt-dev TBB libtbb-dev)
  foreach(package tomlplusplus:libtomlplusplus-dev EnTT:none flecs:none)  # where this build has found them
    string(REGEX MATCH "^[^:]+" name ${package})
    string(REGEX MATCH "[^:]+$" debian ${package})
    if(${name}_DIR)
      list(APPEND need ${name} ${debian})
    endif()
  endforeach()
  list(JOIN need " " need)
  set(${OUT} "${need}" PARENT_SCOPE)
endfunction()

# The simulator tells index from payload by the source lines in the debug information, so it stays, a third as large.
function(stowage_install_debug_information_compressed)
  if(NOT CMAKE_OBJCOPY OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  foreach(part heap harness cells)
    list(APPEND files ${CMAKE_INSTALL_LIBDIR}/${CMAKE_STATIC_LIBRARY_PREFIX}stowage_${part}${CMAKE_STATIC_LIBRARY_SUFFIX})
  endforeach()
  list(APPEND files ${CMAKE_INSTALL_BINDIR}/stowage)
  install(CODE "
    foreach(file ${files})
      execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --compress-debug-sections=zlib
                              \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${file}\")
    endforeach()" COMPONENT suite)
endfunction()
