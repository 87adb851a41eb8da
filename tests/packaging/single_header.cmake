# Tests the single header: the programs do not see the headers that it is made of.
if(NOT TARGET robots_single_header)
  return()
endif()

# The tests include headers one by one. Here, each of these headers only includes the single header.
set(forwarding "${CMAKE_CURRENT_BINARY_DIR}/forwarding")
get_target_property(headers robots HEADER_SET)
list(TRANSFORM headers REPLACE "^.*include/(robots/.*)$" "\\1")
list(REMOVE_ITEM headers robots/robots.hpp robots/testing.hpp robots/src.hpp)
foreach(header IN LISTS headers)
  set(whole robots/robots.hpp)
  if(header MATCHES "^robots/testing/")
    set(whole robots/testing.hpp)
  endif()
  file(CONFIGURE OUTPUT "${forwarding}/${header}" CONTENT "#include <${whole}>\n")
endforeach()

add_library(robots_single INTERFACE)
target_compile_features(robots_single INTERFACE cxx_std_20)
target_compile_options(robots_single INTERFACE -UROBOTS_COMPILED)
target_include_directories(robots_single INTERFACE "${ROBOTS_SINGLE_HEADER}" "${forwarding}")
target_link_libraries(robots_single INTERFACE Boost::headers Threads::Threads)

# robots_add_single_header_test(<name> <file>...)
function(robots_add_single_header_test name)
  add_executable(${name} ${ARGN})
  add_dependencies(${name} robots_single_header)
  set_property(TARGET ${name} PROPERTY LINK_LIBRARIES robots_single)
  add_test(NAME packaging.${name} COMMAND ${name})
endfunction()

set(tests "${PROJECT_SOURCE_DIR}/tests")
robots_add_single_header_test(
  single_header_tests $<TARGET_OBJECTS:robots_test_main> "${tests}/rep/rules/rule_set.cpp"
  "${tests}/http/origin.cpp" "${tests}/policy/decide.cpp" "${tests}/fetch/circuit_breaker.cpp"
  "${tests}/testing/manual_clock.cpp")
set_target_properties(single_header_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_include_directories(single_header_tests PRIVATE "${tests}")
target_link_libraries(single_header_tests PRIVATE doctest::doctest rules_plug_in)
if(ROBOTS_CONTRACT_FILE AND EXISTS "${ROBOTS_CONTRACT_FILE}")
  robots_add_single_header_test(single_header_contract "${ROBOTS_CONTRACT_FILE}")
  target_compile_options(single_header_contract PRIVATE -Wall -Wextra -Werror)
endif()
