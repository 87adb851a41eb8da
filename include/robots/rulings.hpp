#pragma once

/// Includes the headers of `rulings/` that keep the rulings of a crawl in a ledger, and the `diff`
/// of policies, by which the alarms compare the answers of a site.
#include <robots/base/config.hpp>
#include <robots/policy/policy_change.hpp>
#include <robots/rulings/no_rulings.hpp>
#include <robots/rulings/old_records.hpp>
#include <robots/rulings/order_news.hpp>
#include <robots/rulings/ruled_place.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/rulings/rulings_options.hpp>
#include <robots/rulings/rulings_view.hpp>
#include <robots/rulings/site_rulings.hpp>
