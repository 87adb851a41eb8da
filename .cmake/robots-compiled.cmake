# robots::compiled: what depends on no type of the user's, compiled once in place of in every file. Built
# where something links it.
if(NOT TARGET robots_compiled)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/robots.cpp" CONTENT "#include <robots/src.hpp>\n")
  add_library(robots_compiled STATIC EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/robots.cpp")
  add_library(robots::compiled ALIAS robots_compiled)
  target_link_libraries(robots_compiled PUBLIC robots::robots)
  target_compile_definitions(robots_compiled PUBLIC ROBOTS_COMPILED)
  set_target_properties(robots_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
