#pragma once

#include <robots/base/config.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/printable.hpp>
#include <robots/usage/permission.hpp>

#include <cstddef>
#include <utility>

namespace robots {

ROBOTS_INLINE std::string explain(const page_statement& statement) {
  std::string text = base::printable(statement.name);
  const bool is_verdict = statement.kind == statement_kind::robots_rule ||
                          statement.kind == statement_kind::policy_token;
  if (is_verdict) {  // the text is the explanation of a verdict, which names line and crawler
    text.append(": ").append(statement.text);
    if (!statement.problem.empty()) {
      text.append(" (").append(statement.problem).append(")");
    }
    return text;
  }
  if (!statement.text.empty()) {
    text.append(" \"").append(base::printable(statement.text)).append("\"");
  }
  if (statement.position != 0) {
    switch (statement.place) {
      case statement_place::robots_txt:
        text += ", line ";
        break;
      case statement_place::headers:
        text += ", header ";
        break;
      case statement_place::meta:
        text += ", meta element ";
        break;
      case statement_place::tdmrep:
        text += ", entry ";
        break;
    }
    text += std::to_string(statement.position);
  }
  if (!statement.addressee.empty()) {
    text.append(", for ").append(base::printable(statement.addressee));
  }
  if (statement.terms) {
    text.append(", terms: ").append(base::printable(*statement.terms));
  }
  if (!statement.problem.empty()) {
    text.append(" (").append(statement.problem).append(")");
  }
  return text;
}

ROBOTS_INLINE std::string explain(const permission& answer) {
  std::string text{to_string(answer.answer)};
  if (answer.reason) {
    text.append(": ").append(explain(*answer.reason));
  } else if (answer.answer == permission_answer::unread) {
    text += ": not read:";
    for (std::size_t i = 0; i < answer.unread.size(); ++i) {
      text.append(i == 0 ? " " : ", ").append(to_string(answer.unread[i]));
    }
  } else if (answer.answer == permission_answer::unstated) {
    text.append(": no statement about ").append(base::printable(answer.purpose));
  }
  if (answer.answer == permission_answer::no && !answer.licenses.empty()) {
    text += "; licences:";
    for (const std::string& license : answer.licenses) {
      text.append(" ").append(base::printable(license));
    }
  }
  return text;
}

namespace usage_detail {

ROBOTS_INLINE void add_statement(base::json_writer& line, const page_statement& statement) {
  line.text("kind", to_string(statement.kind)).text("place", to_string(statement.place));
  line.text("name", statement.name).text("text", statement.text);
  line.text("addressee", statement.addressee).number("position", statement.position);
  statement.terms ? line.text("terms", *statement.terms) : line.null("terms");
  line.flag("applies", statement.applies).text("problem", statement.problem);
}

}  // namespace usage_detail

ROBOTS_INLINE std::string to_json(const page_statement& statement) {
  base::json_writer line;
  usage_detail::add_statement(line, statement);
  return std::move(line).finish();
}

ROBOTS_INLINE std::string to_json(const permission& answer) {
  base::json_writer line;
  line.text("purpose", answer.purpose).text("answer", to_string(answer.answer));
  if (answer.reason) {
    line.open("reason");
    usage_detail::add_statement(line, *answer.reason);
    line.close();
  } else {
    line.null("reason");
  }
  line.open_list("licenses");
  for (const std::string& license : answer.licenses) {
    line.item(license);
  }
  line.close_list().open_list("unread");
  for (const statement_place place : answer.unread) {
    line.item(to_string(place));
  }
  line.close_list();
  return std::move(line).finish();
}

}  // namespace robots
