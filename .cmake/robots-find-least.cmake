set(robots_modules "${CMAKE_CURRENT_LIST_DIR}")

# robots_find_least(<package> <version> <target>): sets robots_found to TRUE if the target exists in that
# version or a later one. Does not use find_package(<package> <version>), since cpr's package files then
# accept only exactly that version.
macro(robots_find_least package version target)
  if(NOT TARGET ${target})
    list(APPEND CMAKE_MODULE_PATH "${robots_modules}")
    find_package(${package} QUIET)
    list(POP_BACK CMAKE_MODULE_PATH)
  endif()
  set(robots_version "${${package}_VERSION}")
  if(robots_version STREQUAL "")
    set(robots_version "${${package}_VERSION_STRING}")
  endif()
  set(robots_found FALSE)
  if(TARGET ${target} AND (robots_version STREQUAL "" OR robots_version VERSION_GREATER_EQUAL
                                                         "${version}"))
    set(robots_found TRUE)
  endif()
endmacro()

# robots_find_library(<package> <target> <header> <prefix>): the end of a find module. If no package
# files have defined the target, defines it with the header and the library that has the name of the
# package. The header states the version after "#define <prefix>MAJOR", MINOR and PATCH.
macro(robots_find_library package target header prefix)
  include(FindPackageHandleStandardArgs)
  if(TARGET ${target})
    find_package_handle_standard_args(${package} CONFIG_MODE)
  else()
    find_path(${package}_INCLUDE_DIR ${header})
    find_library(${package}_LIBRARY ${package})
    mark_as_advanced(${package}_INCLUDE_DIR ${package}_LIBRARY)
    if(${package}_INCLUDE_DIR AND ${package}_LIBRARY)
      set(${package}_VERSION "")
      foreach(_robots_part IN ITEMS MAJOR MINOR PATCH)
        file(STRINGS "${${package}_INCLUDE_DIR}/${header}" _robots_line
             REGEX "^#[ \t]*define[ \t]+${prefix}${_robots_part}[ \t]")
        string(REGEX REPLACE ".*${prefix}${_robots_part}[ \t]+([0-9]+).*" "\\1" _robots_line
                             "${_robots_line}")
        string(JOIN "." ${package}_VERSION ${${package}_VERSION} ${_robots_line})
      endforeach()
      add_library(${target} UNKNOWN IMPORTED)
      set_target_properties(
        ${target} PROPERTIES IMPORTED_LOCATION "${${package}_LIBRARY}"
                             INTERFACE_INCLUDE_DIRECTORIES "${${package}_INCLUDE_DIR}")
    endif()
    find_package_handle_standard_args(${package} REQUIRED_VARS ${package}_LIBRARY ${package}_INCLUDE_DIR
                                      VERSION_VAR ${package}_VERSION)
  endif()
endmacro()

# robots_find_packages(<package>/<version>/<target>...): calls robots_find_least for each package. Sets
# robots_links to the targets, robots_versions to the found packages, and robots_lacking to the others.
macro(robots_find_packages)
  set(robots_links "")
  set(robots_versions "")
  set(robots_lacking "")
  foreach(_robots_package IN ITEMS ${ARGN})
    string(REPLACE "/" ";" _robots_package "${_robots_package}")
    list(GET _robots_package 0 _robots_name)
    list(GET _robots_package 1 _robots_least)
    list(GET _robots_package 2 _robots_target)
    robots_find_least(${_robots_name} ${_robots_least} ${_robots_target})
    list(APPEND robots_links ${_robots_target})
    if(robots_found)
      list(APPEND robots_versions "${_robots_name} ${robots_version}")
    else()
      list(APPEND robots_lacking "${_robots_name} >= ${_robots_least}")
    endif()
  endforeach()
  list(JOIN robots_versions ", " robots_versions)
  list(JOIN robots_lacking ", " robots_lacking)
endmacro()

# robots_find_optional_packages(<package>/<version>/<target>/<definition>...): looks for each package. Sets
# robots_links to the targets and robots_definitions to the definitions of those that were found, and robots_versions
# to their versions.
macro(robots_find_optional_packages)
  set(_robots_links "")
  set(_robots_versions "")
  set(robots_definitions "")
  foreach(_robots_option IN ITEMS ${ARGN})
    string(REGEX MATCH "^(.+)/([^/]+)$" _robots_option "${_robots_option}")
    set(_robots_definition "${CMAKE_MATCH_2}")
    robots_find_packages(${CMAKE_MATCH_1})
    if(NOT robots_lacking)
      list(APPEND _robots_links ${robots_links})
      list(APPEND _robots_versions "${robots_versions}")
      list(APPEND robots_definitions ${_robots_definition})
    endif()
  endforeach()
  set(robots_links ${_robots_links})
  list(JOIN _robots_versions ", " robots_versions)
endmacro()
