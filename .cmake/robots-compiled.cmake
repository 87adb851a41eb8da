# robots::compiled: the code that does not depend on types of the user, compiled once instead of in every
# file. It is built only if a target links it, in a project with the language C++.
get_property(_robots_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST _robots_languages AND TARGET Boost::headers AND NOT TARGET robots_compiled)
  add_library(robots_compiled STATIC EXCLUDE_FROM_ALL "${CMAKE_CURRENT_LIST_DIR}/robots.cpp")
  add_library(robots::compiled ALIAS robots_compiled)
  target_link_libraries(robots_compiled PUBLIC robots::robots)
  target_compile_definitions(robots_compiled PUBLIC ROBOTS_COMPILED)
  set_target_properties(
    robots_compiled
    PROPERTIES POSITION_INDEPENDENT_CODE ON
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON)
endif()
