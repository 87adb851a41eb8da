include("${CMAKE_CURRENT_LIST_DIR}/robots-find-least.cmake")

# robots_missing(<variable> <target>...): sets the variable to the targets that do not exist.
function(robots_missing variable)
  set(missing "")
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      list(APPEND missing ${target})
    endif()
  endforeach()
  set(${variable}
      "${missing}"
      PARENT_SCOPE)
endfunction()

# robots_add_adapter(<name> [POSIX] PACKAGES <package>/<least version>/<target>...
#                    [OPTIONAL <package>/<least version>/<target>/<definition>...] [NEEDS <adapter>...]
#                    HEADERS <pattern>...)
#
# Defines robots::<name> with the headers (patterns relative to include/robots) if the packages and the
# needed adapters are found. If an optional package is found, the headers use it, and <definition> is
# defined. ROBOTS_<NAME> is AUTO (define it if they are found), ON (fail if they
# are not found) or OFF. The headers are always installed, since the user of the library may have
# packages that this machine does not have.
function(robots_add_adapter name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "POSIX" "" "PACKAGES;OPTIONAL;NEEDS;HEADERS")
  string(TOUPPER ${name} upper)
  list(TRANSFORM arg_NEEDS PREPEND robots::)
  list(TRANSFORM arg_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/include/robots/")
  file(
    GLOB arg_HEADERS CONFIGURE_DEPENDS
    RELATIVE "${PROJECT_SOURCE_DIR}"
    ${arg_HEADERS})
  target_sources(
    robots
    INTERFACE FILE_SET
              adapters
              TYPE
              HEADERS
              BASE_DIRS
              include
              FILES
              ${arg_HEADERS})
  string(JOIN " " call ${name} PACKAGES ${arg_PACKAGES} OPTIONAL ${arg_OPTIONAL} NEEDS ${arg_NEEDS})
  set_property(GLOBAL APPEND PROPERTY ROBOTS_ADAPTERS "${call}")

  set(ROBOTS_${upper}
      AUTO
      CACHE STRING "Provide robots::${name}: AUTO (if its packages are found), ON or OFF")
  set_property(CACHE ROBOTS_${upper} PROPERTY STRINGS AUTO ON OFF)
  if(NOT ROBOTS_${upper})
    message(STATUS "robots::${name}: no (ROBOTS_${upper} is off)")
    return()
  endif()
  robots_find_packages(${arg_PACKAGES})
  robots_missing(missing ${arg_NEEDS})
  if(arg_POSIX AND NOT UNIX)
    list(PREPEND missing "a POSIX system")
  endif()
  if(robots_lacking OR missing)
    string(JOIN ", " needs ${robots_lacking} ${missing})
    set(needs "needs ${needs}")
    if(NOT ROBOTS_${upper} STREQUAL "AUTO")
      message(FATAL_ERROR "ROBOTS_${upper} is on, and robots::${name} ${needs}. Install that, or set "
                          "ROBOTS_${upper} to AUTO or OFF.")
    endif()
    message(STATUS "robots::${name}: no (${needs})")
    return()
  endif()
  set(links ${robots_links})
  set(versions "${robots_versions}")
  robots_find_optional_packages(${arg_OPTIONAL})
  if(robots_versions)
    string(APPEND versions ", ${robots_versions}")
  endif()
  message(STATUS "robots::${name}: yes (${versions})")
  add_library(robots_${name} INTERFACE)
  add_library(robots::${name} ALIAS robots_${name})
  target_link_libraries(robots_${name} INTERFACE robots::robots ${arg_NEEDS} ${links} ${robots_links})
  target_compile_definitions(robots_${name} INTERFACE ${robots_definitions})
  target_sources(
    robots_${name}
    INTERFACE FILE_SET
              HEADERS
              BASE_DIRS
              include
              FILES
              ${arg_HEADERS})
  set_target_properties(robots_${name} PROPERTIES EXPORT_NAME ${name} SYSTEM ${ROBOTS_IS_SYSTEM})
  set_property(GLOBAL APPEND PROPERTY ROBOTS_ADAPTER_TARGETS robots_${name})
endfunction()
