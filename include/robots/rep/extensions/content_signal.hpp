#pragma once

#include <robots/base/inline.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots {

class document;
struct directive;

/// The content signals of one line, from `Content-Signal: search=yes, ai-train=no`
/// (contentsignals.org, Cloudflare 2025; the categories: draft-romm-aipref-contentsignals-00).
///
/// True for yes, false for no; a signal that is not there neither grants nor restricts. Sites also
/// write a path first (`Content-Signal: /blog/ ai-train=no`), which the published policy does not
/// mention; it is read as in a Content-Usage line. Never changes a verdict. The view lives as long
/// as the document.
struct content_signal {
  std::string_view path{};         ///< a pattern; empty: every path
  std::optional<bool> search{};    ///< a search index, with links and short excerpts
  std::optional<bool> ai_input{};  ///< input of a model: retrieval, grounding, generated answers
  std::optional<bool> ai_train{};  ///< training or fine-tuning of a model
  std::uint32_t line = 0;          ///< 1-based; 0 when not read from a file

  /// Whether it speaks of a target, an absolute URL or a path with query.
  [[nodiscard]] ROBOTS_CONSTEXPR bool matches(std::string_view target) const;
};

namespace rep_detail {

/// What a line says, and whether all of it was understood.
struct signals_read {
  content_signal signals{};
  bool complete = true;
};

[[nodiscard]] ROBOTS_CONSTEXPR signals_read read_signals(std::string_view value) noexcept;

}  // namespace rep_detail

/// Reads `[path] signal=yes|no, ...`, names and values without regard to case.
///
/// Of a signal that a line repeats, the most restrictive value counts, as between lines and methods
/// (`usage_preferences`): the policy does not say, and no site means to grant what it denies.
/// Linear.
[[nodiscard]] ROBOTS_CONSTEXPR content_signal parse_content_signal(std::string_view value) noexcept;

/// The Content-Signal lines among `lines`, in file order. Linear.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<content_signal> content_signals(
    std::span<const directive> lines);

/// Those that apply to a crawler. Linear in the file.
[[nodiscard]] ROBOTS_CONSTEXPR std::vector<content_signal> content_signals(
    const document& file, std::string_view user_agent = "*");
std::vector<content_signal> content_signals(const document&&, std::string_view = "*") = delete;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/extensions/content_signal.ipp>
#endif
