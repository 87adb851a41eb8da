# robots_find_least(<package> <version> <target>): sets robots_found to whether the target is to be had in
# that version or a later one. Not left to find_package(<package> <version>): cpr's package files take
# a version to mean exactly that one.
macro(robots_find_least package version target)
  if(NOT TARGET ${target})
    find_package(${package} QUIET)
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
