# hiredis::hiredis by its own package files, or by header and library where it comes without (Debian).
find_package(hiredis CONFIG QUIET)
if(NOT TARGET hiredis::hiredis)
  find_path(hiredis_INCLUDE_DIR hiredis/hiredis.h)
  find_library(hiredis_LIBRARY hiredis)
  mark_as_advanced(hiredis_INCLUDE_DIR hiredis_LIBRARY)
  if(hiredis_INCLUDE_DIR AND hiredis_LIBRARY)
    set(hiredis_VERSION "")
    foreach(hiredis_part IN ITEMS MAJOR MINOR PATCH)
      file(STRINGS "${hiredis_INCLUDE_DIR}/hiredis/hiredis.h" hiredis_line
           REGEX "^#define HIREDIS_${hiredis_part} ")
      string(REGEX MATCH "[0-9]+" hiredis_line "${hiredis_line}")
      string(JOIN "." hiredis_VERSION ${hiredis_VERSION} ${hiredis_line})
    endforeach()
    add_library(hiredis::hiredis UNKNOWN IMPORTED)
    set_target_properties(
      hiredis::hiredis PROPERTIES IMPORTED_LOCATION "${hiredis_LIBRARY}"
                                  INTERFACE_INCLUDE_DIRECTORIES "${hiredis_INCLUDE_DIR}")
  endif()
endif()
include(FindPackageHandleStandardArgs)
if(hiredis_CONFIG)
  find_package_handle_standard_args(hiredis CONFIG_MODE)
else()
  find_package_handle_standard_args(hiredis REQUIRED_VARS hiredis_LIBRARY hiredis_INCLUDE_DIR
                                    VERSION_VAR hiredis_VERSION)
endif()
