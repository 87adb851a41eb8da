#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/adapters/audit/detail/file.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/random.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/work_queue.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/policy/policy_change.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/time/clock.hpp>
#include <robots/version.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// An entry without its number, time and hashes.
struct audit_part {
  std::string_view type;
  std::string members;  ///< the members of the entry, as a JSON object
  std::string id{};     ///< the id by which other entries refer to this entry; can be empty
  bool once = false;    ///< true if the trail needs only one entry with this id
};

/// Returns the directives of a policy as JSON. Equal directives give equal texts.
[[nodiscard]] inline std::string directives_text(const policy& from) {
  base::json_writer json;
  json.text("user_agent", from.rules().user_agent()).open_list("lines");
  std::vector<listed_rule> rules = from.rules().list();
  std::ranges::sort(rules, {}, &listed_rule::line);
  for (const listed_rule& rule : rules) {
    json.open().text(to_string(rule.kind), rule.pattern).number("line", rule.line).close();
  }
  for (const detail::stated_line& line : policy_detail::stated_lines(from)) {
    json.open().text(to_string(line.kind), line.value).close();
  }
  json.close_list();
  return std::move(json).finish();
}

/// Adds the entry with a robots.txt to `parts`. Returns its id, the SHA-256 of the text.
inline std::string add_body(std::vector<audit_part>& parts, std::string_view text) {
  std::string id = sha256(text);
  base::json_writer content;
  content.text("id", id).number("octets", text.size()).text("text", text);
  parts.push_back({"body", std::move(content).finish(), id, true});
  return id;
}

/// Adds the entries about a policy to `parts`. If the policy obeys a robots.txt, the first entry
/// has the directives. The last entry has the given `type`, the members of `about`, the id of the
/// policy, and a description of the policy. The id is the SHA-256 of this description.
inline void add_parts(std::vector<audit_part>& parts, std::string_view type, const policy& from,
                      base::json_writer about = {}) {
  const record_head source = from.last_retrieval();
  base::json_writer json{longest_text};
  json.text("basis", to_string(from.basis()));
  if (const auto given = from.reason_for_all_urls()) {
    json.text("reason", to_string(*given));
  }
  if (from.basis() == policy_basis::rules || from.basis() == policy_basis::last_good) {
    const std::string text = directives_text(from);
    const std::string id = sha256(text);
    parts.push_back(
        {"directives", "{\"id\":\"" + id + "\",\"directives\":" + text + '}', id, true});
    json.text("directives", id).text("rules_fetched_at", date_text(from.rules_source().fetched_at));
  }
  json.text("outcome", to_string(source.outcome)).number("status", source.status);
  if (source.error != fetch_error::none) {
    json.text("error", to_string(source.error)).long_text("error_text", source.error_text);
  }
  json.long_text("url", source.url).long_text("final_url", source.final_url);
  json.text("fetched_at", date_text(source.fetched_at))
      .seconds("lifetime_seconds", source.lifetime);
  json.number("attempts", source.attempts).number("failures", source.failures);
  if (source.failing_for) {
    json.seconds("failing_seconds", *source.failing_for);
  }
  json.text("charset", to_string(source.charset)).flag("truncated", source.truncated);
  json.flag("not_modified", source.not_modified);
  if (const order_reference* const order = from.order()) {
    json.text("order", to_string(order->number)).text("order_id", order->id);
    json.text("maker", order->maker);
  }
  const std::string members = std::move(json).finish();
  std::string id = sha256(members);
  about.text("policy", id);
  std::string text = std::move(about).finish();
  text.back() = ',';
  parts.push_back({type, text.append(members, 1), std::move(id), type == "policy"});
}

[[nodiscard]] inline std::string token_of(const crawler_names& names, dialect reading) {
  return std::string{names.token(reading)};
}

/// Adds the names of each crawler that has other names than its product token or its header, or is
/// bound by policy tokens. `agent` is empty for the crawler that fetches.
inline void add_names(base::json_writer& json, const cache_options& options) {
  const auto add = [&json](std::string_view agent, const crawler_names& names) {
    std::string all;
    for (const std::string_view name : names) {
      all.append(all.empty() ? "" : "\n").append(name);
    }
    json.open().text("agent", agent).text("names", all);
    std::string tokens;
    for (const policy_token& token : names.policy_tokens()) {
      tokens.append(tokens.empty() ? "" : "\n").append(token.token).append(" ");
      tokens += to_string(token.purpose);
    }
    if (!tokens.empty()) {
      json.text("policy_tokens", tokens);
    }
    json.close();
  };
  const crawler_names own = cache_detail::names_of(options);
  json.open_list("crawlers");
  if (own.size() > 1 || *own.begin() != options.user_agent || !own.policy_tokens().empty()) {
    add({}, own);
  }
  for (const crawler_names& other : options.other_agents) {
    const std::string token = token_of(other, options.parse.dialect);
    if (other.size() > 1 || *other.begin() != token || !other.policy_tokens().empty()) {
      add(token, other);
    }
  }
  json.close_list();
}

/// Returns, as JSON, the options on which the decisions of a crawler depend.
[[nodiscard]] inline std::string crawler_text(const cache_options& options) {
  const parse_options& parse = options.parse;
  base::json_writer json;
  json.text("user_agent", options.user_agent);
  add_names(json, options);
  json.text("dialect", to_string(parse.dialect)).number("max_bytes", parse.max_bytes);
  json.flag("strict", parse.strict).flag("truncated", parse.truncated);
  json.flag("delay_closes_group", parse.delay_closes_group);
  json.flag("prepend_slash", parse.prepend_slash);
  json.flag("tie_disallows", parse.tie == tie_break::disallow);
  json.flag("names_united", parse.names == several_names::union_of_groups);
  json.number("max_ttl_seconds", options.max_ttl.count());
  json.number("stale_while_revalidate_seconds", options.stale_while_revalidate.count());
  json.number("last_good_for_seconds", options.last_good_for.count());
  json.number("no_file_after_seconds", options.no_file_after.count());
  json.text("fallback", options.fallback.name()).open_list("actions");
  for (std::size_t i = 0; i < outcome_count; ++i) {
    const auto kind = static_cast<outcome>(i);
    const auto action = options.fallback.action(record_head{{.outcome = kind}});
    json.open().text(to_string(kind), to_string(action)).close();
  }
  json.close_list();
  detail::add_hosts(json, "excluded", options.excluded);
  return std::move(json).finish();
}

struct audit_news {
  wall_time time{};
  std::string about{};  ///< a JSON object with the site, the agent and the trace
  std::vector<audit_part> parts{};
  std::shared_ptr<const robots::policy> policy{};  ///< the policy of a decision

  /// Returns the memory of this event in octets, without its policy.
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t all = sizeof(*this) + about.capacity() + parts.capacity() * sizeof(audit_part);
    for (const audit_part& part : parts) {
      all += part.members.capacity() + part.id.capacity();
    }
    return all;
  }
};

/// Writes an audit trail in the thread of a queue, so that other threads do not wait for the disk.
class audit_writer {
 public:
  using queue = base::work_queue<audit_news>;

  const audit_options options;
  const std::string token;  ///< the product token of the crawler

  audit_writer(const audit_options& from, const cache_options& crawler)
      : options{from},
        token{token_of(cache_detail::names_of(crawler), crawler.parse.dialect)},
        crawler_{crawler_text(crawler)},
        file_{from} {
    // Initialises OpenSSL now, so that its cleanup runs after the end of a global `AuditTrail`.
    static_cast<void>(sha256({}));
    if (!options.signing_key.empty()) {
      key_ = audit_key{options.signing_key, true};
    }
    base::require(options.sign_every > 0, "audit_options: sign_every is 0, and must be at least 1");
    base::require(options.file_bytes > 0, "audit_options: file_bytes is 0, and must be at least 1");
    base::require(options.share >= 0 && options.share <= 1, "audit_options: share", options.share,
                  ", and must be from 0 to 1");
    const auto every = options.flush_every.value_or(std::chrono::milliseconds{0}).count();
    base::require(every >= 0, "audit_options: flush_every", every, " ms: set 0 for at once");
    // JSON escapes can make a robots.txt or its directives six times longer. A line of the trail
    // must have room for the escaped text and for the rest of the entry.
    static_assert(audit_lines::longest / 8 == 4'194'304);
    base::require(crawler.parse.max_bytes <= audit_lines::longest / 8,
                  "AuditTrail: parse.max_bytes", crawler.parse.max_bytes,
                  ", and a trail records files of up to 4194304 octets: lower it");
    written_.chain = file_.end();
    if (const std::string& torn = file_.torn(); !torn.empty()) {
      base::json_writer cut;
      cut.text("note", "a process had been killed: the beginning of a line, " +
                           std::to_string(torn.size()) + " octets, was cut off");
      cut.text("start", torn.substr(0, 1'000));
      reports_.push_back({"torn", std::move(cut).finish()});
    }
    written_.signed_entries = written_.chain.entries;
    stats_.last_file = file_.number();
    stats_.last_hash = written_.chain.last;
    // Reserves memory, so that the writing thread can report a failure without allocating.
    stats_.failure.reserve(100);
    why_lost_.reserve(100);
  }

  [[nodiscard]] bool takes() noexcept { return random_.draw() < options.share; }

  /// Returns the number of the cache that has this clock, from 1.
  [[nodiscard]] std::size_t number_of(const void* own_clock) {
    const std::scoped_lock lock{numbering_};
    return numbers_.try_emplace(own_clock, numbers_.size() + 1).first->second;
  }

  /// Adds `events` to the number of lost events. The next block records this number and `why`.
  void lose(std::uint64_t events, std::string_view why) {
    const std::scoped_lock lock{mutex_};
    stats_.lost += events;
    unstated_ += events;
    why_lost_ = why;
  }

  /// Returns true if the trail reports all lost events and the disk has lost no entry.
  [[nodiscard]] bool is_complete() const {
    const std::scoped_lock lock{mutex_};
    return unstated_ == 0 && is_on_disk_;
  }

  [[nodiscard]] audit_stats stats() const {
    const std::scoped_lock lock{mutex_};
    return stats_;
  }

  /// Writes events, in the thread of the queue. Returns the time of the next sync, if any.
  [[nodiscard]] std::optional<queue::time_point> work(const queue::work& now) {
    std::span<const audit_news> waiting{now.items};
    while (!waiting.empty()) {
      waiting = waiting.subspan(write_block(waiting));
      if (is_full()) {
        const std::uint64_t full = file_.number();
        write_block({}, "rotation");
        if (file_.number() == full) {  // `write_block` has not begun a new file
          begin_next_file();
        }
      }
    }
    if (now.flushes || now.ends) {  // states lost events and changed files
      write_block({}, now.ends ? "close" : "");
      flush_at_ = clock::now();
    }
    if (flush_at_ && clock::now() >= *flush_at_) {
      flush_file();
      flush_at_.reset();
    }
    return flush_at_;
  }

 private:
  using clock = std::chrono::steady_clock;

  struct progress {
    audit_chain chain{};
    std::uint64_t signed_entries = 0;  ///< the number of the last signed entry
    bool has_begun = false;            ///< true if the file has the entries of `begin_file`
  };

  static constexpr std::size_t block = std::size_t{1} << 18U;
  /// When `known_` has this number of ids, `begin_block` clears `known_`. The same limit applies to
  /// `ids_`.
  static constexpr std::size_t most_known = 65'536;

  /// Writes the first events of `waiting` as one block, and returns their number. If `why` is not
  /// empty, a `checkpoint` entry with `why` ends the block. On failure, the events are lost.
  std::size_t write_block(std::span<const audit_news> waiting, std::string_view why = {}) {
    std::size_t events = waiting.empty() ? 0 : 1;
    try {
      const std::uint64_t losses = begin_block();
      if (events > 0) {
        add(waiting.front());
      }
      while (events < waiting.size() && lines_.size() < block && !is_full()) {
        add(waiting[events++]);
      }
      if (!why.empty()) {
        sign(why);
      }
      if (!lines_.empty()) {
        file_.write(lines_);
        file_events_ += events;
        reports_.clear();
        const std::scoped_lock lock{mutex_};
        stats_.failure.clear();
        stats_.entries += next_.chain.entries - written_.chain.entries;
        stats_.last_file = file_.number();
        stats_.last_hash = next_.chain.last;
        unstated_ -= losses;
        written_ = next_;
        if (options.flush_every && !flush_at_) {
          flush_at_ = base::saturating_add(clock::now(), *options.flush_every);
        }
      }
    } catch (const std::exception& error) {
      known_.clear();
      lose(events, error.what());
      const std::scoped_lock lock{mutex_};
      stats_.failure = error.what();
    }
    lines_.clear();
    return events;
  }

  /// Adds the first entries of a block. Returns the number of lost events that these entries
  /// report.
  std::uint64_t begin_block() {
    if (const std::string_view change = file_.change(); !change.empty()) {
      leave_file(change);
    }
    if (known_.size() >= most_known) {
      known_.clear();
    }
    if (ids_.size() >= most_known) {
      ids_.clear();
    }
    next_ = written_;
    std::unique_lock lock{mutex_};
    const std::string why_lost = why_lost_;
    const std::uint64_t losses = unstated_;
    lock.unlock();
    if (!next_.has_begun) {
      begin_file();
    }
    for (const audit_part& report : reports_) {
      add_entry(report.type, report.members);
    }
    if (losses > 0) {
      base::json_writer lost;
      lost.number("events", losses);
      lost.text("note", std::to_string(losses) + " events could not be recorded: " + why_lost);
      add_entry("lost", std::move(lost).finish());
    }
    return losses;
  }

  [[nodiscard]] bool is_full() const noexcept {
    return file_.size() + lines_.size() >= options.file_bytes + over_bytes_;
  }

  /// Begins the next file. If the next file cannot be opened, returns false. The writer tries again
  /// when the current file has grown by `file_bytes`.
  bool begin_next_file() {
    flush_file();
    if (!file_.begin_next()) {
      over_bytes_ = file_.size();
      return false;
    }
    written_.has_begun = false;
    file_events_ = 0;
    over_bytes_ = 0;
    return true;
  }

  /// Begins the next file, since another program has changed the current file. On failure, keeps
  /// the current file, but throws `audit_error` if that file was deleted or truncated.
  void leave_file(std::string_view change) {
    const bool is_lost = change == "deleted" || change == "cut_off";
    const std::string name = file_.name_of(file_.number());
    const std::uint64_t events = file_events_;
    if (!begin_next_file()) {
      return is_lost ? throw audit_error{name + " was " + std::string{change}} : void();
    }
    base::json_writer gap;
    gap.text("note", "another program has changed " + name +
                         " while it was written: " + std::string{change} +
                         ". Its last entry was entry " + std::to_string(written_.chain.entries));
    reports_.push_back({"gap", std::move(gap).finish()});
    known_.clear();
    const std::scoped_lock lock{mutex_};
    stats_.lost += is_lost ? events : 0;
    is_on_disk_ = is_on_disk_ && !is_lost;
  }

  void begin_file() {
    base::json_writer json;
    json.number("format", 1).text("library", version).number("file", file_.number());
    std::array<char, 32> share{};
    const auto end = std::to_chars(share.data(), share.data() + share.size(), options.share).ptr;
    json.text("share", {share.data(), end});
    if (key_) {
      json.text("key", key_->name()).number("sign_every", options.sign_every);
    }
    add_entry("trail", std::move(json).finish());
    if (key_ && stats_.entries == 0 && next_.chain.entries > 1) {
      sign("start");  // signs entries that an earlier process did not sign
    }
    add_entry("crawler", crawler_);
    next_.has_begun = true;
  }

  /// Adds the entries of an event. If `known_` lacks the event's policy, first adds the policy.
  void add(const audit_news& news) {
    std::string about = news.about;
    const auto add_all = [&](const std::vector<audit_part>& parts) {
      for (const audit_part& part : parts) {
        // A robots.txt and a tdmrep.json with the same text have the same id, but are two entries.
        const bool is_text = part.type == "body" || part.type == "tdmrep";
        const std::string key = (is_text ? std::string{part.type} + ' ' : std::string{}) + part.id;
        const bool is_new = part.id.empty() || known_.insert(key).second;
        if (is_new || !part.once) {
          add_entry(part.type, part.members, about, news.time);
        }
      }
    };
    if (news.policy) {
      auto& [object, id] = ids_[news.policy.get()];
      if (object.lock() != news.policy || !known_.contains(id)) {
        std::vector<audit_part> parts;
        add_parts(parts, "policy", *news.policy);
        object = news.policy;
        id = parts.back().id;
        add_all(parts);
      }
      about.back() = ',';
      about += "\"policy\":\"" + id + "\"}";
    }
    add_all(news.parts);
  }

  void add_entry(std::string_view type, std::string_view members, std::string_view about = {},
                 wall_time time = std::chrono::system_clock::now()) {
    lines_ += next_.chain.add(date_text(time), type, members, about);
    if (key_ && next_.chain.entries - next_.signed_entries >= options.sign_every) {
      sign("count");
    }
  }

  void sign(std::string_view why) {
    base::json_writer json;
    json.text("why", why);
    if (key_) {
      json.text("key", key_->name());
    }
    lines_ += next_.chain.add(date_text(std::chrono::system_clock::now()), "checkpoint",
                              std::move(json).finish(), {}, key_ ? &*key_ : nullptr);
    next_.signed_entries = next_.chain.entries;
  }

  void flush_file() {
    if (!file_.flush()) {
      const std::scoped_lock lock{mutex_};
      stats_.failure = "the disk may have lost what was written";
      is_on_disk_ = false;
    }
  }

  base::counter_random random_{std::nullopt};
  std::mutex numbering_;
  std::unordered_map<const void*, std::size_t> numbers_;  // guarded by `numbering_`
  const std::string crawler_;
  std::optional<audit_key> key_;

  mutable std::mutex mutex_;    // guards the next members, up to `stats_`
  std::uint64_t unstated_ = 0;  // lost events that no entry states yet
  bool is_on_disk_ = true;
  std::string why_lost_;
  audit_stats stats_;

  // Only the writing thread uses the members below.
  audit_file file_;
  progress written_;
  progress next_;                    // the progress after `lines_` is written
  std::string lines_;                // the lines of the next block
  std::uint64_t file_events_ = 0;    // events of this process in the current file
  std::uint64_t over_bytes_ = 0;     // size of the file when the next file could not be opened
  std::vector<audit_part> reports_;  // entries about files, for the next block
  std::optional<clock::time_point> flush_at_;
  std::unordered_set<std::string> known_;  // the ids of the written entries
  // The id of each policy, by address. An expired weak pointer means that the id is stale.
  std::unordered_map<const policy*, std::pair<std::weak_ptr<const policy>, std::string>> ids_;
};

}  // namespace robots::adapters_detail
