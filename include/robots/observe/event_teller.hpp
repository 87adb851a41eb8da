#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/observe/any_event.hpp>
#include <robots/observe/events.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace robots::detail {

/// Sends events to an observer. Hides the type of the observer.
class event_teller : public event_clock {
 public:
  virtual void tell(const any_event& event) noexcept = 0;

  /// Returns the common members of an event about `site`.
  [[nodiscard]] event_base about(std::string_view site,
                                 const std::shared_ptr<const call_context>& context = {},
                                 std::string_view other_crawler = {}) noexcept {
    return {.site = site,
            .context = context.get(),
            .clock = this,
            .crawler = other_crawler.empty() ? std::string_view{crawler} : other_crawler};
  }

  std::string crawler;  ///< the product token of the crawler; set before the first event

 protected:
  ~event_teller() = default;
};

}  // namespace robots::detail
