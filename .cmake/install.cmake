# Installs the headers and the files of find_package(robots CONFIG). The library has no binaries, so
# these files go to the folder that all architectures share.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(robots_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/robots")
install(
  TARGETS robots robots_rep
  EXPORT robots-targets
  FILE_SET HEADERS
  FILE_SET bodies
  FILE_SET adapters)
install(
  EXPORT robots-targets
  NAMESPACE robots::
  DESTINATION "${robots_package_dir}")


# A project that contains this one can install a library of its own over an adapter. For this, the adapter
# must be in an export set. find_package(robots) does not read these files: it makes each adapter
# whose packages it finds.
get_property(robots_adapter_targets GLOBAL PROPERTY ROBOTS_ADAPTER_TARGETS)
foreach(target IN LISTS robots_adapter_targets)
  install(
    TARGETS ${target}
    EXPORT ${target}-targets
    FILE_SET HEADERS)
  install(
    EXPORT ${target}-targets
    NAMESPACE robots::
    DESTINATION "${robots_package_dir}/adapters")
endforeach()

get_property(robots_adapters GLOBAL PROPERTY ROBOTS_ADAPTERS)
set(ROBOTS_ADAPTER_CALLS "")
foreach(adapter IN LISTS robots_adapters)
  string(APPEND ROBOTS_ADAPTER_CALLS "_robots_adapter(${adapter})\n")
endforeach()
configure_package_config_file(
  .cmake/robots-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/robots-config.cmake"
  INSTALL_DESTINATION "${robots_package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/robots-config-version.cmake"
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)
file(GLOB find_modules CONFIGURE_DEPENDS .cmake/Find*.cmake)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/robots-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/robots-config-version.cmake" .cmake/robots-compiled.cmake
              .cmake/robots.cpp .cmake/robots.cppm
              .cmake/robots-find-least.cmake ${find_modules}
        DESTINATION "${robots_package_dir}")
configure_file(.cmake/robots.pc.in robots.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/robots.pc"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
include("${CMAKE_CURRENT_LIST_DIR}/sbom.cmake")
