// The fetcher of the benchmarks. It uses no network, and does not store requests, since that would
// take time and memory.
#pragma once

#include <robots/fetch/fetcher.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Answers with some texts in turn, whatever the request is. If there are several texts, only one
/// thread may call it.
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
