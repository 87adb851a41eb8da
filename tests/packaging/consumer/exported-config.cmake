# The package of a library over all adapters of robots that this system has.
include(CMakeFindDependencyMacro)
find_dependency(robots CONFIG)
include("${CMAKE_CURRENT_LIST_DIR}/exported-targets.cmake")
