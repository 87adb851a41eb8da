#pragma once

/// Includes all headers of `rep/`, directly or through another header: those of `robots/parse.hpp`,
/// and what few readers of files need, such as `lint`, `diff`, typed lines, editing and JSON. They
/// need only the standard library.
#include <robots/base/config.hpp>
#include <robots/rep/diff/diff.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/document/editable_file.hpp>
#include <robots/rep/document/to_json.hpp>
#include <robots/rep/extensions/clean_param.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/extensions/license_line.hpp>
#include <robots/rep/extensions/usage_editing.hpp>
#include <robots/rep/lint/lint.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/pattern.hpp>
