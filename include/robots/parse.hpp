#pragma once

/// Includes the headers of `rep/` that read robots.txt files and decide which URLs a file allows:
/// `parse`, `compile`, `pattern` and `explain`. They need only the standard library.
/// `robots/rep.hpp` includes the other headers of `rep/`, too.
#include <robots/base/config.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/pattern.hpp>
