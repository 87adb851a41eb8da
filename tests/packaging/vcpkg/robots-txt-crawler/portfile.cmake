# The sources are the tree that contains this overlay port. A feature adds the libraries of an adapter as dependencies.
# The installed files do not depend on the features.
set(VCPKG_BUILD_TYPE release)  # there are only headers, so a debug build would be the same
set(VCPKG_FIXUP_ELF_RPATH OFF)
cmake_path(SET SOURCE_PATH NORMALIZE "${CURRENT_PORT_DIR}/../../../..")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DROBOTS_INSTALL_TOOLS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME robots CONFIG_PATH share/cmake/robots)
vcpkg_fixup_pkgconfig()
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
