// The fetcher of the benchmarks: no network, and no memory of requests, which would be timed and
// counted too.
#pragma once

#include <robots/fetch/fetcher.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Answers with some texts, again and again in their order, whatever it is asked for. One thread at
/// a time, unless it is one text.
class texts_fetcher {
 public:
  explicit texts_fetcher(std::vector<std::string> texts)
      : texts_(std::make_shared<const std::vector<std::string>>(std::move(texts))) {}

  [[nodiscard]] robots::fetch_response fetch(const robots::fetch_request&) {
    robots::fetch_response response;
    response.status = 200;
    response.body = (*texts_)[next_];
    if (texts_->size() > 1) {
      next_ = next_ + 1 == texts_->size() ? 0 : next_ + 1;
    }
    return response;
  }

 private:
  std::shared_ptr<const std::vector<std::string>> texts_;
  std::size_t next_ = 0;
};

}  // namespace bench
