# "cmake -B build && cmake --build build && cmake --install build" must build only robots-check. This test
# configures the project, and asks Ninja which files it would compile.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${FOLDER}" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}"
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${FOLDER}" -- -n
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE steps)
string(REGEX MATCHALL "Building CXX object [^\n]+" compiled "${steps}")
list(FILTER compiled EXCLUDE REGEX "tests/tools/CMakeFiles/robots-check[.]dir/")
if(compiled)
  message(FATAL_ERROR "Without options, the project also builds: ${compiled}")
endif()
load_cache("${FOLDER}" READ_WITH_PREFIX "" CMAKE_BUILD_TYPE)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  message(FATAL_ERROR "Without options, the build type is '${CMAKE_BUILD_TYPE}', not Release")
endif()
