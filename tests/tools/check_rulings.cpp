#include "check_rulings.hpp"

#include "check_store.hpp"
#include "check_text.hpp"
#include "json_text.hpp"
#ifdef ROBOTS_CHECK_REDIS
#include <robots/adapters/redis/redis_ruling_ledger.hpp>
#endif
#ifdef ROBOTS_CHECK_SQLITE
#include <robots/adapters/sqlite/sqlite_ruling_ledger.hpp>
#endif
#include <robots/rulings.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::check {

std::shared_ptr<RulingLedger> open_ledger(const std::string& name) {
  const bool is_file = names_file(name);
#ifdef ROBOTS_CHECK_SQLITE
  if (is_file) {
    return std::make_shared<SqliteRulingLedger>(sqlite_options{.path = file_of(name)});
  }
#endif
#ifdef ROBOTS_CHECK_REDIS
  if (!is_file) {
    return std::make_shared<RedisRulingLedger>(redis_options{.url = name});
  }
#endif
  throw_not_built(name, is_file);
}

namespace {

std::string line_of(const ruling_order& order) {
  const std::chrono::sys_seconds second{std::chrono::seconds{order.time}};
  std::string text = base::printable(order.site) + "  " + std::string{to_string(order.kind)} + ' ' +
                     (order.is_in_force() ? base::printable(order.value) : "ended") + "  by " +
                     base::printable(order.maker) + ", " + date_text(second);
  if (order.number.generation != 0) {
    text += ", order " + to_string(order.number);
  }
  return text;
}

std::string json_of(const ruling_order& order) {
  const std::chrono::sys_seconds second{std::chrono::seconds{order.time}};
  return to_line({{"site", text_of(order.site)},
                  {"kind", to_string(order.kind)},
                  {"value", text_of(order.value)},
                  {"detail", text_of(order.detail)},
                  {"maker", text_of(order.maker)},
                  {"time", date_text(second)},
                  {"order", to_string(order.number)}});
}

void print(const settings& wanted, const std::vector<ruling_order>& orders) {
  for (const ruling_order& order : orders) {
    std::cout << (wanted.json ? json_of(order) : line_of(order)) << '\n';
  }
  if (!(std::cout << std::flush)) {
    throw std::runtime_error("cannot write the output: check the disk or the reader of the pipe");
  }
}

#ifdef ROBOTS_CHECK_REDIS
/// Says if the server can evict rulings.
std::string eviction_text(const RedisRulingLedger::server_settings& server) {
  if (!server.maxmemory_policy) {
    return "maxmemory-policy unknown: it must be noeviction or volatile-*, so that Redis evicts no "
           "rulings";
  }
  const std::string& policy = *server.maxmemory_policy;
  const std::string text = "maxmemory-policy " + base::printable(policy) + ": ";
  if (policy == "noeviction") {
    return text + "Redis evicts no rulings";
  }
  if (policy.starts_with("volatile-")) {
    return text + "Redis evicts no rulings, since they never expire";
  }
  return "warning: " + text + "Redis can evict rulings: set it to noeviction or volatile-*";
}

/// Says which acknowledged orders a crash of the server loses.
std::string durability_text(const RedisRulingLedger::server_settings& server) {
  if (!server.appendonly) {
    return "appendonly unknown: if it is no, a crash of the server loses the orders since the last "
           "snapshot";
  }
  if (!*server.appendonly) {
    const std::string text = "appendonly no, save ";
    if (!server.save) {
      return text +
             "unknown: a crash of the server loses the orders since the last snapshot, or all "
             "orders if it makes none";
    }
    if (server.save->empty()) {
      return "warning: " + text + "\"\": a crash of the server loses all orders";
    }
    return text + '"' + base::printable(*server.save) +
           "\": a crash of the server loses the orders since the last snapshot";
  }
  const std::string text = "appendonly yes, appendfsync " +
                           base::printable(server.appendfsync.value_or("unknown")) +
                           ": a crash of the server loses ";
  if (server.appendfsync == "always") {
    return text + "no order that it has acknowledged";
  }
  if (server.appendfsync == "everysec") {
    return text + "the orders of about a second";
  }
  if (server.appendfsync == "no") {
    return text + "the orders that the system has not written yet, often those of 30 seconds";
  }
  return text + "no order with always, those of about a second with everysec, and more with no";
}
#endif

/// Prints how the ledger's server is set, for people. Programs read only the list itself.
void print_settings(const settings& wanted, const RulingLedger& ledger) {
#ifdef ROBOTS_CHECK_REDIS
  const auto* const redis = dynamic_cast<const RedisRulingLedger*>(&ledger);
  if (redis != nullptr && !wanted.json) {
    const RedisRulingLedger::server_settings server = redis->settings();
    std::cerr << "robots-check: " << eviction_text(server)
              << "\nrobots-check: " << durability_text(server) << '\n';
  }
#else
  static_cast<void>(wanted);
  static_cast<void>(ledger);
#endif
}

void require_reached(const SiteRulings& rulings, bool is_done) {
  if (!is_done || rulings.unsent() > 0) {
    throw std::runtime_error("the ledger cannot be reached: " + rulings.failure());
  }
}

/// Gives the orders of a command for one site.
std::vector<ruling_order> give(const settings& wanted, SiteRulings& rulings,
                               const std::string& named) {
  const std::string& maker = wanted.maker;
  if (wanted.command == command::rulings_halt) {
    return rulings.halt(named, maker);
  }
  if (wanted.command == command::rulings_resume) {
    std::vector<ruling_order> orders = rulings.resume(named, maker);
    const std::vector<ruling_order> more = rulings.end_quarantine(named, maker);
    orders.insert(orders.end(), more.begin(), more.end());
    return orders;
  }
  if (wanted.command == command::rulings_sign_off) {
    return wanted.withdraw ? rulings.withdraw_sign_off(named, maker)
                           : rulings.sign_off(named, maker);
  }
  const std::string& word = wanted.arguments[1];
  if (word == "none") {
    return rulings.end_override(named, maker);
  }
  return rulings.override_with(named, word == "allow" ? site_override::allow : site_override::deny,
                               maker);
}

/// Returns the records in which an older version of the library stored rulings.
std::vector<std::string> old_records_of(const std::string& name) {
  return with_store<std::vector<std::string>>(name, [](auto store) {
    std::vector<std::string> keys;
    store.for_each([&](std::string_view key, std::chrono::milliseconds /*lifetime*/) {
      if (key.starts_with(rulings_detail::old_record_key)) {
        keys.emplace_back(key);
      }
    });
    std::vector<std::string> texts;
    for (auto& value : store.load_all(keys)) {
      if (value) {
        texts.push_back(*std::move(value));
      }
    }
    return texts;
  });
}

/// Takes the rulings that the records of a store have into the ledger in the same place. Names each
/// record that it cannot read.
status import_from(const settings& wanted, RulingLedger& ledger) {
  const std::vector<std::string> records = old_records_of(wanted.arguments[0]);
  print(wanted, import_rulings(ledger, records, wanted.dry_run));
  const std::vector<std::string> unreadable = unreadable_rulings(records);
  for (const std::string& text : unreadable) {
    std::cerr << "robots-check: not imported, since it is no record of rulings: \""
              << base::printable(text) << "\": give these orders by rulings halt or override\n";
  }
  return unreadable.empty() ? yes : no;
}

}  // namespace

status run_rulings(const settings& wanted) {
  const std::vector<std::string>& given = wanted.arguments;
  const bool is_override = wanted.command == command::rulings_override;
  if (is_override && given[1] != "allow" && given[1] != "deny" && given[1] != "none") {
    throw std::invalid_argument('"' + given[1] + "\" is not an override: give allow, deny or none");
  }
  if (names_file(given[0]) && !std::filesystem::exists(file_of(given[0]))) {
    throw std::invalid_argument('"' + given[0] + "\" does not exist: give the file of a ledger");
  }
  const std::shared_ptr<RulingLedger> ledger = open_ledger(given[0]);
  if (wanted.command == command::rulings_import) {
    return import_from(wanted, *ledger);
  }
  SiteRulings rulings{
      {.ledger = ledger, .maker = wanted.maker, .poll = std::chrono::milliseconds{0}}};
  require_reached(rulings, rulings.catch_up());
  if (wanted.command == command::rulings_list) {
    print_settings(wanted, *ledger);
    print(wanted, rulings.in_force());
    return yes;
  }
  for (std::size_t i = is_override ? 2 : 1; i < given.size(); ++i) {
    if (!parse_site(given[i])) {
      throw std::invalid_argument(
          '"' + given[i] + "\" is not a site: give a host, HOST:PORT, or an http or https URL");
    }
  }
  for (std::size_t i = is_override ? 2 : 1; i < given.size(); ++i) {
    const std::vector<ruling_order> orders = give(wanted, rulings, given[i]);
    require_reached(rulings, true);
    print(wanted, orders);
    if (orders.empty() && !wanted.json) {
      std::cout << base::printable(given[i]) << "  nothing to change\n" << std::flush;
    }
  }
  return yes;
}

}  // namespace robots::check
