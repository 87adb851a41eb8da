#pragma once

#include <robots/http/site.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

namespace rulings_detail {

/// One part of a record of an older version of the library: a decision on a site. A lifted ruling
/// is kept with its time.
struct old_ruling {
  ruling_kind kind{};
  std::optional<url_scheme> scheme{};  ///< empty if the ruling applies to both schemes
  /// The value of an override is its `site_override`. The value of a halt is 1 more than its
  /// `halt_reason`. A sign-off or a quarantine has the value 1. A lifted ruling has the value 0.
  std::uint8_t value = 0;
  std::int64_t stamp = 0;  ///< the time of the ruling, in milliseconds since the epoch
};

/// A record of an older version of the library: the rulings on a host and port.
struct old_record {
  std::string site{};                 ///< `site::key` without a scheme
  std::vector<old_ruling> rulings{};  ///< at most one ruling for each kind and scheme
};

/// Returns the site of a key without a scheme. Such a key can be `host:443` or `host:80`, which
/// `parse_site` would turn into `https://host` or `http://host`. The older version made these two
/// keys only of `http://host:443` and `https://host:80`. Returns an empty optional for a text that
/// is no such key.
[[nodiscard]] std::optional<site> site_of_bare_key(std::string_view bare);

/// Returns the key of the site of `old`. `bare` is the key without a scheme.
[[nodiscard]] std::string key_of(const std::string& bare, const old_ruling& old);

/// The keys of these records in a store begin with this text.
inline constexpr std::string_view old_record_key = "ruling://";

/// Reads a record: "ruling 1 HOST", then " KIND SCHEME VALUE STAMP" for each ruling. These four
/// words are numbers. The scheme is 0 for both schemes, 1 for http and 2 for https. Returns an
/// empty optional for every other text.
[[nodiscard]] std::optional<old_record> decode_old_record(std::string_view text);

/// Returns the order that an older version of the library stored as a part of a site's record. The
/// id has the time of the order, so each process makes the same id of the same part.
[[nodiscard]] ruling_order order_of(const std::string& bare_site, const old_ruling& old);

/// Returns true if the order denies a site.
[[nodiscard]] bool denies(const ruling_order& order);

}  // namespace rulings_detail

/// Returns the texts from which `import_rulings` can take nothing, since it cannot read them.
[[nodiscard]] std::vector<std::string> unreadable_rulings(std::span<const std::string> records);

/// Takes the rulings of an older version of the library into a ledger. The older version kept them
/// in a `SharedStore`, as records whose keys begin with `ruling://`. `records` are the values of
/// these keys; other texts are ignored: see `unreadable_rulings`. Returns the orders in the
/// sequence in which they were made. With `is_dry_run`, returns the same orders, but does not make
/// them.
///
/// An empty ledger takes all of them. A ledger with orders takes only halts, quarantines and
/// denials, so that an old allow or an old resume never ends a ruling. The same order is taken only
/// once, however often and by however many processes this function is called. So processes of both
/// versions can run together. Throws what the ledger throws.
std::vector<ruling_order> import_rulings(RulingLedger& ledger, std::span<const std::string> records,
                                         bool is_dry_run = false);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rulings/old_records.bodies.hpp>
#endif
