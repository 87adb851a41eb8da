#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/any_store.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/guarded_store.hpp>
#include <robots/cache/detail/job_runner.hpp>
#include <robots/cache/detail/policy_loader.hpp>
#include <robots/cache/detail/site_rulings.hpp>
#include <robots/http/excluded_hosts.hpp>

#include <memory>
#include <utility>

namespace robots::cache_detail {

/// All of a cache but its parts.
struct cache_engine {
  /// `own` outlives it; `shared` is null when nothing is.
  cache_engine(cache_options&& how, cache_parts& own, std::unique_ptr<any_store> shared)
      : options(validated(std::move(how))),
        parts(own),
        store(shared ? std::make_unique<guarded_store>(std::move(shared), own) : nullptr) {}

  [[nodiscard]] static cache_options validated(cache_options options) {
    validate(options);
    return options;
  }

  const cache_options options;
  cache_parts& parts;
  const std::shared_ptr<const excluded_hosts> excluded =
      std::make_shared<const excluded_hosts>(options.excluded);
  site_rulings rulings{options, *excluded, parts};
  const std::unique_ptr<guarded_store> store;
  policy_loader loader{options, excluded, parts, rulings, store.get()};
  job_runner runner{options, *excluded, parts, loader, store.get()};  // last: it has threads
};

}  // namespace robots::cache_detail
