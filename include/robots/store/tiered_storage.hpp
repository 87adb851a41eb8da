#pragma once

/// Moved: include `robots/cache/tiered_storage.hpp`. This header will go.
#include <robots/cache/tiered_storage.hpp>
