#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "nightly/gate/checks.h"
#include "nightly/gate/gate.h"
#include "statistics/effect_size.h"

namespace prescope {

namespace {

using Rule = GateVerdict::Rule;
using Status = GateVerdict::Status;
using Topics = std::vector<const ChangedTopic*>;

constexpr std::string_view kMustFind = "catastrophe.must_find", kEmptied = "catastrophe.emptied",
                           kHardLoss = "catastrophe.hard_loss", kFall = "catastrophe.fall";

template <class Predicate>
Topics topics_where(std::span<const ChangedTopic> topics, const Predicate& predicate) {
  Topics found;
  for (const ChangedTopic& topic : topics) {
    if (predicate(topic)) found.push_back(&topic);
  }
  return found;
}

std::string named_topics(const Topics& topics) {
  if (topics.empty()) return {};
  std::vector<TopicId> ids;
  for (const ChangedTopic* topic : topics) ids.push_back(topic->shown.topic);
  return fmt::format(" ({})", listed_topics(ids));
}

/// A share of the topics, one at least. A share such as 0.29 of 100 is 28.999... in binary.
std::size_t accepted(double share, std::size_t topics) {
  const double whole = std::floor(share * static_cast<double>(topics) + 1e-9);
  return static_cast<std::size_t>(std::max(1.0, whole));
}

CatastropheRule not_looked_at(std::string_view id, std::string_view why) {
  return {.rule = {.id = std::string(id), .status = Status::kSkipped, .reason = std::string(why)}};
}

CatastropheRule find_must_find(const GateSubject& subject, std::span<const ChangedTopic> topics) {
  if (!subject.rules.catastrophe.must_find) {
    return not_looked_at(kMustFind, "Not looked at, as the rules say.");
  }
  CatastropheRule result{.rule = {.id = std::string(kMustFind)}};
  const std::size_t pinned = subject.baseline.must_find.size();
  result.failing = topics_where(topics, [](const auto& topic) { return topic.has_must_find_lost; });
  if (pinned == 0) {
    result.rule.reason = "No citation is pinned.";
  } else if (result.failing.empty()) {
    result.rule.reason =
        fmt::format("None of {} is lost.", counted_words(pinned, "pinned citation"));
  } else {
    result.rule.status = Status::kFail;
    result.rule.reason =
        fmt::format("{} lost a citation that must be found{}; of {}.",
                    counted_words(result.failing.size(), "topic"), named_topics(result.failing),
                    counted_words(pinned, "pinned citation"));
  }
  return result;
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
  if (!rules.emptied) return not_looked_at(kEmptied, "Not looked at, as the rules say.");
  const std::set<TopicId> allowed(rules.emptied_allowed.begin(), rules.emptied_allowed.end());
  const Topics emptied = topics_where(topics, [&](const ChangedTopic& topic) {
    return topic.is_emptied && !allowed.contains(topic.shown.topic);
  });
  CatastropheRule result{.rule = {.id = std::string(kEmptied)}};
  for (const ChangedTopic* topic : emptied) {
    if (topic->has_hard_loss) result.failing.push_back(topic);
  }
  const GateVerdict::Emptied counts = *count_emptied(topics);
  result.rule.reason = emptied_words(counts, *subject.moving->cutoff());
  if (!result.failing.empty()) {
    result.rule.status = Status::kFail;
    result.rule.reason += fmt::format(": none may be{}", named_topics(result.failing));
  } else if (!emptied.empty()) {
    result.rule.status = Status::kWarning;
    result.rule.reason += fmt::format(": only over the edge{}", named_topics(emptied));
  } else if (counts.emptied > 0) {
    result.rule.reason += ": the rules allow for them";
  }
  result.rule.reason += '.';
  return result;
}

CatastropheRule find_hard_losses(const GateSubject& subject, std::span<const ChangedTopic> topics) {
  CatastropheRule result{.rule = {.id = std::string(kHardLoss)}};
  Topics hard = topics_where(topics, [](const auto& topic) { return topic.has_hard_loss; });
  const std::size_t limit = accepted(subject.rules.catastrophe.hard_loss_share, topics.size());
  const auto at_edge = static_cast<std::size_t>(std::ranges::count_if(
      topics, [](const auto& topic) { return topic.has_loss && !topic.has_hard_loss; }));
  const std::uint64_t last_far = std::uint64_t{subject.moving->cutoff()->value()} * 4 / 5;
  const bool has_failed = hard.size() > limit;
  result.rule.reason = fmt::format(
      "{} of {} lost a citation from the first {} ranks{}, {} accepted; {} only from behind them, "
      "up to {}.",
      counted_words(hard.size(), "topic"), topics.size(), last_far,
      has_failed ? named_topics(hard) : std::string(), limit, at_edge,
      subject.moving->cutoff()->value());
  if (has_failed) {
    result.rule.status = Status::kFail;
    result.failing = std::move(hard);
  } else if (hard.size() + at_edge > limit) {
    result.rule.status = Status::kWarning;
  }
  return result;
}

CatastropheRule find_falls(const GateSubject& subject, std::span<const ChangedTopic> topics) {
  const GateRules::Catastrophe& rules = subject.rules.catastrophe;
  CatastropheRule result{.rule = {.id = std::string(kFall)}};
  Topics fallen = topics_where(
      topics, [&](const ChangedTopic& topic) { return topic.shown.difference <= -rules.fall; });
  const std::size_t limit = accepted(rules.fall_share, topics.size());
  const bool has_failed = fallen.size() > limit;
  result.rule.reason =
      fmt::format("{} of {} fell by {} or more in {}{}, {} accepted.",
                  counted_words(fallen.size(), "topic"), topics.size(), rules.fall,
                  subject.moving->name(), has_failed ? named_topics(fallen) : std::string(), limit);
  if (has_failed) {
    result.rule.status = Status::kFail;
    result.failing = std::move(fallen);
  }
  return result;
}

}  // namespace

std::vector<CatastropheRule> find_catastrophes(const GateSubject& subject,
                                               std::span<const ChangedTopic> topics) {
  if (!subject.moving || topics.empty()) {
    const std::string_view why =
        subject.moving ? "No topic has relevant documents."
                       : "Not looked at: neither PRES@N nor R@N decides, whose cutoff it reads.";
    return {not_looked_at(kMustFind, why), not_looked_at(kEmptied, why),
            not_looked_at(kHardLoss, why), not_looked_at(kFall, why)};
  }
  return {find_must_find(subject, topics), find_emptied(subject, topics),
          find_hard_losses(subject, topics), find_falls(subject, topics)};
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
