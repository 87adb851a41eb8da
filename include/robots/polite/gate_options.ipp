#pragma once

#include <robots/base/inline.hpp>
#include <robots/http/origin.hpp>
#include <robots/polite/gate_options.hpp>

#include <stdexcept>
#include <utility>

namespace robots {

ROBOTS_INLINE std::string key_by_origin(std::string_view url) {
  const std::optional<origin> where = parse_origin(url);
  return where ? to_string(*where) : std::string{};
}

ROBOTS_INLINE std::string key_by_host(std::string_view url) {
  std::optional<origin> where = parse_origin(url);
  return where ? std::move(where->host) : std::string{};
}

ROBOTS_INLINE void validate(const gate_options& options) {
  validate(options.delay);
  if (options.concurrency == 0) {
    throw std::invalid_argument{"concurrency is 0: no request could ever be made; use 1 or more"};
  }
  if (options.max_hosts == 0) {
    throw std::invalid_argument{"max_hosts is 0: no host could ever be asked; use 1 or more"};
  }
  const slow_down_options& slow = options.slow_down;
  if (slow.first.count() <= 0 || slow.most < slow.first || slow.lasts.count() < 0) {
    throw std::invalid_argument{
        "slow_down: first must be above 0, most not below first, lasts not negative"};
  }
  if (slow.most > longest_delay || slow.lasts > longest_delay || options.memory > longest_delay) {
    throw std::invalid_argument{"slow_down and memory are longer than any delay: 136 years"};
  }
  if (options.most_retry_after.count() < 0 || options.memory.count() < 0 ||
      options.longest_memory.count() < 0) {
    throw std::invalid_argument{
        "most_retry_after, memory and longest_memory cannot be negative: use 0 for none"};
  }
  if (options.ledger_users == 0 || options.ledger_patience.count() < 0) {
    throw std::invalid_argument{"ledger_users is at least 1, ledger_patience not negative"};
  }
  if (!options.key) {
    throw std::invalid_argument{"key must be callable: leave it as it is"};
  }
}

}  // namespace robots
