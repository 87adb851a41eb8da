# robots_single_header: the library in the two files single_header/robots/robots.hpp and testing.hpp.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "robots_single_header: no (needs python3)")
  return()
endif()
get_target_property(headers robots HEADER_SET)
get_target_property(bodies robots HEADER_SET_bodies)
set(ROBOTS_SINGLE_HEADER "${PROJECT_BINARY_DIR}/single_header")
set(single_header_script "${CMAKE_CURRENT_LIST_DIR}/single_header.py")
add_custom_command(
  OUTPUT "${ROBOTS_SINGLE_HEADER}/robots/robots.hpp" "${ROBOTS_SINGLE_HEADER}/robots/testing.hpp"
  COMMAND "${Python3_EXECUTABLE}" -B "${single_header_script}" "${PROJECT_SOURCE_DIR}/include"
          "${ROBOTS_SINGLE_HEADER}"
  DEPENDS "${single_header_script}" ${headers} ${bodies}
  VERBATIM)
add_custom_target(robots_single_header DEPENDS "${ROBOTS_SINGLE_HEADER}/robots/robots.hpp"
                                               "${ROBOTS_SINGLE_HEADER}/robots/testing.hpp")
