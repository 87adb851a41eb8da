#include "peers/process.hpp"

#include "peers/child.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace bench {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view greeting = "robots-peer 1 ";
constexpr auto patience = 60s;  // the limit of commands without a time
constexpr auto grace = 5s;      // added to the time of a timed command

std::string_view word_for(operation step) {
  switch (step) {
    case operation::parse:
      return "parse";
    case operation::compile:
      return "compile";
    case operation::match:
      break;
  }
  return "match";
}

std::string in_words(const input& in) {
  std::string text = "input " + in.name + ' ' + std::to_string(in.files.size()) + ' ' +
                     std::to_string(in.questions.size()) + '\n';
  for (const std::string& file : in.files) {
    text += std::to_string(file.size()) + '\n' + file;
  }
  for (const question& q : in.questions) {
    text += std::to_string(q.file) + '\t' + q.agent + '\t' + q.path + '\n';
  }
  return text;
}

/// Returns the start of a message of a peer, in printable form for a table.
std::string quoted(std::string_view said) {
  std::string text{said.substr(0, 120)};
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

/// Removes `prefix`. A peer can state the reason of a failure. After any other answer, the
/// benchmarks no longer use the peer.
std::string after(std::string_view prefix, const std::string& answer) {
  constexpr std::string_view failed = "failed ";
  if (answer.starts_with(failed)) {
    throw peer_error{quoted(std::string_view{answer}.substr(failed.size()))};
  }
  if (!answer.starts_with(prefix)) {
    throw child_error{"it says: " + quoted(answer)};
  }
  return answer.substr(prefix.size());
}

std::size_t count_of(operation step, const input& in) {
  return step == operation::match ? in.questions.size() : in.files.size();
}

class process_peer final : public peer {
 public:
  process_peer(std::string name, std::vector<std::string> command)
      : name_(std::move(name)), command_(std::move(command)) {
    note_ = start();
  }

  [[nodiscard]] std::string name() const override { return name_; }

  [[nodiscard]] std::string note() const override { return note_ + ", a process of its own"; }

  [[nodiscard]] bool does(operation asked, const input& in) const override {
    return std::ranges::find(in.operations, asked) != in.operations.end();
  }

  [[nodiscard]] timing time(operation asked, const input& in,
                            std::chrono::milliseconds budget) override {
    const std::string family = in.name.substr(0, in.name.find('/'));
    if (const auto found = given_up_.find(family); found != given_up_.end()) {
      throw peer_error{found->second};
    }
    try {
      hand_over(in);
      const std::string command = "time " + std::string{word_for(asked)} + ' ' + in.name + ' ' +
                                  std::to_string(budget.count()) + '\n';
      std::istringstream answer{after("timed ", ask(command, budget + grace))};
      timing result;
      if (!(answer >> result.operations >> result.octets >> result.nanoseconds) ||
          result.operations == 0 || result.operations > count_of(asked, in) ||
          result.nanoseconds == 0) {
        throw child_error{"its counts are wrong"};
      }
      return result;
    } catch (const child_error& error) {
      // A program that hangs or fails once does it again.
      child_.reset();
      given_up_[family] = "gave up: " + std::string{error.what()};
      throw peer_error{given_up_[family]};
    }
  }

  [[nodiscard]] std::string verdicts(const input& in) override {
    try {
      hand_over(in);
      std::string answers = after("verdicts ", ask("verdicts " + in.name + '\n', patience));
      if (answers.size() != in.questions.size() ||
          answers.find_first_not_of("01?") != std::string::npos) {
        throw child_error{"it does not answer every question"};
      }
      return answers;
    } catch (const child_error& error) {
      child_.reset();
      throw peer_error{error.what()};
    }
  }

 private:
  std::string start() {
    known_.clear();
    try {
      child_ = std::make_unique<child>(command_);
      return quoted(after(greeting, child_->read_line(patience)));
    } catch (const child_error& error) {
      child_.reset();
      throw peer_error{error.what()};
    }
  }

  void hand_over(const input& in) {
    if (child_ == nullptr) {
      start();
    }
    if (known_.insert(in.name).second) {
      after("ready", ask(in_words(in), patience));
    }
  }

  std::string ask(std::string_view words, std::chrono::milliseconds limit) {
    child_->expect_silence();
    child_->write(words, patience);
    return child_->read_line(limit);
  }

  std::string name_;
  std::vector<std::string> command_;
  std::string note_;
  std::unique_ptr<child> child_;
  std::set<std::string> known_;  // the inputs that the process has
  std::map<std::string, std::string>
      given_up_;  // the families of inputs that it no longer times, and the reasons
};

}  // namespace

std::unique_ptr<peer> start_process(std::string name, std::vector<std::string> command) {
  return std::make_unique<process_peer>(std::move(name), std::move(command));
}

}  // namespace bench
