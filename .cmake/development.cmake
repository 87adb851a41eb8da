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

# The headers that most tests, tools and examples include are compiled once. These are headers of the standard
# library and Boost. With a sanitizer, they are also those of the library: clang loads only what a file uses. The
# compiler options are for ccache.
option(ROBOTS_PRECOMPILE "Compile headers once for all tests, tools and examples" OFF)
set(robots_precompiled_options
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
robots_list_sources(tests/precompiled.cpp)
if(ROBOTS_PRECOMPILE)
  set(own_headers "")
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    set(own_headers <robots/robots.hpp> <robots/testing.hpp>)
  endif()
  add_library(robots_precompiled OBJECT "${PROJECT_SOURCE_DIR}/tests/precompiled.cpp")
  target_link_libraries(robots_precompiled PRIVATE robots::robots)
  target_precompile_headers(
    robots_precompiled
    PRIVATE
    <boost/unordered/unordered_flat_map.hpp>
    <boost/unordered/unordered_flat_set.hpp>
    <algorithm>
    <array>
    <atomic>
    <bit>
    <chrono>
    <condition_variable>
    <functional>
    <map>
    <memory>
    <mutex>
    <optional>
    <random>
    <ranges>
    <set>
    <span>
    <stdexcept>
    <stop_token>
    <string>
    <string_view>
    <thread>
    <utility>
    <variant>
    <vector>
    ${own_headers})
  target_compile_options(robots_precompiled PRIVATE ${robots_precompiled_options})
  if(own_headers)
    # The inline functions of these headers are compiled once, too, into a separate object file. With -O1, the slowest
    # tests take a tenth of the time.
    target_compile_options(robots_precompiled PRIVATE -fpch-codegen)
    set(folder "${PROJECT_BINARY_DIR}/CMakeFiles/robots_precompiled.dir")
    set(robots_precompiled_object "${folder}/cmake_pch.o")
    separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}")
    add_custom_command(
      OUTPUT "${robots_precompiled_object}"
      COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -O1 -fpch-codegen -c "${folder}/cmake_pch.hxx.pch" -o
              "${robots_precompiled_object}"
      DEPENDS robots_precompiled "${folder}/cmake_pch.hxx.pch")
    add_custom_target(robots_precompiled_functions DEPENDS "${robots_precompiled_object}")
  endif()
endif()

# robots_precompile(<target>): uses the headers that are compiled once.
function(robots_precompile target)
  if(ROBOTS_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM robots_precompiled)
    target_compile_options(${target} PRIVATE ${robots_precompiled_options})
    if(TARGET robots_precompiled_functions)
      # Ninja knows which command makes the object. So it compiles the target at the same time, and waits only to link.
      if(NOT CMAKE_GENERATOR STREQUAL "Ninja")
        add_dependencies(${target} robots_precompiled_functions)
      endif()
      target_link_libraries(${target} PRIVATE "${robots_precompiled_object}")
    endif()
  endif()
endfunction()
