#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The things that a crawler can want to do with a page.
enum class purpose : std::uint8_t {
  fetch,        ///< request the page
  follow,       ///< follow its links
  index,        ///< list it in results
  snippet,      ///< show a part of its text
  archive,      ///< offer a copy of it
  translate,    ///< offer a translation of it
  image_index,  ///< list its images in results
  search,       ///< use it in a search engine: results with links and short excerpts
  ai_input,     ///< give it to a model as input: retrieval, grounding, generated answers
  ai_train,     ///< train or fine-tune a model with it
  tdm,          ///< text and data mining
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(purpose wanted) noexcept {
  return base::enum_text<purpose::tdm>(
      wanted, {"fetch", "follow", "index", "snippet", "archive", "translate", "image_index",
               "search", "ai_input", "ai_train", "tdm"});
}

}  // namespace robots
