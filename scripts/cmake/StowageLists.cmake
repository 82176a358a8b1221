# The two lists of the project, and what is generated from them: what the executable knows of each strategy and workload
# (their cards), and toolchain.json, by which the executable compiles strategies. There is no third list.

# add_strategy(NAME HEADER TEMPLATE FORM form SOURCE text SUMMARY text [NEEDS_BOOST version] [REGISTRY] [UNPACKED] [HEAP_PER_ENTITY])
#   NAME             what users type; `stem.variant` for a variant
#   HEADER           what to include
#   TEMPLATE         class template of one parameter at least, the schema
#   FORM             `exact` as its article or documentation has it, `near`, `tuned`, or `ours`: docs/fairness.md
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
  stowage_describe_strategy(${NAME} ${HEADER} ${TEMPLATE} ${ARG_UNPARSED_ARGUMENTS})
  stowage_list_strategy(STOWAGE_STRATEGIES ${NAME})
endfunction()

# stowage_note_not_built(NAME REASON): `stowage list` says so, and every command refuses NAME with that reason.
function(stowage_note_not_built NAME REASON)
  set_property(GLOBAL APPEND_STRING PROPERTY STOWAGE_NOT_BUILT "  catalogue.add_not_built({\"${NAME}\", \"${REASON}\"});\n")
endfunction()

# stowage_find_mustache(): mustache::mustache, because mustache installs no package for CMake. Its second storage loses
# written components (docs/peers.md); no version tells such a copy from others, but a header does.
function(stowage_find_mustache)
  find_path(mustache_include mustache/ecs/ecs.hpp)
  find_library(mustache_library mustache)
  mark_as_advanced(mustache_include mustache_library)
  if(NOT mustache_include OR NOT mustache_library)
    return()
  endif()
  if(EXISTS ${mustache_include}/mustache/ecs/stable_latency_component_data_storage.hpp)
    set(STOWAGE_REFUSED_mustache "mustache after commit 9d9eab3 loses written components" PARENT_SCOPE)
    return()
  endif()
  find_package(Threads REQUIRED)
  add_library(mustache::mustache UNKNOWN IMPORTED GLOBAL)
  set_target_properties(mustache::mustache PROPERTIES IMPORTED_LOCATION ${mustache_library}
    INTERFACE_INCLUDE_DIRECTORIES ${mustache_include} INTERFACE_LINK_LIBRARIES Threads::Threads)
endfunction()

# stowage_find_flecs_lto(): flecs::flecs_lto, a copy of flecs that was compiled with -flto and lies beside the other as
# libflecs_lto.a, so that a release build inlines its calls.
function(stowage_find_flecs_lto)
  find_library(flecs_lto_library flecs_lto)
  mark_as_advanced(flecs_lto_library)
  if(NOT flecs_lto_library OR NOT TARGET flecs::flecs_static)
    return()
  endif()
  add_library(flecs::flecs_lto UNKNOWN IMPORTED GLOBAL)
  target_link_libraries(flecs::flecs_lto INTERFACE Threads::Threads)
  target_compile_options(flecs::flecs_lto INTERFACE $<$<CONFIG:Release>:-flto>)
  target_compile_definitions(flecs::flecs_lto INTERFACE flecs_STATIC)
  set_target_properties(flecs::flecs_lto PROPERTIES IMPORTED_LOCATION ${flecs_lto_library}
    INTERFACE_INCLUDE_DIRECTORIES $<TARGET_PROPERTY:flecs::flecs_static,INTERFACE_INCLUDE_DIRECTORIES>)
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

# add_peer(NAME HEADER TEMPLATE TARGET PACKAGE FORM form SOURCE text SUMMARY text [UNPACKED] [HEAP_PER_ENTITY] [UNALIGNED])
#   A strategy that adapts another library, whose imported target is TARGET; left out of the build, and said to be, if
#   find_package(PACKAGE) has found no copy. It has a part of the contract: see contract/capabilities.hpp. `recommend`
#   does not use it, because a profile may ask for the whole. UNALIGNED says that it holds no component that is aligned
#   at more than 16 bytes: the tests of conformance have others for it. STOWAGE_REFUSED_<PACKAGE> is why a copy that was
#   found is not used.
function(add_peer NAME HEADER TEMPLATE TARGET PACKAGE)
  set_property(GLOBAL APPEND PROPERTY STOWAGE_ADAPTERS "{\"${NAME}\", \"${PACKAGE}\"}")
  if(STOWAGE_ONLY AND NOT NAME MATCHES "${STOWAGE_ONLY}")
    return()
  endif()
  if(NOT TARGET ${TARGET})
    set(reason "${PACKAGE} was not found when this binary was configured")
    if(STOWAGE_REFUSED_${PACKAGE})
      set(reason "${STOWAGE_REFUSED_${PACKAGE}}")
    endif()
    stowage_note_not_built(${NAME} "${reason}")
    return()
  endif()
  stowage_describe_strategy(${NAME} ${HEADER} ${TEMPLATE} ${ARGN} LIBRARIES ${TARGET} PARTIAL)
  stowage_list_strategy(STOWAGE_PEERS ${NAME})
  string(REPLACE flecs_lto flecs_static linked ${TARGET})  # calls are inlined in modules alone: the floors stay as they are
  target_link_libraries(stowage_peers INTERFACE ${linked})
endfunction()

# Puts it into LIST, STOWAGE_STRATEGIES for the library's own and STOWAGE_PEERS for others'.
function(stowage_list_strategy LIST NAME)
  get_property(known GLOBAL PROPERTY ${LIST})
  if(NAME IN_LIST known)
    message(FATAL_ERROR "add_strategy(${NAME}): this name is taken")
  endif()
  set_property(GLOBAL APPEND PROPERTY ${LIST} ${NAME})
endfunction()

# Notes what the list says of a strategy, for cards, toolchain.json and the tests:
#   WORKLOADS name...    compile it for these workloads alone
#   LIBRARIES target...  what its header needs
#   PARTIAL              it has a part of the contract
#   FOLDER path          of a header outside strategies/
function(stowage_describe_strategy NAME HEADER TEMPLATE)
  set(known_traits REGISTRY UNPACKED HEAP_PER_ENTITY UNALIGNED PARTIAL)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "${known_traits}" "FORM;SOURCE;SUMMARY;FOLDER" "WORKLOADS;LIBRARIES")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_strategy(${NAME}): unknown '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(needed SOURCE SUMMARY)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "add_strategy(${NAME}): ${needed} is missing")
    endif()
  endforeach()
  if(NOT ARG_FORM)
    set(ARG_FORM ours)
  elseif(NOT ARG_FORM MATCHES "^(exact|near|tuned|ours)$")
    message(FATAL_ERROR "add_strategy(${NAME}): FORM is exact, near, tuned or ours, and not '${ARG_FORM}'")
  endif()
  set(traits "")
  foreach(trait IN LISTS known_traits)
    if(ARG_${trait})
      list(APPEND traits ${trait})
    endif()
  endforeach()
  set(property STOWAGE_STRATEGY_${NAME})
  foreach(field HEADER TEMPLATE)
    set_property(GLOBAL PROPERTY ${property}_${field} ${${field}})
  endforeach()
  foreach(field FORM SOURCE SUMMARY FOLDER WORKLOADS LIBRARIES)
    set_property(GLOBAL PROPERTY ${property}_${field} ${ARG_${field}})
  endforeach()
  set_property(GLOBAL PROPERTY ${property}_TRAITS ${traits})
endfunction()

# Sets OUT to the recipe of a strategy: an object of the list `strategies` in toolchain.json.
function(stowage_recipe OUT NAME)
  set(property STOWAGE_STRATEGY_${NAME})
  foreach(field HEADER TEMPLATE SOURCE SUMMARY FOLDER WORKLOADS TRAITS)
    get_property(${field} GLOBAL PROPERTY ${property}_${field})
  endforeach()
  list(JOIN WORKLOADS "\\n" WORKLOADS)
  set(plays_games true)
  if("PARTIAL" IN_LIST TRAITS)
    set(plays_games false)
  endif()
  set(recipe "{}")
  foreach(pair name:NAME header:HEADER template:TEMPLATE source:SOURCE summary:SUMMARY storage_folder:FOLDER)
    string(REPLACE ":" ";" pair ${pair})
    list(POP_FRONT pair key variable)
    string(REPLACE "\\" "\\\\" value "${${variable}}")
    string(REPLACE "\"" "\\\"" value "${value}")
    string(JSON recipe SET "${recipe}" ${key} "\"${value}\"")
  endforeach()
  string(JSON recipe SET "${recipe}" workloads "\"${WORKLOADS}\"")
  string(JSON recipe SET "${recipe}" plays_games ${plays_games})
  stowage_library_flags(${NAME} flags files)
  string(JSON recipe SET "${recipe}" flags "\"${flags}\"")
  string(JSON recipe SET "${recipe}" libraries "\"${files}\"")
  set(${OUT} "${recipe}" PARENT_SCOPE)
endfunction()

# Sets FLAGS and FILES to what the LIBRARIES of a strategy ask of the compiler and the linker, a line each.
function(stowage_library_flags NAME FLAGS FILES)
  get_property(named GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_LIBRARIES)
  get_property(include GLOBAL PROPERTY STOWAGE_STORAGE_${NAME}_INCLUDE)
  set(flags "")
  if(include)
    set(flags "-I${include}")
  endif()
  foreach(library IN LISTS named)
    if(TARGET ${library})
      foreach(property "INCLUDE_DIRECTORIES -I" "COMPILE_DEFINITIONS -D" "COMPILE_OPTIONS ")
        string(REPLACE " " ";" property "${property}")
        list(POP_FRONT property key option)
        set(values "$<TARGET_PROPERTY:${library},INTERFACE_${key}>")  # with those of the libraries behind it
        string(APPEND flags "\n$<$<BOOL:${values}>:${option}$<JOIN:${values},\n${option}>>")
      endforeach()
    endif()
  endforeach()
  set(wanted ${named})
  set(files "")
  set(seen "")
  while(wanted)
    list(POP_FRONT wanted library)
    string(REGEX REPLACE "^[$]<LINK_ONLY:(.*)>$" "\\1" library "${library}")
    if(library IN_LIST seen OR library MATCHES "^[$]<")
      continue()
    endif()
    list(APPEND seen ${library})
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      if(NOT type STREQUAL "INTERFACE_LIBRARY")
        string(APPEND files "$<TARGET_LINKER_FILE:${library}>\n")
      endif()
      get_target_property(next ${library} INTERFACE_LINK_LIBRARIES)
      if(next)
        list(APPEND wanted ${next})
      endif()
    elseif(library MATCHES "^-|/")
      string(APPEND files "${library}\n")
    else()
      string(APPEND files "-l${library}\n")
    endif()
  endwhile()
  string(REPLACE "\n" "\\n" flags "${flags}")
  string(REPLACE "\n" "\\n" files "${files}")
  set(${FLAGS} "${flags}" PARENT_SCOPE)
  set(${FILES} "${files}" PARENT_SCOPE)
endfunction()

# stowage_write_toolchain(FILE MODULES folder [PREBUILT] [PACKAGE] STRATEGIES name...)
# Writes how modules are compiled and linked, and the recipes of these strategies. MODULES says where modules of the list
# are, relative to FILE; PREBUILT, that they are there. For a PACKAGE everything that is installed is named relative to
# FILE, which will be in share/stowage.
function(stowage_write_toolchain FILE)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "PREBUILT;PACKAGE" "MODULES" "STRATEGIES")
  set(recipes "")
  foreach(name IN LISTS ARG_STRATEGIES)
    stowage_recipe(recipe ${name})
    list(APPEND recipes "${recipe}")
  endforeach()
  list(JOIN recipes ",\n    " recipes)
  set(prebuilt false)
  if(ARG_PREBUILT OR (WIN32 AND CMAKE_CROSSCOMPILING))  # there by the time that they are needed
    set(prebuilt true)
  endif()
  set(includes "$<FILTER:$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:stowage_workloads,INCLUDE_DIRECTORIES>>,EXCLUDE,^/usr/include$>")
  set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:stowage_workloads,COMPILE_DEFINITIONS>>")
  set(options "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:stowage_workloads,COMPILE_OPTIONS>>")
  set(archive "$<TARGET_FILE:stowage_workloads>")
  set(threads "$<TARGET_LINKER_FILE:TBB::tbb>")
  if(ARG_PACKAGE)
    set(shared ${CMAKE_INSTALL_FULL_DATADIR}/stowage)
    file(RELATIVE_PATH headers ${shared} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    file(RELATIVE_PATH libraries ${shared} ${CMAKE_INSTALL_FULL_LIBDIR})
    string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" root "${PROJECT_SOURCE_DIR}")  # ~/c++/stowage is no expression
    set(includes ".;${headers};$<FILTER:${includes},EXCLUDE,^${root}(/|$)>")
    set(options "$<FILTER:${options},EXCLUDE,^(-W|--param=ggc-)>")
    set(archive "${libraries}/$<TARGET_FILE_NAME:stowage_workloads>")
    if(CMAKE_CROSSCOMPILING)
      set(threads -ltbb)  # elsewhere on the machine of the package
    endif()
  endif()
  if(WIN32)  # with operator new of the program; all else is in the module itself
    set(threads "$<TARGET_LINKER_FILE:stowage>\", \"${threads}\", \"-static")
  endif()
  set(launcher "")
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    list(GET CMAKE_CXX_COMPILER_LAUNCHER -1 launcher)  # the program, behind `env` and what it sets
  endif()
  file(GENERATE OUTPUT ${FILE} CONTENT "{
  \"compiler\": \"${CMAKE_CXX_COMPILER}\",
  \"launcher\": \"${launcher}\",
  \"modules\": \"${ARG_MODULES}\",
  \"modules_are_prebuilt\": ${prebuilt},
  \"system\": \"${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}\",
  \"flags\": \"-std=c++20 ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${STOWAGE_BUILD_TYPE_UPPER}}\",
  \"options\": [\"$<JOIN:${options},\", \">\"],
  \"definitions\": [\"$<JOIN:${definitions},\", \">\"],
  \"include_directories\": [\"$<JOIN:${includes},\", \">\"],
  \"libraries\": [\"${archive}\", \"${threads}\", \"-pthread\"],
  \"strategies\": [
    ${recipes}
  ]
}
" FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

# Stops if STOWAGE_ONLY leaves nothing to build; called once, after the last add_strategy() and add_peer().
function(stowage_require_a_strategy)
  get_property(strategies GLOBAL PROPERTY STOWAGE_STRATEGIES)
  get_property(peers GLOBAL PROPERTY STOWAGE_PEERS)
  if(NOT strategies AND NOT peers)
    message(FATAL_ERROR "STOWAGE_ONLY: strategies/CMakeLists.txt has no strategy that matches '${STOWAGE_ONLY}' "
                        "and can be built")
  endif()
endfunction()

# add_workload(UNIT NAME HEADER TYPE)
#   UNIT    with which others it is compiled, for each strategy: a command compiles the units of what it measures. Workloads
#           that share schemas belong together
function(add_workload UNIT NAME HEADER TYPE)
  set_property(GLOBAL APPEND PROPERTY STOWAGE_UNITS ${UNIT})
  set_property(GLOBAL APPEND_STRING PROPERTY STOWAGE_UNIT_${UNIT}_CHECKS
               "static_assert(${TYPE}::card.name == \"${NAME}\", \"the card and the list name this workload differently\");\n")
  set_property(GLOBAL APPEND PROPERTY STOWAGE_UNIT_${UNIT}_INCLUDES "#include \"${HEADER}\"")
  set_property(GLOBAL APPEND PROPERTY STOWAGE_UNIT_${UNIT}_TYPES ${TYPE})
  set_property(GLOBAL APPEND_STRING PROPERTY STOWAGE_WORKLOAD_BINDINGS
               "  bind_workloads(catalogue, \"${UNIT}\", TypeList<workloads::${TYPE}>{});\n")
endfunction()

# Writes a header for each unit of workloads, and the translation unit with their cards; called once, after the last
# add_workload().
function(stowage_generate_workloads)
  get_property(units GLOBAL PROPERTY STOWAGE_UNITS)
  list(REMOVE_DUPLICATES units)
  set(headers "")
  foreach(UNIT IN LISTS units)
    foreach(field INCLUDES TYPES CHECKS)
      string(TOLOWER ${field} variable)
      get_property(${variable} GLOBAL PROPERTY STOWAGE_UNIT_${UNIT}_${field})
    endforeach()
    list(JOIN includes "\n" includes)
    list(JOIN types ", " types)
    configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/unit.hpp.in
                   ${PROJECT_BINARY_DIR}/generated/workloads/unit_${UNIT}.hpp @ONLY)
    list(APPEND headers "#include \"workloads/unit_${UNIT}.hpp\"")
  endforeach()
  list(JOIN headers "\n" includes)
  get_property(bindings GLOBAL PROPERTY STOWAGE_WORKLOAD_BINDINGS)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/workloads.cpp.in ${PROJECT_BINARY_DIR}/generated/workloads.cpp @ONLY)
endfunction()

# stowage_add_catalogue(): the library stowage_catalogue, which has make_catalogue(): the cards of all strategies and
# workloads. Called once.
function(stowage_add_catalogue)
  get_property(strategies GLOBAL PROPERTY STOWAGE_STRATEGIES)
  get_property(peers GLOBAL PROPERTY STOWAGE_PEERS)
  set(INCLUDES "")
  set(CARDS "")
  foreach(name IN LISTS strategies peers)
    set(property STOWAGE_STRATEGY_${name})
    foreach(field HEADER TEMPLATE FORM SOURCE SUMMARY)
      get_property(${field} GLOBAL PROPERTY ${property}_${field})
    endforeach()
    string(REGEX REPLACE "\\..*" "" family ${name})
    list(APPEND INCLUDES "#include <${HEADER}>")
    string(APPEND CARDS "  catalogue.add_strategy(with_card<${TEMPLATE}<ProbeSchema>>({\"${name}\", \"${family}\",\n"
                        "      \"${SOURCE}\", \"${SUMMARY}\", std::nullopt, {}, \"${FORM}\"}));\n")
  endforeach()
  list(REMOVE_DUPLICATES INCLUDES)
  list(JOIN INCLUDES "\n" INCLUDES)
  get_property(NOT_BUILT GLOBAL PROPERTY STOWAGE_NOT_BUILT)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/catalogue.cpp.in ${PROJECT_BINARY_DIR}/generated/catalogue.cpp @ONLY)
  set(sources ${PROJECT_BINARY_DIR}/generated/catalogue.cpp ${PROJECT_BINARY_DIR}/generated/workloads.cpp)
  add_library(stowage_catalogue STATIC ${sources})
  stowage_compile_together(stowage_catalogue 2 ${sources})
  target_link_libraries(stowage_catalogue PUBLIC stowage::harness PRIVATE stowage_peers)
  stowage_compile_unoptimised(stowage_catalogue)
  if(STOWAGE_MEASURED AND NOT MSVC)  # cards are constants
    target_compile_options(stowage_catalogue PRIVATE -O0 -g0)
  endif()
endfunction()

# stowage_add_command(TARGET STRATEGIES name...)
# A script, PROJECT_BINARY_DIR/TARGET: the command `stowage` with these storages beside the strategies of the list. It
# compiles them when they are first needed, as those of the list.
function(stowage_add_command TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "STRATEGIES")
  get_property(listed GLOBAL PROPERTY STOWAGE_STRATEGIES)
  get_property(peers GLOBAL PROPERTY STOWAGE_PEERS)
  set(folder ${PROJECT_BINARY_DIR}/commands/${TARGET})
  stowage_write_toolchain(${folder}/toolchain.json MODULES ${PROJECT_BINARY_DIR}/modules
                          STRATEGIES ${listed} ${peers} ${ARG_STRATEGIES})
  stowage_write_command(${TARGET} ${folder}/toolchain.json ${PROJECT_BINARY_DIR}/stowage)
endfunction()

# Writes that script.
function(stowage_write_command TARGET TOOLCHAIN PROGRAM)
  string(REPLACE "'" "'\\''" toolchain "${TOOLCHAIN}")
  string(REPLACE "'" "'\\''" program "${PROGRAM}")
  file(WRITE ${PROJECT_BINARY_DIR}/${TARGET}
    "#!/bin/sh\nSTOWAGE_TOOLCHAIN='${toolchain}' exec '${program}' \"$@\"\n")
  file(CHMOD ${PROJECT_BINARY_DIR}/${TARGET} PERMISSIONS
       OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()
