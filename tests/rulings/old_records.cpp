#include <robots/rulings/old_records.hpp>

#include "rulings/ledger_conformance.hpp"
#include <robots/policy/site_override.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace robots;
using test::ledger_reader;

namespace {

/// Records as the version before stored them: kind, scheme, value, and milliseconds.
const std::vector<std::string> old_records{
    "ruling 1 example.com 1 0 3 2000",                    // halted by hand
    "ruling 1 other.example:8080 0 2 1 1000 2 0 1 1500",  // https: allow; signed off
    "ruling 1 third.example 1 0 0 3000 3 1 1 4000",       // resumed; http: quarantine
    "no ruling at all",
};

}  // namespace

TEST_CASE("An empty ledger takes all rulings of an older version, in their sequence") {
  MemoryRulingLedger ledger;
  CHECK(import_rulings(ledger, old_records, true).size() == 5);
  CHECK(ledger.read({}).orders.empty());
  const auto orders = import_rulings(ledger, old_records);
  REQUIRE(orders.size() == 5);
  CHECK(orders.front().number == ruling_number{1, 1});
  CHECK(orders.back().number == ruling_number{1, 5});
  ledger_reader reader;
  reader.catch_up(ledger);
  CHECK(reader.value("halt example.com") == "by_hand");
  CHECK(reader.value("site_override https://other.example:8080") == "allow");
  CHECK(reader.value("sign_off other.example:8080") == "given");
  CHECK(reader.value("halt third.example").empty());
  CHECK(reader.value("quarantine http://third.example") == "malformed");
}

TEST_CASE("An old ruling on a port of the other scheme is one on the site that had this record") {
  const std::vector<std::string> records{
      "ruling 1 h.example:443 1 0 1 1000 0 1 2 2000",  // halted; http: denied
      "ruling 1 i.example:80 2 0 1 3000 3 2 1 4000",   // signed off; https: quarantine
      "ruling 1 [2001:db8::1]:443 1 0 3 5000",
  };
  MemoryRulingLedger ledger;
  CHECK(unreadable_rulings(records).empty());
  CHECK(import_rulings(ledger, records).size() == 5);
  ledger_reader reader;
  reader.catch_up(ledger);
  CHECK(reader.value("halt http://h.example:443") == "hostile");
  CHECK(reader.value("site_override http://h.example:443") == "deny");
  CHECK(reader.value("sign_off https://i.example:80") == "given");
  CHECK(reader.value("quarantine https://i.example:80") == "malformed");
  CHECK(reader.value("halt http://[2001:db8::1]:443") == "by_hand");
}

TEST_CASE("Records from which no ruling can be read are listed") {
  std::vector<std::string> records{
      "ruling 1 http://h.example 1 0 1 1000", "ruling 1 H.example 1 0 1 1000",
      "ruling 1 h.example 9 0 1 1000",        "ruling 2 h.example 1 0 1 1000",
      "ruling 1 h.example:99999 1 0 1 1000",  "",
  };
  MemoryRulingLedger ledger;
  CHECK(unreadable_rulings(records) == records);
  CHECK(import_rulings(ledger, records).empty());
  records.insert(records.begin(), old_records.begin(), old_records.end());
  CHECK(unreadable_rulings(records).size() == records.size() - 3);
}

TEST_CASE("A ledger takes an old ruling once, also if the halt was ended since") {
  MemoryRulingLedger ledger;
  (void)import_rulings(ledger, old_records);
  (void)ledger.append(test::order_for("example.com", "", "resumed"), {});
  (void)import_rulings(ledger, old_records);
  ledger_reader reader;
  reader.catch_up(ledger);
  CHECK(reader.value("halt example.com").empty());
  CHECK(reader.known.last.number == 6);
}

TEST_CASE("A ledger with orders takes old denials, but no old allow, resume or sign-off") {
  MemoryRulingLedger ledger;
  (void)ledger.append(test::order_for("third.example", "hostile", "1"), {});
  CHECK(import_rulings(ledger, old_records).size() == 2);
  ledger_reader reader;
  reader.catch_up(ledger);
  CHECK(reader.value("halt third.example") == "hostile");
  CHECK(reader.value("halt example.com") == "by_hand");
  CHECK(reader.value("sign_off other.example:8080") == "nothing");
}
