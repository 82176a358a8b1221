find_program(STOWAGE_CCACHE ccache)
mark_as_advanced(STOWAGE_CCACHE)
if(STOWAGE_CCACHE)
  # what ccache wants to be told before it caches what uses precompiled headers
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${STOWAGE_CCACHE}")
endif()
