# Stands in for vcpkg's port in the test of ours: Boost is the one of this machine.
set(VCPKG_POLICY_EMPTY_PACKAGE enabled)
