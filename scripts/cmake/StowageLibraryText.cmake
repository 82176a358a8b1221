# stowage_embed_library(TARGET): the headers of the strategies become part of TARGET, as text that `stowage adopt` hands
# out; called once, after the last add_strategy(). Written anew when a header has changed, come or gone.
function(stowage_embed_library TARGET)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/strategies/stowage/*.hpp)
  set(output ${PROJECT_BINARY_DIR}/generated/harness/library_files.cpp)
  set(script ${PROJECT_SOURCE_DIR}/scripts/cmake/WriteLibraryText.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}/strategies -DLICENCE=${PROJECT_SOURCE_DIR}/LICENSE
            -DOUTPUT=${output} -P ${script}
    DEPENDS ${headers} ${script} ${PROJECT_SOURCE_DIR}/LICENSE
    COMMENT "Writing down the library"
    VERBATIM)

  get_property(strategies GLOBAL PROPERTY STOWAGE_STRATEGIES)
  list(LENGTH strategies count)
  set(entries "")
  foreach(strategy IN LISTS strategies)
    get_property(header GLOBAL PROPERTY STOWAGE_STRATEGY_${strategy}_HEADER)
    get_property(template GLOBAL PROPERTY STOWAGE_STRATEGY_${strategy}_TEMPLATE)
    string(APPEND entries "    {\"${strategy}\", \"${header}\", \"${template}\"},\n")
  endforeach()
  get_property(adapters GLOBAL PROPERTY STOWAGE_ADAPTERS)
  list(LENGTH adapters adapter_count)
  list(JOIN adapters ",\n    " adapters)
  set(list ${PROJECT_BINARY_DIR}/generated/harness/library_strategies.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/library_strategies.cpp.in ${list} @ONLY)
  target_sources(${TARGET} PRIVATE ${output} ${list})
endfunction()
