#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "nightly/gate/checks.h"
#include "nightly/gate/gate.h"
#include "statistics/effect_size.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;
using Topics = std::vector<const ChangedTopic*>;

template <class Predicate>
Topics topics_where(std::span<const ChangedTopic> topics, const Predicate& predicate) {
  Topics found;
  for (const ChangedTopic& topic : topics) {
    if (std::invoke(predicate, topic)) found.push_back(&topic);
  }
  return found;
}

std::string named_topics(const Topics& topics) {
  if (topics.empty()) return {};
  std::vector<TopicId> ids;
  for (const ChangedTopic* topic : topics) ids.push_back(topic->shown.id);
  return fmt::format(" ({})", listed_topics(ids));
}

/// A share of the topics, one at least. A share such as 0.29 of 100 is 28.999... in binary.
std::size_t accepted(double share, std::size_t topics) {
  const double whole = std::floor(share * static_cast<double>(topics) + 1e-9);
  return static_cast<std::size_t>(std::max(1.0, whole));
}

/// The id of the rule is set later.
CatastropheRule result(Status status, std::string reason, Topics failing = {}) {
  return {.rule = {.status = status, .reason = std::move(reason)}, .failing = std::move(failing)};
}

constexpr const char* kSwitchedOff = "Not looked at, as the rules say.";

CatastropheRule find_must_find(const GateSubject& subject, std::span<const ChangedTopic> topics) {
  if (!subject.rules.catastrophe.must_find) return result(Status::kSkipped, kSwitchedOff);
  const std::size_t pinned = subject.baseline.must_find.size();
  if (pinned == 0) return result(Status::kPass, "No citation is pinned.");
  const std::string all = counted_words(pinned, "pinned citation");
  Topics lost = topics_where(topics, &ChangedTopic::has_must_find_lost);
  if (lost.empty()) return result(Status::kPass, fmt::format("None of {} is lost.", all));
  std::string reason = fmt::format("{} lost a citation that must be found{}; of {}.",
                                   counted_words(lost.size(), "topic"), named_topics(lost), all);
  return result(Status::kFail, std::move(reason), std::move(lost));
}

std::string emptied_words(const GateVerdict::Emptied& emptied, Cutoff cutoff) {
  std::string words = fmt::format(
      "{} found something up to rank {} at the baseline and nothing "
      "tonight, {} the other way round",
      counted_words(emptied.emptied, "topic"), cutoff.value(), emptied.filled);
  if (emptied.p) words += fmt::format(" (p {:.2g})", *emptied.p);
  return fmt::format("{}; of topics like these at most {} are emptied", words,
                     percent_words(emptied.rate_high));
}

CatastropheRule find_emptied(const GateSubject& subject, std::span<const ChangedTopic> topics) {
  const GateRules::Catastrophe& rules = subject.rules.catastrophe;
  if (!rules.emptied) return result(Status::kSkipped, kSwitchedOff);
  const std::set<TopicId> allowed(rules.emptied_allowed.begin(), rules.emptied_allowed.end());
  const auto is_refused = [&](const ChangedTopic& topic) {
    return topic.is_emptied && !allowed.contains(topic.shown.id);
  };
  const Topics emptied = topics_where(topics, is_refused);
  Topics failing = topics_where(
      topics, [&](const ChangedTopic& topic) { return is_refused(topic) && topic.has_hard_loss; });
  const GateVerdict::Emptied counts = *count_emptied(topics);
  const std::string found = emptied_words(counts, *subject.moving->cutoff());
  if (!failing.empty()) {
    std::string reason = fmt::format("{}: none may be{}.", found, named_topics(failing));
    return result(Status::kFail, std::move(reason), std::move(failing));
  }
  if (!emptied.empty()) {
    return result(Status::kWarning,
                  fmt::format("{}: only over the edge{}.", found, named_topics(emptied)));
  }
  return result(Status::kPass, found + (counts.emptied > 0 ? ": the rules allow for them." : "."));
}

CatastropheRule find_hard_losses(const GateSubject& subject, std::span<const ChangedTopic> topics) {
  Topics hard = topics_where(topics, &ChangedTopic::has_hard_loss);
  const std::size_t limit = accepted(subject.rules.catastrophe.hard_loss_share, topics.size());
  const std::size_t lossy = topics_where(topics, &ChangedTopic::has_loss).size();
  const std::uint64_t cutoff = subject.moving->cutoff()->value();
  const bool has_failed = hard.size() > limit;
  std::string reason = fmt::format(
      "{} of {} lost a citation from the first {} ranks{}, {} accepted; {} only from behind them, "
      "up to {}.",
      counted_words(hard.size(), "topic"), topics.size(), cutoff * 4 / 5,
      has_failed ? named_topics(hard) : std::string(), limit, lossy - hard.size(), cutoff);
  if (has_failed) return result(Status::kFail, std::move(reason), std::move(hard));
  return result(lossy > limit ? Status::kWarning : Status::kPass, std::move(reason));
}

CatastropheRule find_falls(const GateSubject& subject, std::span<const ChangedTopic> topics) {
  const GateRules::Catastrophe& rules = subject.rules.catastrophe;
  Topics fallen = topics_where(
      topics, [&](const ChangedTopic& topic) { return topic.difference <= -rules.fall; });
  const std::size_t limit = accepted(rules.fall_share, topics.size());
  const bool has_failed = fallen.size() > limit;
  std::string reason =
      fmt::format("{} of {} fell by {} or more in {}{}, {} accepted.",
                  counted_words(fallen.size(), "topic"), topics.size(), rules.fall,
                  subject.moving->name(), has_failed ? named_topics(fallen) : std::string(), limit);
  if (has_failed) return result(Status::kFail, std::move(reason), std::move(fallen));
  return result(Status::kPass, std::move(reason));
}

}  // namespace

std::vector<CatastropheRule> find_catastrophes(const GateSubject& subject,
                                               std::span<const ChangedTopic> topics) {
  using Find = CatastropheRule (*)(const GateSubject&, std::span<const ChangedTopic>);
  constexpr std::pair<const char*, Find> kRules[] = {{"catastrophe.must_find", find_must_find},
                                                     {"catastrophe.emptied", find_emptied},
                                                     {"catastrophe.hard_loss", find_hard_losses},
                                                     {"catastrophe.fall", find_falls}};
  const char* why_not = nullptr;
  if (topics.empty()) why_not = "No topic has relevant documents.";
  if (!subject.moving) {
    why_not = "Not looked at: neither PRES@N nor R@N decides, whose cutoff it reads.";
  }
  std::vector<CatastropheRule> results;
  for (const auto& [id, find] : kRules) {
    results.push_back(why_not != nullptr ? result(Status::kSkipped, why_not)
                                         : find(subject, topics));
    results.back().rule.id = id;
  }
  return results;
}

std::optional<GateVerdict::Emptied> count_emptied(std::span<const ChangedTopic> topics) {
  if (topics.empty()) return std::nullopt;
  GateVerdict::Emptied counts;
  for (const ChangedTopic& topic : topics) {
    if (topic.is_emptied) ++counts.emptied;
    if (topic.is_filled) ++counts.filled;
  }
  const std::uint64_t turned = std::uint64_t{counts.emptied} + counts.filled;
  if (turned > 0) counts.p = fair_coin_tail(counts.emptied, turned);
  // Its one-sided 95 % bound is the end of the 90 % interval.
  counts.rate_high = clopper_pearson_interval(counts.emptied, topics.size(), 0.9).high;
  return counts;
}

}  // namespace prescope
