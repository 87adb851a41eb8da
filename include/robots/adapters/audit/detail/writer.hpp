// The work of the thread that writes an audit trail, so that other threads need not wait for a
// disk.
#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/crawler.hpp>
#include <robots/adapters/audit/detail/crypto.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/adapters/audit/detail/file.hpp>
#include <robots/adapters/audit/detail/policy.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/sampler.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/work_queue.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/wall_time.hpp>
#include <robots/version.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// An entry without its place in the chain.
struct audit_part {
  std::string_view type;
  std::string members;  ///< an object
  std::string id;       ///< the subject of the entry, for other entries to refer to
  bool once = false;    ///< not needed if the subject is described already
};

/// The most octets of a text from the web, such as a URL, in an entry.
inline constexpr std::size_t longest_text = std::size_t{1} << 20U;

/// Returns the first members of entries about sites.
[[nodiscard]] inline base::json_writer begin_members(std::size_t crawler, std::string_view site,
                                                     std::string_view trace_id = {},
                                                     std::string_view span_id = {}) {
  base::json_writer json{longest_text};
  json.number("crawler", crawler).text("site", site);
  if (!trace_id.empty()) {
    json.text("trace_id", trace_id).text("span_id", span_id);
  }
  return json;
}

/// A decision that waits to be written. The writing thread looks at its policy.
struct audit_decision {
  std::size_t crawler = 0;
  std::string site;
  std::string trace_id;
  std::string span_id;
  std::string url;
  decision decided;
};

/// An event that waits to be written.
struct audit_news {
  wall_time time{};
  std::vector<audit_part> parts{};
  std::optional<audit_decision> decided{};

  /// Returns octets of memory, without the policy.
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t all = sizeof(*this) + parts.capacity() * sizeof(audit_part);
    for (const audit_part& part : parts) {
      all += part.members.capacity() + part.id.capacity();
    }
    if (decided) {
      for (const std::string* text :
           {&decided->site, &decided->url, &decided->trace_id, &decided->span_id}) {
        all += text->capacity();
      }
    }
    return all;
  }

  /// Returns the policy of a decision. By the time of writing, only this entry may keep it alive.
  [[nodiscard]] base::shared_memory keeps() const noexcept {
    return decided ? base::shared_memory{decided->decided.policy.get(),
                                         decided->decided.policy->memory_bytes()}
                   : base::shared_memory{};
  }
};

/// Returns the name under which a trail remembers the policy for another crawler. Two crawlers may
/// have equal policies from different lines of a file.
[[nodiscard]] inline std::string id_for(const std::string& policy, std::size_t crawler) {
  return policy + '/' + std::to_string(crawler);
}

/// Returns the entries about the policy of an event: its directives and their text, unless an
/// earlier entry has them, and an entry of `type` whose members begin with `about`.
[[nodiscard]] inline std::vector<audit_part> parts_of(std::string_view type,
                                                      base::json_writer about, const policy& from,
                                                      std::string_view body) {
  audited_policy known = audited(from);
  std::vector<audit_part> parts;
  if (!known.directives.empty()) {
    parts.push_back({"directives",
                     "{\"id\":\"" + known.directives + "\",\"directives\":" + known.text + '}',
                     known.directives, true});
    about.number("version", from.version());
  }
  if (!body.empty()) {
    const std::string id = sha256(body);
    base::json_writer content;
    content.text("id", id).number("octets", body.size()).text("text", body);
    parts.push_back({"body", std::move(content).finish(), id, true});
    about.text("body", id);
  }
  std::string members = with_policy(std::move(about), known);
  parts.push_back({type, std::move(members), std::move(known.id), type == "policy"});
  return parts;
}

class audit_writer {
 public:
  using queue = base::work_queue<audit_news>;

  explicit audit_writer(const audit_options& options)
      : options_{options}, takes_{options.share}, file_{options} {
    // OpenSSL must start first, so that it ends after a trail that lives as long as the process.
    static_cast<void>(sha256({}));
    if (!options.signing_key.empty()) {
      key_ = ed25519_key::private_key(options.signing_key);
    }
    if (options.sign_every == 0 || options.file_bytes == 0) {
      throw std::invalid_argument{"audit_options: sign_every and file_bytes must be at least 1"};
    }
    if (!(options.share >= 0 && options.share <= 1)) {
      throw std::invalid_argument{"audit_options: share must be from 0 to 1"};
    }
    if (options.flush_every && options.flush_every->count() < 0) {
      throw std::invalid_argument{"audit_options: flush_every is negative: use 0 for at once"};
    }
    written_.chain = file_.end();
    written_.signed_entries = written_.chain.entries;
    stats_.last_file = file_.number();
    stats_.last_hash = written_.chain.last;
    // Reserved, so that the thread can report a failure without allocating.
    stats_.failure.reserve(100);
    why_lost_.reserve(100);
  }

  [[nodiscard]] bool takes() const noexcept { return takes_.takes(); }

  /// Adds a crawler by its options. Returns its number in the trail.
  [[nodiscard]] std::size_t add_crawler(std::string text) {
    const std::scoped_lock lock{mutex_};
    crawlers_.push_back(std::move(text));
    return crawlers_.size() - 1;
  }

  /// Counts events that were not written; the next entry reports them.
  void lose(std::uint64_t events, std::string_view why) {
    const std::scoped_lock lock{mutex_};
    stats_.lost += events;
    untold_ += events;
    why_lost_ = why;
  }

  /// Returns true if the trail states all losses.
  [[nodiscard]] bool tells_of_all() const {
    const std::scoped_lock lock{mutex_};
    return untold_ == 0;
  }

  /// Returns true if everything that was written still exists, as far as is known.
  [[nodiscard]] bool is_on_disk() const {
    const std::scoped_lock lock{mutex_};
    return is_on_disk_;
  }

  [[nodiscard]] audit_stats stats() const {
    const std::scoped_lock lock{mutex_};
    return stats_;
  }

  /// Writes events, in the thread of the queue. Returns the time of the next sync.
  [[nodiscard]] std::optional<queue::time_point> work(const queue::work& now) {
    handled_ = 0;
    try {
      write(now.items);
      const bool has_news = !tells_of_all() || file_.change() != file_change::none;
      if (now.ends || (now.flushes && has_news)) {
        begin_block();
        if (now.ends) {
          sign("close");
        }
        write_block();
      }
    } catch (const std::exception& error) {  // no memory, or OpenSSL cannot sign
      give_up(now.items.size(), error.what());
    }
    if (now.flushes || now.ends || (flush_at_ && clock::now() >= *flush_at_)) {
      flush_file();
      flush_at_.reset();
    }
    return flush_at_;
  }

 private:
  using clock = std::chrono::steady_clock;

  /// The current end of the trail.
  struct progress {
    audit_chain chain{};
    std::uint64_t signed_entries = 0;  ///< the number of the last signed entry
    std::size_t crawlers = 0;          ///< crawlers described in this file
    bool is_file_begun = false;        ///< it has its first entries
    bool is_torn_told = false;
  };

  static constexpr std::size_t block = std::size_t{1} << 18U;
  /// The number of policies and texts that are remembered as described.
  static constexpr std::size_t most_known = 65'536;

  void write(const std::vector<audit_news>& all) {
    for (const audit_news& news : all) {
      begin_block();
      add(news);
      ++block_events_;
      if (lines_.size() >= block || file_.size() + lines_.size() >= options_.file_bytes) {
        write_block();
        rotate_if_due();
      }
    }
    write_block();
  }

  /// Drops the rest of `events` events, and counts them as lost.
  void give_up(std::uint64_t events, std::string_view why) {
    lines_.clear();
    known_.clear();
    block_events_ = 0;
    fail(events - handled_, why);
  }

  void fail(std::uint64_t events, std::string_view why) {
    lose(events, why);
    const std::scoped_lock lock{mutex_};
    stats_.failure = why;
  }

  /// Writes the first entries of a file, with the losses before it.
  void begin_block() {
    if (!lines_.empty()) {
      return;
    }
    if (const file_change change = file_.change(); change != file_change::none) {
      leave_file(change);
    }
    next_ = written_;
    std::vector<std::string> crawlers;
    base::json_writer lost;
    {
      const std::scoped_lock lock{mutex_};
      crawlers = crawlers_;
      block_losses_ = untold_;
      lost.number("events", untold_).text("why", why_lost_);
    }
    if (!next_.is_file_begun) {
      begin_file();
    }
    for (; next_.crawlers < crawlers.size(); ++next_.crawlers) {
      const std::size_t i = next_.crawlers;
      add_entry("crawler", "{\"crawler\":" + std::to_string(i) + ',' + crawlers[i].substr(1));
    }
    if (!gap_.empty()) {
      add_entry("gap", gap_);
    }
    if (block_losses_ > 0) {
      add_entry("lost", std::move(lost).finish());
    }
  }

  /// Continues in the next file after another program has changed this one.
  void leave_file(file_change change) {
    flush_file();
    const std::string name = file_.name_of(file_.number());
    if (!file_.begin_next()) {
      return;
    }
    base::json_writer gap;
    gap.text("file", name).text("change", to_string(change));
    gap.number("last_entry", written_.chain.entries);
    gap_ = std::move(gap).finish();
    known_.clear();
    written_.is_file_begun = false;
    const std::uint64_t events = std::exchange(file_events_, 0);
    if (is_lost_by(change)) {
      const std::scoped_lock lock{mutex_};
      stats_.lost += events;
      is_on_disk_ = false;
    }
  }

  [[nodiscard]] static bool is_lost_by(file_change change) noexcept {
    return change == file_change::deleted || change == file_change::cut_off;
  }

  void begin_file() {
    next_.crawlers = 0;
    next_.is_file_begun = true;
    base::json_writer json;
    json.number("format", 1).text("library", version).number("file", file_.number());
    if (file_.previous() > 0) {
      json.text("previous", file_.name_of(file_.previous()));
    }
    json.text("share", number_text(options_.share));
    if (key_) {
      json.text("key", key_->name()).number("sign_every", options_.sign_every);
    }
    add_entry("trail", std::move(json).finish());
    if (const std::string& torn = file_.torn(); !torn.empty() && !next_.is_torn_told) {
      constexpr std::size_t shown = 1'000;
      base::json_writer cut;
      cut.number("octets", torn.size()).text("sha256", sha256(torn));
      cut.text("start", std::string_view{torn}.substr(0, shown));
      add_entry("torn", std::move(cut).finish());
    }
    next_.is_torn_told = true;
    if (key_ && stats_.entries == 0 && next_.chain.entries > 1) {
      sign("start");  // entries that an earlier process did not sign
    }
  }

  void add(const audit_news& news) {
    for (const audit_part& part : news.parts) {
      add_part(news.time, part);
    }
    if (news.decided) {
      add_decision(news.time, *news.decided);
    }
  }

  void add_part(wall_time time, const audit_part& part) {
    if (part.once && known_.contains(part.id)) {
      return;
    }
    if (!part.id.empty()) {
      if (known_.size() >= most_known) {
        known_.clear();
      }
      known_.insert(part.id);
    }
    add_entry(part.type, part.members, time);
  }

  /// Writes a decision, after its policy unless the policy was written before.
  void add_decision(wall_time time, const audit_decision& from) {
    const decision& decided = from.decided;
    const std::string id = id_of(decided.policy);
    if (!known_.contains(id) && !known_.contains(id_for(id, from.crawler))) {
      for (const audit_part& part :
           parts_of("policy", begin_members(from.crawler, from.site), *decided.policy, {})) {
        add_part(time, part);
      }
    }
    base::json_writer json = begin_members(from.crawler, from.site, from.trace_id, from.span_id);
    json.long_text("url", from.url).text("policy", id).seconds("age_seconds", decided.age);
    json.flag("from_cache", decided.from_cache).flag("stale", decided.stale);
    add_verdict(json, decided);
    add_entry("decision", std::move(json).finish(), time);
  }

  /// See `audited_policy::id`. Computed once for each object.
  [[nodiscard]] std::string id_of(const std::shared_ptr<const policy>& from) {
    if (ids_.size() >= most_known) {
      ids_.clear();
    }
    auto& [object, id] = ids_[from.get()];
    if (object.lock() != from) {
      object = from;
      id = audited(*from).id;
    }
    return id;
  }

  void add_entry(std::string_view type, std::string_view members,
                 wall_time time = std::chrono::system_clock::now()) {
    lines_ += next_.chain.add(date_text(time), type, members);
    if (key_ && next_.chain.entries - next_.signed_entries >= options_.sign_every) {
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
                              std::move(json).finish(), key_ ? &*key_ : nullptr);
    next_.signed_entries = next_.chain.entries;
  }

  void write_block() {
    if (lines_.empty()) {
      return;
    }
    const file_change change = file_.change();
    const std::string failure = is_lost_by(change) ? file_.name_of(file_.number()) + " was " +
                                                         std::string{to_string(change)}
                                                   : file_.write(lines_);
    lines_.clear();
    const std::uint64_t events = std::exchange(block_events_, 0);
    const std::uint64_t losses = std::exchange(block_losses_, 0);
    handled_ += events;
    if (!failure.empty()) {
      known_.clear();
      return fail(events, failure);
    }
    file_events_ += events;
    gap_.clear();
    const std::scoped_lock lock{mutex_};
    stats_.failure.clear();
    stats_.entries += next_.chain.entries - written_.chain.entries;
    stats_.last_file = file_.number();
    stats_.last_hash = next_.chain.last;
    untold_ -= losses;
    written_ = next_;
    if (options_.flush_every && !flush_at_) {
      flush_at_ = base::saturating_add(clock::now(), *options_.flush_every);
    }
  }

  void flush_file() {
    if (!file_.flush()) {
      const std::scoped_lock lock{mutex_};
      stats_.failure = "the disk may have lost what was written";
      is_on_disk_ = false;
    }
  }

  void rotate_if_due() {
    if (file_.size() < options_.file_bytes + over_bytes_) {
      return;
    }
    next_ = written_;
    sign("rotation");
    write_block();
    flush_file();
    if (file_.begin_next()) {
      written_.is_file_begun = false;
      file_events_ = 0;
      over_bytes_ = 0;
    } else {
      over_bytes_ = file_.size();  // tried again after as much has been written
    }
  }

  const audit_options options_;
  const base::sampler takes_;
  std::optional<ed25519_key> key_;

  mutable std::mutex mutex_;  // guards these
  std::vector<std::string> crawlers_;
  std::uint64_t untold_ = 0;  // lost events that the trail must still state
  bool is_on_disk_ = true;
  std::string why_lost_;
  audit_stats stats_;

  // For the writing thread only.
  audit_file file_;
  progress written_;
  progress next_;                   // after the lines
  std::string lines_;               // of the block that is written next
  std::uint64_t block_events_ = 0;  // in the lines
  std::uint64_t block_losses_ = 0;  // stated in the lines
  std::uint64_t handled_ = 0;       // of the taken events: written or lost
  std::uint64_t file_events_ = 0;   // of this process in the file
  std::uint64_t over_bytes_ = 0;
  std::string gap_;  // the report of the next block about the previous file
  std::optional<clock::time_point> flush_at_;
  std::unordered_set<std::string> known_;
  std::unordered_map<const policy*, std::pair<std::weak_ptr<const policy>, std::string>> ids_;
};

}  // namespace robots::adapters_detail
