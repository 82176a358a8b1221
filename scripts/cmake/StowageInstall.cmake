# What `cmake --install` makes of a build: a prefix that can be moved.
#
#     bin/stowage
#     include/stowage/          the strategies
#     lib/libstowage_workloads.a    what every module is linked with
#     lib/stowage/modules/      the strategies that the build has compiled (Ninja target `modules`: all of them)
#     lib/cmake/stowage/        find_package(stowage)
#     share/stowage/            harness/, workloads/, tests/, scripts/cmake/, reports/ and profiles/ as in the repository:
#                               what modules and outside projects compile, and the report package
#     share/doc/stowage/
#
# Components: `strategies` (headers and package alone; nothing has to be built for it) and `suite` (everything else).

# Sets in the caller's scope where an installed program finds its files, relative to itself.
macro(stowage_relative_install_paths)
  file(RELATIVE_PATH STOWAGE_PROGRAMS_TO_SHARED ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/stowage)
endmacro()

# The header-only library, for which nothing has to be built.
function(stowage_install_library)
  include(CMakePackageConfigHelpers)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/stowage)
  set_target_properties(stowage_strategies PROPERTIES EXPORT_NAME strategies)
  install(TARGETS stowage_strategies EXPORT stowageTargets COMPONENT strategies)
  install(DIRECTORY strategies/stowage DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT strategies
          FILES_MATCHING PATTERN *.hpp)
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT strategies)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT strategies)
  set(STOWAGE_OLDEST_BOOST 1.81)  # with an older one, what is compiled elsewhere would not fit what was compiled here
  if(Boost_VERSION VERSION_LESS 1.81)
    set(STOWAGE_OLDEST_BOOST 1.74)
  endif()
  configure_package_config_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/stowageConfig.cmake.in
    ${PROJECT_BINARY_DIR}/generated/package/stowageConfig.cmake INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_DATADIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/package/stowageConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/generated/package/stowageConfig.cmake
                ${PROJECT_BINARY_DIR}/generated/package/stowageConfigVersion.cmake
          DESTINATION ${package} COMPONENT strategies)
  install(EXPORT stowageTargets NAMESPACE stowage:: DESTINATION ${package} COMPONENT strategies)
endfunction()

# The command, and what it and outside projects compile and run.
function(stowage_install_suite)
  install(TARGETS stowage stowage_workloads COMPONENT suite)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/modules/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/stowage/modules COMPONENT suite
          FILES_MATCHING PATTERN *.so)
  add_custom_target(modules COMMAND stowage __modules USES_TERMINAL COMMENT "Compiling every strategy"
                    VERBATIM)
  stowage_install_files()
  stowage_install_package()
  stowage_install_debug_information_compressed()
endfunction()

function(stowage_install_files)
  set(shared ${CMAKE_INSTALL_DATADIR}/stowage)
  install(DIRECTORY harness workloads DESTINATION ${shared} COMPONENT suite FILES_MATCHING PATTERN *.hpp)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/workloads DESTINATION ${shared} COMPONENT suite)
  install(DIRECTORY tests/conformance tests/model DESTINATION ${shared}/tests COMPONENT suite
          PATTERN CMakeLists.txt EXCLUDE PATTERN mutants EXCLUDE)
  install(DIRECTORY tests/support tests/consumer DESTINATION ${shared}/tests COMPONENT suite)
  install(FILES ${PROJECT_BINARY_DIR}/generated/harness/build/interface.hpp DESTINATION ${shared}/harness/build
          COMPONENT suite)
  # What outside projects compile themselves, with their own flags.
  foreach(source harness/measure/memory/heap.cpp workloads/verify/random_work.cpp)
    get_filename_component(folder ${source} DIRECTORY)
    install(FILES ${source} DESTINATION ${shared}/${folder} COMPONENT suite)
  endforeach()
  install(DIRECTORY reports/stowage_report DESTINATION ${shared}/reports COMPONENT suite
          PATTERN __pycache__ EXCLUDE)
  install(FILES reports/start.py DESTINATION ${shared}/reports COMPONENT suite)
  install(FILES ${PROJECT_BINARY_DIR}/generated/package/toolchain.json DESTINATION ${shared} COMPONENT suite)
  install(DIRECTORY profiles DESTINATION ${shared} COMPONENT suite)
endfunction()

function(stowage_install_package)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/stowage)
  set(scripts ${CMAKE_INSTALL_DATADIR}/stowage/scripts/cmake)
  get_property(STOWAGE_LISTED GLOBAL PROPERTY STOWAGE_STRATEGIES)
  configure_package_config_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/stowageSuite.cmake.in
    ${PROJECT_BINARY_DIR}/generated/package/stowageSuite.cmake INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_BINDIR NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  install(FILES ${PROJECT_BINARY_DIR}/generated/package/stowageSuite.cmake DESTINATION ${package} COMPONENT suite)
  install(FILES scripts/cmake/StowageLists.cmake scripts/cmake/StowageStorages.cmake scripts/cmake/StowageTests.cmake
          DESTINATION ${scripts} COMPONENT suite)
endfunction()

# The simulator tells index from payload by the source lines in the debug information, so it stays, a third as large.
function(stowage_install_debug_information_compressed)
  if(NOT CMAKE_OBJCOPY OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  install(CODE "
    set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    file(GLOB modules \"\${prefix}/${CMAKE_INSTALL_LIBDIR}/stowage/modules/*.so\")
    foreach(file \"\${prefix}/${CMAKE_INSTALL_BINDIR}/stowage\" \"\${prefix}/${CMAKE_INSTALL_LIBDIR}/libstowage_workloads.a\"
                 \${modules})
      execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --compress-debug-sections=zlib \"\${file}\")
    endforeach()" COMPONENT suite)
endfunction()
