// A Fetcher that needs no network.
#pragma once

#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <string>
#include <utility>

namespace robots::check {

/// Returns the same robots.txt for every site, so that the cache treats a file on the disk like one
/// from the network.
class FileFetcher {
 public:
  explicit FileFetcher(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] fetch_response fetch(const fetch_request& request) const {
    fetch_response response{.status = 200, .body = text_};
    if (request.max_bytes != 0 && text_.size() > request.max_bytes) {
      response.body.resize(request.max_bytes);
      response.truncated = true;
    }
    return response;
  }

 private:
  std::string text_;
};

static_assert(Fetcher<FileFetcher>);

}  // namespace robots::check
