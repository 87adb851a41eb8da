# Installs the overlay port with the real vcpkg, and builds the consumer with it. vcpkg_boost/ replaces vcpkg's
# Boost, so that nothing is downloaded.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
set(ENV{VCPKG_FORCE_SYSTEM_BINARIES} 1)
set(ENV{VCPKG_DISABLE_METRICS} 1)
execute_process(
  COMMAND
    "${VCPKG}" install robots-txt-crawler --classic --binarysource=clear
    "--overlay-ports=${CMAKE_CURRENT_LIST_DIR}/vcpkg" "--overlay-ports=${CMAKE_CURRENT_LIST_DIR}/vcpkg_boost"
    "--x-buildtrees-root=${FOLDER}/buildtrees" "--x-packages-root=${FOLDER}/packages"
    "--x-install-root=${FOLDER}/installed" "--downloads-root=${FOLDER}/downloads"
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE said)
foreach(bad IN ITEMS "warning:" "error:")
  string(FIND "${said}" "${bad}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "vcpkg reports a warning or an error for the port:\n${said}")
  endif()
endforeach()
file(GLOB prefix "${FOLDER}/installed/*/share/robots")
execute_process(
  COMMAND "${CMAKE_CTEST_COMMAND}" --build-and-test "${CMAKE_CURRENT_LIST_DIR}/consumer" "${FOLDER}/consumer"
          --build-generator Ninja --build-options "-Drobots_DIR=${prefix}" -DCONSUMER_COMPONENTS=rep
          "-DCMAKE_CXX_COMPILER=${CXX}" --test-command consumer
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
