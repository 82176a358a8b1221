# `verify` of a strategy that is wrong on purpose exits with 1 and names its cell of each workload on stderr.
execute_process(COMMAND ${PROGRAM} verify --strategies wrong_map,indirection_map --workloads lookup,join --entities 2k
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 1)
  message(FATAL_ERROR "exit code ${status} instead of 1\n${output}${errors}")
endif()
if(NOT errors MATCHES "lookup/wrong_map/entities:2048" OR NOT errors MATCHES "join/wrong_map/entities:2048")
  message(FATAL_ERROR "the wrong cell is not named\n${output}${errors}")
endif()
if(errors MATCHES "/indirection_map/")
  message(FATAL_ERROR "a right cell is blamed\n${output}${errors}")
endif()
