# Compiles SOURCE with -DCASE_<CASE> and requires that it fails with EXPECTED in the first line that has "error:".
# CASE none has to compile: otherwise the cases would fail for another reason than theirs.
separate_arguments(flags NATIVE_COMMAND "${FLAGS}")
execute_process(COMMAND ${COMPILER} ${flags} -fsyntax-only -DCASE_${CASE} ${SOURCE}
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE messages)
if(CASE STREQUAL "none")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "this compiles nowhere, so its cases prove nothing:\n${messages}")
  endif()
  return()
endif()
if(result EQUAL 0)
  message(FATAL_ERROR "compiles, but must not")
endif()
string(REGEX MATCH "[^\n]*error:[^\n]*" first_error "${messages}")
string(FIND "${first_error}" "${EXPECTED}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the first error does not say '${EXPECTED}':\n${first_error}")
endif()
