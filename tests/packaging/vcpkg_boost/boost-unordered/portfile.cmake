# Replaces vcpkg's port of Boost by the Boost of this machine, for the test of our port.
set(VCPKG_POLICY_EMPTY_PACKAGE enabled)
