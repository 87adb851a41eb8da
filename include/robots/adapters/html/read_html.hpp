#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/utf8.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>

#include <gumbo.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The options of `read_html`.
struct html_options {
  /// The octets that are read from the start of a page. A head that is not complete within them
  /// makes the meta elements of the page unread.
  std::size_t max_bytes = 65'536;
};

namespace adapters_detail {

// The octets of a page --> UTF-8 --> the tree of Gumbo --> meta and link elements, in file order.
// Elements of the body count, too, since browsers and search engines read them there. Elements
// inside of `template`, `svg` and `math` do not count: they are no elements of the page.

struct output_deleter {
  void operator()(GumboOutput* output) const noexcept {
    gumbo_destroy_output(&kGumboDefaultOptions, output);
  }
};

[[nodiscard]] inline std::string_view attribute(const GumboElement& element,
                                                const char* name) noexcept {
  const GumboAttribute* const found = gumbo_get_attribute(&element.attributes, name);
  return found == nullptr ? std::string_view{} : std::string_view{found->value};
}

[[nodiscard]] inline bool is_element(const GumboNode& node, GumboTag tag) noexcept {
  return node.type == GUMBO_NODE_ELEMENT && node.v.element.tag == tag &&
         node.v.element.tag_namespace == GUMBO_NAMESPACE_HTML;
}

/// Returns a cut text without its last tag if the cut is inside of this tag. Gumbo reads the start
/// of a tag as text, which would end the head.
[[nodiscard]] constexpr std::string_view without_cut_tag(std::string_view text) noexcept {
  const std::size_t start = text.rfind('<');
  const bool is_cut = start != std::string_view::npos && text.find('>', start) == text.npos;
  return is_cut ? text.substr(0, start) : text;
}

/// Returns true if the head of a page that was cut has ended before the cut: its end tag was read,
/// or the body has a tag or content.
[[nodiscard]] inline bool has_ended_head(const GumboNode& root) noexcept {
  const GumboVector& children = root.v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto& child = *static_cast<const GumboNode*>(children.data[i]);
    if (is_element(child, GUMBO_TAG_HEAD) && child.v.element.original_end_tag.length > 0) {
      return true;
    }
    if (is_element(child, GUMBO_TAG_BODY) &&
        (child.v.element.original_tag.length > 0 || child.v.element.children.length > 0)) {
      return true;
    }
  }
  return false;
}

/// Calls `use(element)` for each meta and link element, in file order. Uses no recursion, since a
/// hostile page nests elements deeply.
template <class Use>
void for_each_element(const GumboNode& root, const Use& use) {
  std::vector<const GumboNode*> rest{&root};
  while (!rest.empty()) {
    const GumboNode& node = *rest.back();
    rest.pop_back();
    if (node.type != GUMBO_NODE_ELEMENT || node.v.element.tag_namespace != GUMBO_NAMESPACE_HTML) {
      continue;
    }
    if (is_element(node, GUMBO_TAG_META) || is_element(node, GUMBO_TAG_LINK)) {
      use(node.v.element);
    }
    const GumboVector& children = node.v.element.children;
    for (unsigned i = children.length; i > 0; --i) {
      rest.push_back(static_cast<const GumboNode*>(children.data[i - 1]));
    }
  }
}

}  // namespace adapters_detail

/// Reads the meta elements and the licence links of an HTML page into `page`.
///
/// `body` is the start of the page, as the server sent it. `headers` are the headers of its
/// response, whose Content-Type can name a charset. Pass true as `is_truncated` if `body` is not
/// the whole page. Reads at most `html_options::max_bytes`. If the head does not end within the
/// octets that are read, the place `statement_place::meta` is unread: the rest could forbid more.
/// The part that was read counts in any case.
///
/// Accepts any octets. Throws only `std::bad_alloc`. Does not call `page.header`.
inline void read_html(page_statements& page, std::string_view body,
                      const std::vector<http_header>& headers = {}, bool is_truncated = false,
                      const html_options& options = {}) {
  const bool is_cut = is_truncated || body.size() > options.max_bytes;
  body = body.substr(0, options.max_bytes);
  const std::string_view type = detail::find_header(headers, "Content-Type").value_or("");
  const std::optional<std::string> transcoded =
      to_utf8(body, detail::charset_of(body, type, is_cut));
  std::string_view text = transcoded ? std::string_view{*transcoded} : body;
  if (text.starts_with(base::byte_order_mark)) {
    text.remove_prefix(base::byte_order_mark.size());
  }
  text = is_cut ? adapters_detail::without_cut_tag(text) : text;
  GumboOptions reading = kGumboDefaultOptions;
  reading.max_errors = 0;
  const std::unique_ptr<GumboOutput, adapters_detail::output_deleter> parsed{
      gumbo_parse_with_options(&reading, text.data(), text.size())};
  page.mark_read(statement_place::meta);
  adapters_detail::for_each_element(*parsed->root, [&page](const GumboElement& element) {
    if (element.tag == GUMBO_TAG_META) {
      const std::string_view name = adapters_detail::attribute(element, "name");
      if (!name.empty()) {
        page.meta(name, adapters_detail::attribute(element, "content"));
      }
    } else {
      page.link(adapters_detail::attribute(element, "rel"),
                adapters_detail::attribute(element, "type"),
                adapters_detail::attribute(element, "href"));
    }
  });
  if (is_cut && !adapters_detail::has_ended_head(*parsed->root)) {
    page.mark_unread(statement_place::meta);
  }
}

}  // namespace robots
