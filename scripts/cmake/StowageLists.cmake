# The two lists of the project, and what is generated from them: one translation unit per strategy, in which every
# workload is compiled for it, and one catalogue per executable. There is no third list.

# add_strategy(NAME HEADER TEMPLATE SOURCE text SUMMARY text [NEEDS_BOOST version] [REGISTRY] [UNPACKED] [HEAP_PER_ENTITY])
#   NAME             what users type; `stem.variant` for a variant
#   HEADER           what to include
#   TEMPLATE         class template of one parameter at least, the schema
#   SOURCE           the system and the article it comes from
#   SUMMARY          one line: when to pick it
#   NEEDS_BOOST      left out of the build, and listed as such, if the installed Boost is older
# and, for the tests of conformance, the traits of the storage:
#   REGISTRY         the template takes a registry as second parameter, so what depends on that is checked too; not
#                    said of variants, which share what depends on it
#   UNPACKED         asks the heap for every component: see packed_memory_checks
#   HEAP_PER_ENTITY  asks the heap for something per entity, reserved or not: see reserved_memory_checks
function(add_strategy NAME HEADER TEMPLATE)
  if(STOWAGE_ONLY AND NOT NAME MATCHES "${STOWAGE_ONLY}")
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 3 ARG "" "NEEDS_BOOST" "")
  stowage_leave_out_for_old_boost(left_out ${NAME} "${ARG_NEEDS_BOOST}")
  if(left_out)
    return()
  endif()
  stowage_list_strategy(STOWAGE_STRATEGIES ${NAME} ${HEADER} ${TEMPLATE} ${ARG_UNPARSED_ARGUMENTS})
  stowage_note_strategy(${NAME} ${HEADER} ${TEMPLATE} ${ARG_UNPARSED_ARGUMENTS})
endfunction()

# stowage_note_not_built(NAME REASON): `stowage list` says so, and every command refuses NAME with that reason.
function(stowage_note_not_built NAME REASON)
  set_property(GLOBAL APPEND_STRING PROPERTY STOWAGE_NOT_BUILT "  catalogue.add_not_built({\"${NAME}\", \"${REASON}\"});\n")
endfunction()

# stowage_leave_out_for_old_boost(RESULT NAME VERSION): true, and noted, if the installed Boost is older than VERSION.
function(stowage_leave_out_for_old_boost RESULT NAME VERSION)
  set(${RESULT} FALSE PARENT_SCOPE)
  if(VERSION AND Boost_VERSION VERSION_LESS VERSION)
    stowage_note_not_built(${NAME} "it needs Boost ${VERSION}, and ${Boost_VERSION} is installed")
    set_property(GLOBAL APPEND PROPERTY STOWAGE_NEEDS_NEWER_BOOST ${NAME})
    set(${RESULT} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Names in one line what was left out for an old Boost; scripts/build passes that line on.
function(stowage_report_old_boost)
  get_property(names GLOBAL PROPERTY STOWAGE_NEEDS_NEWER_BOOST)
  if(names)
    list(JOIN names ", " names)
    message(STATUS "Left out: ${names} (they need a newer Boost than the ${Boost_VERSION} that is installed)")
  endif()
endfunction()

# Puts it into LIST, STOWAGE_STRATEGIES for the library's own and STOWAGE_PEERS for others', and a translation unit for it
# among the cells.
function(stowage_list_strategy LIST NAME HEADER TEMPLATE)
  get_property(known GLOBAL PROPERTY ${LIST})
  if(NAME IN_LIST known)
    message(FATAL_ERROR "add_strategy(${NAME}): this name is taken")
  endif()
  stowage_generate_strategy(${NAME} ${HEADER} ${TEMPLATE} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY ${LIST} ${NAME})
  if(NOT STOWAGE_CELLS OR NAME MATCHES "${STOWAGE_CELLS}")
    set_property(GLOBAL APPEND PROPERTY STOWAGE_CATALOGUED ${NAME})
    target_sources(stowage_cells PRIVATE ${PROJECT_BINARY_DIR}/generated/cells/${NAME}.cpp)
  endif()
endfunction()

# stowage_note_strategy(NAME HEADER TEMPLATE SOURCE text SUMMARY text [FLAGS text])
# Says in toolchain.json that a game can be compiled for it: with these flags of its own, a line for each.
function(stowage_note_strategy NAME HEADER TEMPLATE)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "" "SOURCE;SUMMARY;FLAGS" "")
  set(entry "{}")
  foreach(field name:NAME header:HEADER template:TEMPLATE source:ARG_SOURCE summary:ARG_SUMMARY
                flags:ARG_FLAGS)
    string(REPLACE ":" ";" field ${field})
    list(GET field 0 key)
    list(GET field 1 variable)
    string(REPLACE "\\" "\\\\" value "${${variable}}")
    string(REPLACE "\"" "\\\"" value "${value}")
    string(JSON entry SET "${entry}" ${key} "\"${value}\"")
  endforeach()
  get_property(entries GLOBAL PROPERTY STOWAGE_TOOLCHAIN_STRATEGIES)
  if(entries)
    string(APPEND entries ",\n    ")
  endif()
  set_property(GLOBAL PROPERTY STOWAGE_TOOLCHAIN_STRATEGIES "${entries}${entry}")
endfunction()

# stowage_write_toolchain(FILE [PACKAGE] LIBRARY...)
# Writes how the cells were compiled and what they are linked with, these libraries among it, so that `stowage recommend`
# can compile a game for the strategies noted before. For a PACKAGE what is installed is named relative to where FILE will
# be, share/stowage.
function(stowage_write_toolchain FILE)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "PACKAGE" "" "")
  get_property(strategies GLOBAL PROPERTY STOWAGE_TOOLCHAIN_STRATEGIES)
  set(includes "$<FILTER:$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:stowage_cells,INCLUDE_DIRECTORIES>>,EXCLUDE,^/usr/include$>")
  set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:stowage_cells,COMPILE_DEFINITIONS>>")
  set(options "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:stowage_cells,COMPILE_OPTIONS>>")
  set(archives "$<TARGET_FILE:stowage_cells>;$<TARGET_FILE:stowage_harness>;$<TARGET_FILE:stowage_heap>")
  if(ARG_PACKAGE)
    set(shared ${CMAKE_INSTALL_FULL_DATADIR}/stowage)
    file(RELATIVE_PATH headers ${shared} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    file(RELATIVE_PATH libraries ${shared} ${CMAKE_INSTALL_FULL_LIBDIR})
    set(includes ".;${headers};$<FILTER:${includes},EXCLUDE,^${PROJECT_SOURCE_DIR}/>")
    set(includes "$<FILTER:${includes},EXCLUDE,^${PROJECT_SOURCE_DIR}$>")
    set(options "$<FILTER:${options},EXCLUDE,^(-W|--param)>")
    string(REGEX REPLACE "[$]<TARGET_FILE:([a-z_]+)>" "${libraries}/$<TARGET_FILE_NAME:\\1>" archives "${archives}")
  endif()
  set(libraries "${archives};${ARG_UNPARSED_ARGUMENTS};-pthread")
  file(GENERATE OUTPUT ${FILE} CONTENT "{
  \"compiler\": \"${CMAKE_CXX_COMPILER}\",
  \"flags\": \"-std=c++20 ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER}}\",
  \"options\": [\"$<JOIN:${options},\", \">\"],
  \"definitions\": [\"$<JOIN:${definitions},\", \">\"],
  \"include_directories\": [\"$<JOIN:${includes},\", \">\"],
  \"libraries\": [\"$<JOIN:${libraries},\", \">\"],
  \"strategies\": [
    ${strategies}
  ]
}
")
endfunction()

# add_peer(NAME HEADER TEMPLATE TARGET PACKAGE SOURCE text SUMMARY text [UNPACKED] [HEAP_PER_ENTITY] [UNALIGNED])
#   A strategy that adapts another library, whose imported target is TARGET; left out of the build, and said to be, where
#   find_package(PACKAGE) has found no copy. It has a part of the contract: see contract/capabilities.hpp. No game can be
#   compiled for it, because a profile may ask for all of that. UNALIGNED says that it holds no component that is aligned
#   at more than 16 bytes: the tests of conformance have others for it.
function(add_peer NAME HEADER TEMPLATE TARGET PACKAGE)
  set_property(GLOBAL APPEND PROPERTY STOWAGE_ADAPTERS "{\"${NAME}\", \"${PACKAGE}\"}")
  if(STOWAGE_ONLY AND NOT NAME MATCHES "${STOWAGE_ONLY}")
    return()
  endif()
  if(NOT TARGET ${TARGET})
    stowage_note_not_built(${NAME} "${PACKAGE} was not found when this binary was configured")
    return()
  endif()
  stowage_list_strategy(STOWAGE_PEERS ${NAME} ${HEADER} ${TEMPLATE} ${ARGN})
  target_link_libraries(stowage_peers INTERFACE ${TARGET})
endfunction()

# Stops where STOWAGE_ONLY leaves nothing to build; called once, after the last add_strategy() and add_peer().
function(stowage_require_a_strategy)
  get_property(strategies GLOBAL PROPERTY STOWAGE_STRATEGIES)
  get_property(peers GLOBAL PROPERTY STOWAGE_PEERS)
  if(NOT strategies AND NOT peers)
    message(FATAL_ERROR "STOWAGE_ONLY: strategies/CMakeLists.txt has no strategy that matches '${STOWAGE_ONLY}' "
                        "and can be built")
  endif()
endfunction()

# add_workload(NAME HEADER TYPE)
function(add_workload NAME HEADER TYPE)
  set_property(GLOBAL APPEND_STRING PROPERTY STOWAGE_WORKLOAD_CHECKS
               "static_assert(${TYPE}::card.name == \"${NAME}\", \"the card and the list name this workload differently\");\n")
  set_property(GLOBAL APPEND PROPERTY STOWAGE_WORKLOAD_INCLUDES "#include \"${HEADER}\"")
  set_property(GLOBAL APPEND PROPERTY STOWAGE_WORKLOAD_TYPES ${TYPE})
endfunction()

# Writes the translation unit that puts one strategy into a catalogue: with all workloads, or with those of the types that
# follow WORKLOADS. What the tests generate for it knows it by its name, its traits too.
function(stowage_generate_strategy NAME HEADER TEMPLATE)
  set(known_traits REGISTRY UNPACKED HEAP_PER_ENTITY UNALIGNED)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "${known_traits}" "SOURCE;SUMMARY" "WORKLOADS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_strategy(${NAME}): unknown '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(needed SOURCE SUMMARY)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "add_strategy(${NAME}): ${needed} is missing")
    endif()
  endforeach()
  set(traits "")
  foreach(trait IN LISTS known_traits)
    if(ARG_${trait})
      list(APPEND traits ${trait})
    endif()
  endforeach()
  set(workloads AllWorkloads)
  if(ARG_WORKLOADS)
    list(JOIN ARG_WORKLOADS ", " types)
    set(workloads "TypeList<${types}>")
  endif()
  string(REPLACE "." "_" id ${NAME})
  string(REGEX REPLACE "\\..*" "" family ${NAME})
  set_property(GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_HEADER ${HEADER})
  set_property(GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_TEMPLATE ${TEMPLATE})
  set_property(GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_TRAITS ${traits})
  set(cells ${PROJECT_BINARY_DIR}/generated/cells/${NAME}.cpp)
  set_property(GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_CELLS ${cells})
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/strategy.cpp.in ${cells} @ONLY)
endfunction()

# Writes the header that names all workloads; called once, after the last add_workload().
function(stowage_generate_workloads)
  get_property(includes GLOBAL PROPERTY STOWAGE_WORKLOAD_INCLUDES)
  get_property(types GLOBAL PROPERTY STOWAGE_WORKLOAD_TYPES)
  get_property(checks GLOBAL PROPERTY STOWAGE_WORKLOAD_CHECKS)
  list(JOIN includes "\n" includes)
  list(JOIN types ", " types)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/all_workloads.hpp.in
                 ${PROJECT_BINARY_DIR}/generated/workloads/all_workloads.hpp @ONLY)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/workloads.cpp.in
                 ${PROJECT_BINARY_DIR}/generated/cells/workloads.cpp @ONLY)
  target_sources(stowage_cells PRIVATE ${PROJECT_BINARY_DIR}/generated/cells/workloads.cpp)
endfunction()

# stowage_add_catalogue(TARGET [STRATEGIES NAME...])
# Gives an executable make_catalogue(), with every strategy of the list and with those named, whose generated translation
# units (stowage_generate_strategy) are among its sources.
function(stowage_add_catalogue TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "STRATEGIES")
  get_property(strategies GLOBAL PROPERTY STOWAGE_CATALOGUED)
  set(declarations "")
  set(calls "")
  foreach(strategy IN LISTS strategies ARG_STRATEGIES)
    string(REPLACE "." "_" id ${strategy})
    string(APPEND declarations "void register_${id}(Catalogue& catalogue);\n")
    string(APPEND calls "  register_${id}(catalogue);\n")
  endforeach()
  get_property(prefix GLOBAL PROPERTY STOWAGE_PACKAGE_PREFIX)  # empty in stowage's own tree
  set(PACKAGE_PREFIX "")
  if(prefix)
    set(PACKAGE_PREFIX "\nstd::string_view package_prefix() noexcept { return R\"(${prefix})\"; }\n")
  endif()
  get_property(NOT_BUILT GLOBAL PROPERTY STOWAGE_NOT_BUILT)
  set(catalogue ${PROJECT_BINARY_DIR}/generated/catalogues/${TARGET}.cpp)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/catalogue.cpp.in ${catalogue} @ONLY)
  target_sources(${TARGET} PRIVATE ${catalogue})
  foreach(strategy IN LISTS ARG_STRATEGIES)
    get_property(cells GLOBAL PROPERTY STOWAGE_STRATEGY_${strategy}_CELLS)
    target_sources(${TARGET} PRIVATE ${cells})
  endforeach()
  target_link_libraries(${TARGET} PRIVATE stowage::cells stowage::harness)
endfunction()

# stowage_add_executable(TARGET [STRATEGIES NAME...]): the CLI over such a catalogue.
function(stowage_add_executable TARGET)
  add_executable(${TARGET} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../harness/cli/main.cpp)
  stowage_add_catalogue(${TARGET} ${ARGN})
  set_target_properties(${TARGET} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()
