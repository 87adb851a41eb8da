# The packages that the tests and the tools need. Only some distributions have package files for
# them.

# robots_find_headers(<target> <package> <header>): finds the target of the package, or defines one with its
# headers.
function(robots_find_headers target package header)
  find_package(${package} CONFIG QUIET GLOBAL)
  if(TARGET ${target})
    return()
  endif()
  find_path(ROBOTS_${package}_INCLUDE_DIR ${header})
  mark_as_advanced(ROBOTS_${package}_INCLUDE_DIR)
  if(ROBOTS_${package}_INCLUDE_DIR)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE "${ROBOTS_${package}_INCLUDE_DIR}")
  endif()
endfunction()

robots_find_headers(CLI11::CLI11 CLI11 CLI/CLI.hpp)
robots_find_headers(nlohmann_json::nlohmann_json nlohmann_json nlohmann/json.hpp)
find_package(OpenSSL QUIET)
find_package(ZLIB QUIET)

# The loopback server: robots_httplib, built with TLS.
if(NOT TARGET robots_httplib AND OpenSSL_FOUND)
  find_package(httplib CONFIG QUIET)
  if(TARGET httplib::httplib)
    set(robots_httplib httplib::httplib)
  else()
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(ROBOTS_HTTPLIB QUIET IMPORTED_TARGET cpp-httplib)
    endif()
    if(TARGET PkgConfig::ROBOTS_HTTPLIB)
      set(robots_httplib PkgConfig::ROBOTS_HTTPLIB)
    else()
      find_path(ROBOTS_HTTPLIB_INCLUDE_DIR httplib.h)
      mark_as_advanced(ROBOTS_HTTPLIB_INCLUDE_DIR)
    endif()
  endif()
  if(robots_httplib OR ROBOTS_HTTPLIB_INCLUDE_DIR)
    add_library(robots_httplib INTERFACE)
    target_link_libraries(robots_httplib INTERFACE ${robots_httplib} OpenSSL::SSL OpenSSL::Crypto
                                                   Threads::Threads)
    if(NOT robots_httplib)
      target_include_directories(robots_httplib SYSTEM
                                 INTERFACE "${ROBOTS_HTTPLIB_INCLUDE_DIR}")
      target_compile_definitions(robots_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT)
    endif()
  endif()
endif()

# robots_list_sources(<file>...): lists files that a target builds. tests/layers.cpp fails for a
# source file that is in no list. The functions that add targets for tests list their own files.
function(robots_list_sources)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set_property(GLOBAL APPEND PROPERTY ROBOTS_LISTED_SOURCES ${ARGN})
endfunction()
