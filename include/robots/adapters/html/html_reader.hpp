#pragma once

#include <robots/adapters/html/read_html.hpp>
#include <robots/http/message.hpp>
#include <robots/usage/page_statements.hpp>

#include <string_view>
#include <vector>

namespace robots {

/// Calls `read_html`, as the reader of a client: `client_options{.reader = html_reader{}}`.
class html_reader {
 public:
  /// Reads the pages with these options.
  explicit html_reader(html_options options = {}) : options_{options} {}

  /// Reads the meta elements and the licence links of a page.
  void operator()(page_statements& page, std::string_view body,
                  const std::vector<http_header>& headers, bool is_cut) const {
    read_html(page, body, headers, is_cut, options_);
  }

 private:
  html_options options_;
};

}  // namespace robots
