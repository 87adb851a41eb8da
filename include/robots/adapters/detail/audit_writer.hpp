// The thread that writes an audit trail, so that nobody else waits for a disk.
#pragma once

#include <robots/adapters/audit_options.hpp>
#include <robots/adapters/detail/audit_crawler.hpp>
#include <robots/adapters/detail/audit_crypto.hpp>
#include <robots/adapters/detail/audit_entry.hpp>
#include <robots/adapters/detail/audit_file.hpp>
#include <robots/adapters/detail/audit_policy.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/sampler.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/wall_time.hpp>
#include <robots/version.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// An entry that has yet to find its place in the chain.
struct audit_part {
  std::string_view type;
  std::string members;  ///< an object
  std::string id;       ///< what it describes, if other entries refer to that
  bool once = false;    ///< not needed when that is described already
};

/// The members that entries about sites begin with.
[[nodiscard]] inline base::json_writer begin_members(std::size_t crawler, std::string_view site,
                                                     std::string_view trace_id = {},
                                                     std::string_view span_id = {}) {
  base::json_writer json;
  json.number("crawler", crawler).text("site", site);
  if (!trace_id.empty()) {
    json.text("trace_id", trace_id).text("span_id", span_id);
  }
  return json;
}

/// A decision that waits to be written; its policy is looked at by the thread that writes.
struct audit_decision {
  std::size_t crawler = 0;
  std::string site;
  std::string trace_id;
  std::string span_id;
  std::string url;
  decision made;
};

/// One event that waits to be written.
struct audit_news {
  wall_time time{};
  std::vector<audit_part> parts{};
  std::optional<audit_decision> decided{};

  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t all = sizeof(*this);
    for (const audit_part& part : parts) {
      all += sizeof(part) + part.members.size() + part.id.size();
    }
    if (decided) {
      all += decided->site.size() + decided->url.size() + decided->trace_id.size();
    }
    return all;
  }
};

/// What a retrieval, or another event, tells of a policy: what that says, if nothing said so
/// before, and the event, whose members begin with `about`.
[[nodiscard]] inline std::vector<audit_part> parts_of(std::string_view type,
                                                      base::json_writer about, const policy& from,
                                                      const record_head& head,
                                                      std::string_view body) {
  audited_policy known = audited(from);
  std::vector<audit_part> parts;
  if (!known.directives.empty()) {
    parts.push_back({"directives",
                     "{\"id\":\"" + known.directives + "\",\"directives\":" + known.text + '}',
                     known.directives, true});
  }
  add_policy(about, from, known);
  if (!body.empty()) {
    const std::string id = sha256(body);
    base::json_writer content;
    content.text("id", id).number("octets", body.size()).text("text", body);
    parts.push_back({"body", std::move(content).finish(), id, true});
    about.text("body", id);
  }
  add_record(about, head);
  parts.push_back({type, std::move(about).finish(), std::move(known.id), type == "policy"});
  return parts;
}

/// Writes what it is told, in this order, one after another.
class audit_writer {
 public:
  explicit audit_writer(const audit_options& options)
      : options_{options}, takes_{options.share}, file_{options} {
    // What begins first ends last: OpenSSL, behind a trail that lives as long as the process.
    static_cast<void>(sha256({}));
    if (!options.signing_key.empty()) {
      key_ = ed25519_key::private_key(options.signing_key);
    }
    if (options.sign_every == 0 || options.file_bytes == 0) {
      throw std::invalid_argument{"audit_options: sign_every and file_bytes are at least 1"};
    }
    if (!(options.share >= 0 && options.share <= 1)) {
      throw std::invalid_argument{"audit_options: share is from 0 to 1"};
    }
    signed_ = file_.chain().entries;
    stats_.last_file = file_.number();
    stats_.last_hash = file_.chain().last;
  }

  /// Begins to write.
  static void start(const std::shared_ptr<audit_writer>& writer) {
    writer->thread_ = std::thread{[writer] { writer->run(); }};
  }

  /// Ends when all is written, or the time is over: then the thread is left to itself.
  void close() {
    std::unique_lock lock{mutex_};
    ends_ = true;
    changed_.notify_all();
    const bool ended = changed_.wait_for(lock, options_.close_within, [this] { return ended_; });
    lock.unlock();
    ended ? thread_.join() : thread_.detach();
  }

  /// Whether to record a decision.
  [[nodiscard]] bool takes() const noexcept { return takes_.takes(); }

  /// Adds a crawler, by its options: its number in the trail.
  [[nodiscard]] std::size_t add_crawler(std::string text) {
    const std::scoped_lock lock{mutex_};
    crawlers_.push_back(std::move(text));
    return crawlers_.size() - 1;
  }

  /// Has something written soon; loses it when too much waits already.
  void push(audit_news news) {
    const std::size_t size = news.size();
    bool wakes = false;
    {
      const std::scoped_lock lock{mutex_};
      if (size > options_.queue_bytes - waiting_bytes_) {
        lose(1, "the queue was full");
        return;
      }
      wakes = waiting_.empty() || 2 * (waiting_bytes_ + size) > options_.queue_bytes;
      waiting_bytes_ += size;
      waiting_.push_back(std::move(news));
      ++pushed_;
    }
    if (wakes) {
      changed_.notify_all();
    }
  }

  /// Waits until all that was told before is on the disk; false when something was lost, or the
  /// time is over.
  [[nodiscard]] bool flush(std::chrono::milliseconds longest) {
    std::unique_lock lock{mutex_};
    const std::uint64_t last = pushed_;
    ++flushes_asked_;
    const std::uint64_t wanted = flushes_asked_;
    changed_.notify_all();
    return changed_.wait_for(lock, longest, [&] {
      return flushes_done_ >= wanted && written_ >= last;
    }) && untold_ == 0;
  }

  [[nodiscard]] audit_stats stats() const {
    const std::scoped_lock lock{mutex_};
    return stats_;
  }

 private:
  using clock = std::chrono::steady_clock;

  /// How long it waits for more to be told before it writes.
  static constexpr std::chrono::milliseconds gathering{20};
  /// Octets that are written at once.
  static constexpr std::size_t block = std::size_t{1} << 18U;
  /// How many policies and texts it remembers to have described.
  static constexpr std::size_t most_known = 65'536;

  void lose(std::uint64_t events, std::string_view why) {
    stats_.lost += events;
    untold_ += events;
    why_lost_ = why;
  }

  void run() {
    std::vector<audit_news> taken;
    std::unique_lock lock{mutex_};
    for (;;) {
      const auto is_urgent = [this] { return ends_ || flushes_asked_ > flushes_done_; };
      const auto has_work = [&] { return is_urgent() || !waiting_.empty(); };
      if (flush_at_) {
        changed_.wait_until(lock, *flush_at_, has_work);
      } else {
        changed_.wait(lock, has_work);
      }
      if (options_.flush_every != std::chrono::milliseconds{0}) {
        changed_.wait_for(lock, gathering,
                          [&] { return is_urgent() || 2 * waiting_bytes_ > options_.queue_bytes; });
      }
      const bool ends = ends_;
      const std::uint64_t flushes = flushes_asked_;
      taken.swap(waiting_);  // each of the two keeps its memory
      const std::size_t count = taken.size();
      const std::size_t taken_bytes = waiting_bytes_;
      lock.unlock();
      handled_ = 0;
      try {
        write(taken);
        if (ends) {
          close_chain();
        }
      } catch (const std::exception& error) {  // no memory, or OpenSSL cannot sign
        give_up(taken.size(), error.what());
      }
      flush_if_due(flushes > flushes_done_ || ends);
      taken.clear();
      lock.lock();
      waiting_bytes_ -= taken_bytes;
      written_ += count;
      flushes_done_ = flushes;
      if (ends && waiting_.empty()) {
        ended_ = true;
        changed_.notify_all();
        return;
      }
      changed_.notify_all();
    }
  }

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

  /// Loses what was not handled yet of so many events.
  void give_up(std::uint64_t events, std::string_view why) {
    lines_.clear();
    known_.clear();
    block_events_ = 0;
    const std::scoped_lock lock{mutex_};
    stats_.failure = why;
    lose(events - handled_, why);
  }

  /// What the entries begin with in a file, and what was lost before.
  void begin_block() {
    if (!lines_.empty()) {
      return;
    }
    next_ = file_.chain();
    next_signed_ = signed_;
    std::vector<std::string> crawlers;
    base::json_writer lost;
    {
      const std::scoped_lock lock{mutex_};
      crawlers = crawlers_;
      block_losses_ = untold_;
      lost.number("events", untold_).text("why", why_lost_);
    }
    if (!is_begun_) {
      begin_file();
    }
    for (std::size_t i = is_begun_ ? told_crawlers_ : 0; i < crawlers.size(); ++i) {
      add_entry("crawler", "{\"crawler\":" + std::to_string(i) + ',' + crawlers[i].substr(1));
    }
    block_crawlers_ = crawlers.size();
    if (block_losses_ > 0) {
      add_entry("lost", std::move(lost).finish());
    }
  }

  void begin_file() {
    base::json_writer json;
    json.number("format", 1).text("library", version).number("file", file_.number());
    if (file_.number() > 1) {
      json.text("previous", file_.name_of(file_.number() - 1));
    }
    json.text("share", number_text(options_.share));
    if (key_) {
      json.text("key", key_->name()).number("sign_every", options_.sign_every);
    }
    add_entry("trail", std::move(json).finish());
    if (const std::string& torn = file_.torn(); !torn.empty() && !is_torn_told_) {
      constexpr std::size_t shown = 1'000;
      base::json_writer cut;
      cut.number("octets", torn.size()).text("sha256", sha256(torn));
      cut.text("start", std::string_view{torn}.substr(0, shown));
      add_entry("torn", std::move(cut).finish());
    }
    if (key_ && stats_.entries == 0 && next_.entries > 1) {
      sign("start");  // what an earlier process did not come to sign
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

  /// A decision, behind what it rests on, unless that is known.
  void add_decision(wall_time time, const audit_decision& from) {
    const decision& made = from.made;
    const std::string id = id_of(made.policy);
    if (!known_.contains(id)) {
      for (const audit_part& part : parts_of("policy", begin_members(from.crawler, from.site),
                                             *made.policy, made.policy->source(), {})) {
        add_part(time, part);
      }
    }
    base::json_writer json = begin_members(from.crawler, from.site, from.trace_id, from.span_id);
    json.text("url", from.url).text("policy", id);
    json.flag("allowed", made.allowed).text("reason", to_string(made.reason));
    if (made.verdict.directive) {
      json.text("directive", to_string(*made.verdict.directive))
          .text("pattern", made.verdict.pattern.value_or(""))
          .number("line", made.verdict.line);
    }
    json.text("user_agent", made.verdict.user_agent).seconds("age_seconds", made.age);
    json.flag("from_cache", made.from_cache).flag("stale", made.stale);
    add_entry("decision", std::move(json).finish(), time);
  }

  /// See `audited_policy::id`. Found once for each object.
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
    lines_ += next_.add(date_text(time), type, members);
    if (key_ && next_.entries - next_signed_ >= options_.sign_every) {
      sign("count");
    }
  }

  void sign(std::string_view why) {
    base::json_writer json;
    json.text("why", why);
    if (key_) {
      json.text("key", key_->name());
    }
    lines_ += next_.add(date_text(std::chrono::system_clock::now()), "checkpoint",
                        std::move(json).finish(), key_ ? &*key_ : nullptr);
    next_signed_ = next_.entries;
  }

  void write_block() {
    if (lines_.empty()) {
      return;
    }
    const std::uint64_t added = next_.entries - file_.chain().entries;
    const std::string failure = file_.write(lines_, next_);
    lines_.clear();
    const std::uint64_t events = std::exchange(block_events_, 0);
    const std::uint64_t losses = std::exchange(block_losses_, 0);
    const std::scoped_lock lock{mutex_};
    stats_.failure = failure;
    handled_ += events;
    if (!failure.empty()) {
      known_.clear();
      lose(events, failure);
      return;
    }
    signed_ = next_signed_;
    is_begun_ = is_torn_told_ = true;
    told_crawlers_ = block_crawlers_;
    untold_ -= losses;
    stats_.entries += added;
    stats_.last_file = file_.number();
    stats_.last_hash = file_.chain().last;
    if (options_.flush_every && !flush_at_) {
      flush_at_ = clock::now() + *options_.flush_every;
    }
  }

  void rotate_if_due() {
    if (file_.size() < options_.file_bytes + over_bytes_) {
      return;
    }
    next_ = file_.chain();
    next_signed_ = signed_;
    sign("rotation");
    write_block();
    if (file_.begin_next().empty()) {
      is_begun_ = false;
      over_bytes_ = 0;
    } else {
      over_bytes_ = file_.size();  // tried again when as much has been written once more
    }
  }

  void close_chain() {
    begin_block();
    sign("close");
    write_block();
  }

  void flush_if_due(bool wanted) {
    if (wanted || (flush_at_ && clock::now() >= *flush_at_)) {
      file_.flush();
      flush_at_.reset();
    }
  }

  const audit_options options_;
  const base::sampler takes_;
  std::optional<ed25519_key> key_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<audit_news> waiting_;
  std::size_t waiting_bytes_ = 0;  // what is being written included
  std::vector<std::string> crawlers_;
  std::uint64_t pushed_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t flushes_asked_ = 0;
  std::uint64_t flushes_done_ = 0;
  std::uint64_t untold_ = 0;  // events lost of which the trail does not tell yet
  std::string why_lost_;
  audit_stats stats_;
  bool ends_ = false;
  bool ended_ = false;

  // Of the thread that writes.
  audit_file file_;
  std::string lines_;               // of the block to be written next
  audit_chain next_;                // behind them
  std::uint64_t block_events_ = 0;  // in them
  std::uint64_t block_losses_ = 0;  // told in them
  std::size_t block_crawlers_ = 0;  // told then
  std::size_t told_crawlers_ = 0;
  bool is_begun_ = false;  // the file has its first entries
  bool is_torn_told_ = false;
  std::uint64_t signed_ = 0;       // the last entry that is
  std::uint64_t next_signed_ = 0;  // the same, behind the lines
  std::uint64_t handled_ = 0;      // events of those taken that are written or lost
  std::uint64_t over_bytes_ = 0;
  std::optional<clock::time_point> flush_at_;
  std::unordered_set<std::string> known_;
  std::unordered_map<const policy*, std::pair<std::weak_ptr<const policy>, std::string>> ids_;
  std::thread thread_;
};

}  // namespace robots::adapters_detail
