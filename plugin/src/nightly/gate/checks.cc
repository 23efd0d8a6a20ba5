#include "nightly/gate/checks.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string>

#include "nightly/gate/gate.h"

namespace prescope {

namespace {

using Rule = GateVerdict::Rule;
using Status = GateVerdict::Status;

std::string judgement_words(const QrelsVersion& qrels) {
  return fmt::format("{} and {} from grade {} on ({})", counted_words(qrels.topics, "topic"),
                     counted_words(qrels.relevant, "relevant citation"), qrels.min_grade,
                     qrels.hash);
}

Rule check_qrels(const GateSubject& subject) {
  Rule rule{.id = "input.qrels"};
  const QrelsVersion& then = subject.baseline.evaluation.qrels;
  const QrelsVersion& now = subject.tonight.qrels;
  if (then.hash == now.hash && then.min_grade == now.min_grade) {
    rule.reason = fmt::format("The judgements are the baseline's: {}.", judgement_words(now));
    return rule;
  }
  rule.status = Status::kBadInput;
  rule.reason = fmt::format(
      "The judgements are not the baseline's: it has {}, tonight has {}; scores under other "
      "judgements cannot be compared: evaluate under the baseline's, or pin a new baseline.",
      judgement_words(then), judgement_words(now));
  return rule;
}

Rule check_topics(const GateSubject& subject) {
  std::uint64_t served = 0;
  std::vector<TopicId> missing;
  for (const PairedTopic& topic : subject.topics) {
    if (!topic.baseline->served) continue;
    ++served;
    if (!topic.tonight->served) missing.push_back(topic.tonight->id);
  }
  Rule rule{.id = "input.topics"};
  if (missing.empty()) {
    rule.reason = fmt::format("All topics of the baseline were served tonight: {}.", served);
    return rule;
  }
  const std::uint32_t accepted = subject.rules.input.topics_missing;
  const std::string found =
      fmt::format("{} of the {} that the baseline served were not served tonight ({})",
                  counted_words(missing.size(), "topic"), served, listed_topics(missing));
  if (missing.size() <= accepted) {
    rule.reason =
        fmt::format("{}; {} accepted, and they count as finding nothing.", found, accepted);
    return rule;
  }
  rule.status = Status::kBadInput;
  rule.reason =
      fmt::format("{}; {} accepted: the run or the replay is not complete.", found, accepted);
  return rule;
}

Rule check_documents(const GateSubject& subject) {
  Rule rule{.id = "input.documents"};
  const auto& then = subject.baseline.evaluation.index.documents;
  const auto& now = subject.tonight.index.documents;
  if (!then || !now || *then == 0) {
    rule.status = Status::kSkipped;
    rule.reason = "How many documents the index has is not known of both.";
    return rule;
  }
  const double change = static_cast<double>(*now) / static_cast<double>(*then) - 1.0;
  const double accepted = subject.rules.input.documents_change;
  rule.reason = fmt::format("The index has {}, the baseline's had {}: {}, {} accepted",
                            counted_words(*now, "document"), *then, relative_words(change),
                            percent_words(accepted));
  if (std::abs(change) > accepted) {
    rule.status = Status::kBadInput;
    rule.reason += ": it was not built to the end, or from another collection";
  }
  rule.reason += '.';
  return rule;
}

Rule check_duplicates(const GateSubject& subject) {
  std::uint64_t hits = 0, duplicates = 0, topics = 0;
  for (const EvaluationRecord::Topic& topic : subject.tonight.topics) {
    hits += topic.num_ret;
    duplicates += topic.duplicates;
    if (topic.duplicates > 0) ++topics;
  }
  Rule rule{.id = "input.duplicates"};
  if (duplicates == 0) {
    rule.reason = "No ranking has a document twice.";
    return rule;
  }
  const double share =
      static_cast<double>(duplicates) / static_cast<double>(std::max(hits, duplicates));
  const double accepted = subject.rules.input.duplicates_share;
  rule.reason = fmt::format("{} of {} in {} repeat a document of the same ranking: {}, {} accepted",
                            duplicates, counted_words(hits, "hit"), counted_words(topics, "topic"),
                            percent_words(share), percent_words(accepted));
  if (share > accepted) {
    rule.status = Status::kBadInput;
    rule.reason += ": documents are in the index twice, or rankings were joined wrongly";
  }
  rule.reason += '.';
  return rule;
}

}  // namespace

std::vector<Rule> input_checks(const GateSubject& subject) {
  return {check_qrels(subject),     check_topics(subject),       check_depth(subject),
          check_documents(subject), check_judged_found(subject), check_duplicates(subject)};
}

}  // namespace prescope
