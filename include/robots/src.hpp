#pragma once

/// The bodies that the other headers leave out where ROBOTS_COMPILED is defined: to be included in
/// one source file of such a program. The target robots::compiled does both.
#include <robots/cache/cache_controls.ipp>
#include <robots/cache/cache_options.ipp>
#include <robots/cache/look_up.ipp>
#include <robots/policy/codec.ipp>
