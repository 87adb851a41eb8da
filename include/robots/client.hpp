#pragma once

/// Includes the headers of `client/`, which fetches pages politely.
#include <robots/base/config.hpp>
#include <robots/client/client_options.hpp>
#include <robots/client/page_driver.hpp>
#include <robots/client/page_result.hpp>
#include <robots/client/polite_client.hpp>
