#pragma once

/// Includes the headers of `rep/`, which read robots.txt files and decide which URLs these files
/// allow. Some headers of `rep/` are included by the headers below. Needs no other library.
#include <robots/base/config.hpp>
#include <robots/rep/diff/diff.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/document/editable_file.hpp>
#include <robots/rep/document/to_json.hpp>
#include <robots/rep/extensions/clean_param.hpp>
#include <robots/rep/extensions/usage_preferences.hpp>
#include <robots/rep/lint/lint.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/pattern.hpp>
