# What is generated to test a storage: the conformance suite for it, and the work beside the reference model.

# stowage_generate_conformance(OUT NAME [WHOLE] [REGISTRY] [UNPACKED] [HEAP_PER_ENTITY])
# Sets OUT to the translation unit in which the conformance suite checks the strategy of that name.
#   WHOLE            a check that is left out, because the storage says that it lacks what is checked, fails
#   REGISTRY         the template takes a registry as second parameter, so what depends on that is checked too
#   UNPACKED         asks the heap for every component: see packed_memory_checks
#   HEAP_PER_ENTITY  asks the heap for something per entity, reserved or not: see reserved_memory_checks
function(stowage_generate_conformance OUT NAME)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "WHOLE;REGISTRY;UNPACKED;HEAP_PER_ENTITY" "" "")
  get_property(HEADER GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_HEADER)
  get_property(TEMPLATE GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_TEMPLATE)
  string(REPLACE "." "_" id ${NAME})
  set(MAY_LACK true)
  if(ARG_WHOLE)
    set(MAY_LACK false)
  endif()
  set(STRATEGY_WITH "// the registry cannot be chosen")
  set(REGISTRY_CHECKS "// none of for_each_registry_check()")
  set(PACKED_CHECKS "for_each_packed_check<Strategy>(run_in_section);")
  set(RESERVED_CHECKS "for_each_reserved_check<Strategy>(run_in_section);")
  if(ARG_REGISTRY)
    set(STRATEGY_WITH "template <class SchemaType, class Registry>\nusing StrategyWith = ${TEMPLATE}<SchemaType, Registry>;")
    set(REGISTRY_CHECKS "for_each_registry_check<StrategyWith>(run_in_section);")
  endif()
  if(ARG_UNPACKED)
    set(PACKED_CHECKS "// none of for_each_packed_check()")
  endif()
  if(ARG_HEAP_PER_ENTITY)
    set(RESERVED_CHECKS "// none of for_each_reserved_check()")
  endif()
  set(source ${PROJECT_BINARY_DIR}/generated/tests/conformance/${NAME}.cpp)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../tests/conformance/conformance.cpp.in ${source} @ONLY)
  set(${OUT} ${source} PARENT_SCOPE)
endfunction()

# stowage_generate_model_subjects(OUT TARGET NAME...)
# Sets OUT to a translation unit for each of the strategies, and TARGET's list of them, by which the tests of tests/model
# know them.
function(stowage_generate_model_subjects OUT TARGET)
  set(model ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../tests/model)
  set(generated ${PROJECT_BINARY_DIR}/generated/tests/model)
  set(declarations "")
  set(entries "")
  set(sources "")
  foreach(NAME IN LISTS ARGN)
    get_property(HEADER GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_HEADER)
    get_property(TEMPLATE GLOBAL PROPERTY STOWAGE_STRATEGY_${NAME}_TEMPLATE)
    string(REPLACE "." "_" id ${NAME})
    string(APPEND declarations "void run_${id}(const Operations& operations);\n"
                               "Saved save_${id}();\nvoid load_${id}(const Saved& saved);\n")
    string(APPEND entries "      {\"${NAME}\", &run_${id}, &save_${id}, &load_${id}},\n")
    configure_file(${model}/subject.cpp.in ${generated}/${NAME}.cpp @ONLY)
    list(APPEND sources ${generated}/${NAME}.cpp)
  endforeach()
  configure_file(${model}/subjects.cpp.in ${generated}/${TARGET}/subjects.cpp @ONLY)
  target_sources(${TARGET} PRIVATE ${generated}/${TARGET}/subjects.cpp ${sources})
  set(${OUT} ${sources} PARENT_SCOPE)
endfunction()
