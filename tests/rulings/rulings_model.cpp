// Random orders and alarms of several processes, with a ledger that fails, loses answers, loses all
// orders, and gets an older backup. Processes die and begin at any time.
//
//     orders, alarms, polls, failures, losses   <- 20 random steps
//     recover                                   <- the ledger can be reached, and two polls pass
//     check                                     <- all agree; what was acknowledged holds
//
// After each check, the same processes go on.
#include "rulings/loss_conformance.hpp"
#include <robots/base/random_sequence.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
    switch (random_() % 17) {
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
        return note(process.rulings.withdraw_sign_off(site));
      case 8:
        return note(process.rulings.raise_halt(site, halt_reason::hostile,
                                               "rules " + std::to_string(random_() % 2)));
      case 9:
        return note(process.rulings.raise_quarantine(site));
      case 10:
        return note(process.rulings.end_quarantine(site));
      case 11:
        (void)process.rulings.catch_up();
        return;
      case 12:
        process.ledger->is_down = !process.ledger->is_down;
        return;
      case 13:
        process.ledger->loses_answers = !process.ledger->loses_answers;
        return;
      case 14:
        if (witness_ != place) {
          processes_[place] = start();  // its unsent orders end with it: nobody acknowledged them
        }
        return;
      case 15:
        return ledger_.back_up();
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
    witness_.reset();
  }

  void check() {
    const auto agreed = processes_.front()->rulings.in_force();
    for (const auto& process : processes_) {
      CHECK(process->rulings.in_force() == agreed);
      CHECK(process->rulings.unsent() == 0);
    }
    check_late(agreed);
    std::map<std::string, std::string> values;
    for (const ruling_order& order : agreed) {
      values[rulings_detail::name_of(order)] = order.value;
    }
    for (const auto& [name, value] : values) {
      CAPTURE(name);
      CAPTURE(value);
      CHECK(candidates_[name].contains(value));  // nothing comes from nowhere
    }
    for (const auto& [name, value] : acknowledged_) {
      CAPTURE(name);
      if (open_.contains(name)) {
        CHECK(candidates_[name].contains(values[name]));
      } else {
        CHECK(values[name] == value);
        ++checked;
      }
    }
    // From here, all orders are known: they were sent, or their processes are gone.
    open_.clear();
    candidates_.clear();
    acknowledged_ = values;
    for (const auto& [name, value] : values) {
      candidates_[name].insert(value);
    }
  }

  static inline std::uint64_t checked = 0;  ///< rulings whose last order was acknowledged

 private:
  [[nodiscard]] std::unique_ptr<crawl_process> start(rulings_options options = {}) {
    return std::make_unique<crawl_process>(std::make_shared<MemoryRulingLedger>(ledger_),
                                           std::move(options));
  }

  /// Begins processes late. Before they have read, `without_ledger` decides, whichever call comes
  /// first. After that, they agree with the others.
  void check_late(const std::vector<ruling_order>& agreed) {
    for (const auto choice : {unread_ledger::denies, unread_ledger::ignored}) {
      const auto before =
          choice == unread_ledger::denies ? ruling_effect::unread : ruling_effect::none;
      for (int first = 0; first < 4; ++first) {
        CAPTURE(first);
        const auto late = start({.without_ledger = choice});
        late->ledger->is_down = first < 3;  // the last one reads with its first call
        if (first == 1) {
          CHECK(late->rulings.may_decide_on("h0.example"));
        } else if (first == 2) {
          CHECK_FALSE(late->rulings.wait_until_read());
        } else if (first == 3) {
          CHECK(late->rulings.find("h0.example").effect == before);
          CHECK(late->rulings.resume("h9.example").empty());
          CHECK(late->rulings.in_force() == agreed);
        }
        if (first < 3) {
          CHECK(late->rulings.find("h0.example").effect == before);
          CHECK(late->rulings.in_force().empty());
        }
        late->ledger->is_down = false;
        REQUIRE(late->rulings.catch_up());
        CHECK(late->rulings.in_force() == agreed);
      }
    }
  }

  /// Notes the value of an order. If the order is not acknowledged, the ruling is open: the order
  /// can come later than all others, or never.
  void note(const std::vector<ruling_order>& orders) {
    for (const ruling_order& order : orders) {
      const std::string name = rulings_detail::name_of(order);
      if (!acknowledged_.contains(name)) {
        candidates_[name].insert("");
      }
      candidates_[name].insert(order.value);
      acknowledged_[name] = order.value;
      if (order.number.generation == 0) {
        open_.insert(name);
      }
    }
  }

  /// Lets the ledger lose orders. One process has read all of them, and lives until it has put them
  /// back, so none may be lost. Between two losses, each process has polled the ledger. An older
  /// backup gets back what it lacks before the next order: see `find_lost`.
  void lose() {
    if (has_lost_) {
      recover();
    }
    has_lost_ = true;
    const std::size_t place = random_() % processes_.size();
    crawl_process& witness = *processes_[place];
    witness.ledger->is_down = false;
    witness.ledger->loses_answers = false;
    REQUIRE(witness.rulings.catch_up());
    witness_ = place;
    if (random_() % 2 == 0) {
      return ledger_.lose_all();
    }
    ledger_.restore();  // at first, there is no backup, so all orders are lost
    REQUIRE(witness.rulings.catch_up());
  }

  base::random_sequence random_;
  MemoryRulingLedger ledger_;
  std::vector<std::unique_ptr<crawl_process>> processes_;
  std::map<std::string, std::string> acknowledged_;
  std::map<std::string, std::set<std::string>> candidates_;
  std::set<std::string> open_;
  std::optional<std::size_t> witness_;
  bool has_lost_ = false;
};

}  // namespace

TEST_CASE("Processes that can reach the ledger agree, and no acknowledged order is lost") {
  const auto number_from_environment = [](const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const std::uint64_t first = number_from_environment("ROBOTS_RULINGS_SEED", 0);
  const std::uint64_t seeds = number_from_environment("ROBOTS_RULINGS_SEEDS", 100);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    CAPTURE(seed);
    random_crawl crawl{seed};
    for (int round = 0; round < 6; ++round) {
      for (int step = 0; step < 20; ++step) {
        crawl.step();
      }
      crawl.recover();
      crawl.check();
    }
  }
  CHECK(random_crawl::checked > seeds);
}
