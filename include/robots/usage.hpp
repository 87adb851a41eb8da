#pragma once

/// Includes what answers "May I index this page, may I train on it?": page rules, content signals,
/// usage preferences, licences and reservations, and the one answer that joins them.
#include <robots/base/config.hpp>
#include <robots/usage/license_link.hpp>
#include <robots/usage/page_date.hpp>
#include <robots/usage/page_rules.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>
#include <robots/usage/usage_lines.hpp>
#include <robots/usage/usage_statements.hpp>
