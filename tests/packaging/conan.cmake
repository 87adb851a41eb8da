# Makes the package with the real Conan, without the network: conan_boost/ replaces Boost.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
set(ENV{CONAN_HOME} "${FOLDER}")

# conan(<exit code> <argument>...): runs Conan, which must end with this code. Sets said to its output.
macro(conan code)
  execute_process(COMMAND "${CONAN}" ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT result EQUAL ${code})
    message(FATAL_ERROR "conan ${ARGN}: ends with ${result}, not ${code}\n${said}")
  endif()
endmacro()

conan(0 profile detect)
conan(0 create "${CMAKE_CURRENT_LIST_DIR}/conan_boost" --no-remote)

conan(6 create "${SOURCE_DIR}" --no-remote -s compiler.cppstd=gnu17)
if(NOT said MATCHES "Add -s compiler.cppstd=20")
  message(FATAL_ERROR "With C++17, Conan does not say what to set:\n${said}")
endif()

# The package must require only Boost: without a network, Conan fails if it needs cmake, cli11 or doctest.
foreach(compiled IN ITEMS False True)
  conan(0 create "${SOURCE_DIR}" --no-remote -s compiler.cppstd=20 -o "robots-cpp/*:compiled=${compiled}")
  if(NOT said MATCHES "robots-cpp [0-9.]+\n")
    message(FATAL_ERROR "test_package did not run:\n${said}")
  endif()
endforeach()
