// Random orders by several processes, with a ledger that fails, loses answers and loses all orders.
#include "rulings/loss_conformance.hpp"
#include <robots/base/random.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace robots;
using test::crawl_process;

namespace {

/// The processes of a crawl, the acknowledged orders, and random steps.
class random_crawl {
 public:
  explicit random_crawl(std::uint64_t seed) : random_{seed}, processes_(2 + random_() % 3) {
    for (auto& process : processes_) {
      process = start();
    }
  }

  void step() {
    const std::size_t place = random_() % processes_.size();
    crawl_process& process = *processes_[place];
    const std::string site = "h" + std::to_string(random_() % 2) + ".example";
    switch (random_() % 12) {
      case 0:
      case 1:
        return note(process.rulings.halt(site));
      case 2:
      case 3:
        return note(process.rulings.resume(site));
      case 4:
        return note(process.rulings.override_with(
            site, random_() % 2 == 0 ? site_override::allow : site_override::deny));
      case 5:
        return note(process.rulings.end_override(site));
      case 6:
        return note(process.rulings.sign_off(site));
      case 7:
        (void)process.rulings.catch_up();
        return;
      case 8:
        process.ledger->is_down = !process.ledger->is_down;
        return;
      case 9:
        process.ledger->loses_answers = !process.ledger->loses_answers;
        return;
      case 10:
        if (place != 0) {
          processes_[place] = start();  // its unsent orders end with it: nobody acknowledged them
        }
        return;
      default:
        return lose();
    }
  }

  /// Lets all processes reach the ledger again, and lets two polls pass.
  void recover() {
    for (int poll = 0; poll < 2; ++poll) {
      for (const auto& process : processes_) {
        process->ledger->is_down = false;
        process->ledger->loses_answers = false;
        REQUIRE(process->rulings.catch_up());
      }
    }
  }

  void check() {
    const auto agreed = processes_.front()->rulings.in_force();
    std::map<std::string, std::string> values;
    for (const ruling_order& order : agreed) {
      values[rulings_detail::name_of(order)] = order.value;
    }
    for (const auto& process : processes_) {
      CHECK(process->rulings.in_force() == agreed);
      CHECK(process->rulings.unsent() == 0);
    }
    const auto late = start();
    CHECK(late->rulings.find("h0.example").effect == ruling_effect::unread);
    REQUIRE(late->rulings.catch_up());
    CHECK(late->rulings.in_force() == agreed);
    for (const auto& [name, value] : acknowledged_) {
      if (!open_.contains(name)) {
        CAPTURE(name);
        CHECK(values[name] == value);
      }
    }
  }

 private:
  [[nodiscard]] std::unique_ptr<crawl_process> start() {
    return std::make_unique<crawl_process>(std::make_shared<MemoryRulingLedger>(ledger_));
  }

  /// Notes the value of acknowledged orders. A ruling with an order that is not acknowledged is
  /// open: that order can come later than all others, or never.
  void note(const std::vector<ruling_order>& orders) {
    for (const ruling_order& order : orders) {
      const std::string name = rulings_detail::name_of(order);
      acknowledged_[name] = order.value;
      if (order.number.generation == 0) {
        open_.insert(name);
      }
    }
  }

  /// The first process has read all orders, so none may be lost. Between two losses, each process
  /// has polled the ledger.
  void lose() {
    if (has_lost_) {
      recover();
    }
    has_lost_ = true;
    crawl_process& witness = *processes_.front();
    witness.ledger->is_down = false;
    witness.ledger->loses_answers = false;
    if (witness.rulings.catch_up()) {
      ledger_.lose_all();
    }
  }

  base::random_sequence random_;
  MemoryRulingLedger ledger_;
  std::vector<std::unique_ptr<crawl_process>> processes_;
  std::map<std::string, std::string> acknowledged_;
  std::set<std::string> open_;
  bool has_lost_ = false;
};

}  // namespace

TEST_CASE("Processes that can reach the ledger agree, and no acknowledged order is lost") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    random_crawl crawl{seed};
    for (int step = 0; step < 60; ++step) {
      crawl.step();
    }
    crawl.recover();
    crawl.check();
  }
}
