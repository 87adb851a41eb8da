#pragma once

/// Includes the headers of `rep/`, which read robots.txt files and decide which URLs these files
/// allow. Needs no other library.
#include <robots/base/config.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/diff/diff.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/document/editable_file.hpp>
#include <robots/rep/document/group.hpp>
#include <robots/rep/document/to_json.hpp>
#include <robots/rep/extensions/clean_param.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/extensions/usage_preferences.hpp>
#include <robots/rep/fwd.hpp>
#include <robots/rep/lint/lint.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/foreign_content.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/read/request_rate.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/read/visit_time.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/pattern.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>
