#include "check_audit.hpp"

#ifndef ROBOTS_CHECK_AUDIT

#include <stdexcept>

namespace robots::check {

audit_answer verify(const audit_question& /*trail*/, bool /*json*/) {
  throw std::runtime_error(
      "this robots-check was built without OpenSSL: build it with OpenSSL to read audit trails");
}

}  // namespace robots::check

#else

#include "json_text.hpp"
#include "read_file.hpp"
#include <robots/adapters/audit/audit_decisions.hpp>
#include <robots/adapters/audit/audit_verify.hpp>
#include <robots/base/printable.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robots::check {
namespace {

/// Returns true if the entries before the fault are as they were written, so that their decisions
/// can be verified.
bool has_decisions(robots::audit_result::fault_kind fault) {
  return fault == robots::audit_result::fault_kind::none ||
         fault == robots::audit_result::fault_kind::torn ||
         fault == robots::audit_result::fault_kind::not_signed;
}

std::string place_text(const std::string& file, std::uint64_t line) {
  return base::printable(file) + (line == 0 ? "" : ':' + std::to_string(line)) + ": ";
}

std::string result_as_text(const audit_result& chain, const audit_decisions& decisions) {
  std::string text;
  if (chain.fault != robots::audit_result::fault_kind::none) {
    text += place_text(chain.file, chain.line) + std::string{to_string(chain.fault)} + ": " +
            base::printable(chain.text) + '\n';
  }
  for (const robots::audit_decisions::difference& difference : decisions.differences) {
    text += place_text(difference.file, difference.line) + "decision: entry " +
            std::to_string(difference.entry) + ": " + base::printable(difference.text) + '\n';
  }
  const bool intact = text.empty();
  text += (intact ? "intact: " : "broken: ") + std::to_string(chain.entries) +
          (intact ? " entries" : " entries are in order") +
          (chain.head.empty() ? "" : ", the last with the hash " + chain.head) + '\n';
  if (has_decisions(chain.fault)) {
    text += "confirmed: " + std::to_string(decisions.confirmed) +
            " decisions follow from the entries before them\n";
    if (decisions.permissions > 0) {
      text += "confirmed: " + std::to_string(decisions.permissions) +
              " answers about the use of pages follow from the entries before them\n";
    }
  }
  for (const auto* const notes : {&chain.notes, &decisions.notes}) {
    for (const std::string& note : *notes) {
      text += "note: " + base::printable(note) + '\n';
    }
  }
  return text;
}

std::string result_as_json(const audit_result& chain, const audit_decisions& decisions) {
  json written = {{"intact", chain.fault == robots::audit_result::fault_kind::none &&
                                 decisions.differences.empty()},
                  {"fault", to_string(chain.fault)},
                  {"file", text_of(chain.file)},
                  {"line", chain.line},
                  {"entry", chain.entry},
                  {"text", text_of(chain.text)},
                  {"entries", chain.entries},
                  {"head", text_of(chain.head)}};
  json differences = json::array();
  for (const robots::audit_decisions::difference& difference : decisions.differences) {
    differences.push_back({{"file", text_of(difference.file)},
                           {"line", difference.line},
                           {"entry", difference.entry},
                           {"text", text_of(difference.text)}});
  }
  written["decisions"] = {{"confirmed", decisions.confirmed},
                          {"permissions", decisions.permissions},
                          {"unknown", decisions.unknown},
                          {"differences", differences}};
  written["notes"] = json::array();
  for (const auto* const notes : {&chain.notes, &decisions.notes}) {
    for (const std::string& note : *notes) {
      written["notes"].push_back(text_of(note));
    }
  }
  return to_line(written) + '\n';
}

}  // namespace

audit_answer verify(const audit_question& trail, bool as_json) {
  constexpr std::size_t longest_key = 65'536;
  const std::string key = trail.key.empty() ? std::string{} : read_file(trail.key, longest_key);
  const audit_result chain = verify_audit(trail.files, key, trail.head);
  const audit_decisions decisions =
      has_decisions(chain.fault) ? verify_decisions(trail.files) : audit_decisions{};
  return {.intact = chain.fault == robots::audit_result::fault_kind::none &&
                    decisions.differences.empty(),
          .text = as_json ? result_as_json(chain, decisions) : result_as_text(chain, decisions)};
}

}  // namespace robots::check

#endif
