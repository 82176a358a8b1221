find_program(STOWAGE_CCACHE ccache)
mark_as_advanced(STOWAGE_CCACHE)
if(STOWAGE_CCACHE)
  # It looks at the files that the compiler lists, so that a first build does not preprocess each file twice.
  set(CMAKE_CXX_COMPILER_LAUNCHER "env;CCACHE_DEPEND=1;${STOWAGE_CCACHE}")
endif()
