#pragma once

/// The bodies that the other headers leave out where ROBOTS_COMPILED is defined: to be included in
/// one source file of such a program. The target robots::compiled does both.
#include <robots/policy/codec.ipp>
