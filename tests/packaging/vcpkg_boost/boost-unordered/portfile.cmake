# Replaces vcpkg's port of Boost in the test of our port by the Boost of this machine.
set(VCPKG_POLICY_EMPTY_PACKAGE enabled)
