// Properties of every gate on random nights.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "nightly/gate/gate.h"
#include "support/evaluation_records.h"
#include "support/served.h"

namespace prescope {
namespace {

using Status = GateVerdict::Status;

struct Nights {
  EvaluationRecord baseline{}, tonight{};
};

/// Ranks of one topic's citations, 0 for one not found; no rank twice.
std::vector<Rank> any_ranks(std::size_t citations) {
  std::vector<Rank> ranks(citations);
  Rank last = 0;
  for (Rank& rank : ranks) {
    last += *any_of_range<Rank>(1, 50);
    rank = *any_of_range<int>(0, 4) == 0 ? 0 : last;
  }
  for (std::size_t i = citations; i > 1; --i) {
    std::swap(ranks[i - 1], ranks[*any_of_range<std::size_t>(0, i)]);
  }
  return ranks;
}

/// Up to 20 topics of which about half change.
Nights any_nights() {
  std::vector<EvaluationRecord::Topic> before, now;
  const auto topics = *any_of_range<int>(1, 21);
  for (int i = 0; i < topics; ++i) {
    const std::string id = fmt::format("T{}", 100 + i);
    const auto citations = *any_of_range<std::size_t>(0, 7);
    const std::vector<Rank> ranks = any_ranks(citations);
    before.push_back(topic_found_at(id, ranks));
    now.push_back(topic_found_at(id, *any_of_range<int>(0, 2) == 0 ? ranks : any_ranks(citations)));
  }
  Nights nights{evaluation_record(before), evaluation_record(now)};
  for (EvaluationRecord* record : {&nights.baseline, &nights.tonight}) {
    set_latencies(*record, 200, *any_of_range<int>(1, 40), 0.1);
  }
  return nights;
}

GateVerdict gated(const Nights& nights) {
  return gate(baseline_of(nights.baseline), nights.tonight, {});
}

GateVerdict reversed(const Nights& nights) { return gated({nights.tonight, nights.baseline}); }

RC_GTEST_PROP(Gate, IsSymmetric, ()) {
  const Nights nights = any_nights();
  const GateVerdict there = gated(nights), back = reversed(nights);
  for (std::size_t m = 0; m < there.measures.size(); ++m) {
    const auto& a = there.measures[m];
    const auto& b = back.measures[m];
    RC_ASSERT(a.baseline == b.tonight && a.tonight == b.baseline);
    RC_ASSERT(a.wins == b.losses && a.losses == b.wins && a.ties == b.ties);
    if (a.difference) RC_ASSERT(std::abs(*a.difference + *b.difference) < 1e-15);
    if (a.low) RC_ASSERT(std::abs(*a.low + *b.high) < 1e-12);
    if (a.low) RC_ASSERT(std::abs(*a.p_different - *b.p_different) < 1e-12);
    if (a.low) RC_ASSERT(std::abs(*a.p_equivalent - *b.p_equivalent) < 1e-12);
  }
  RC_ASSERT(there.emptied.has_value() == back.emptied.has_value());
  if (there.emptied) RC_ASSERT(there.emptied->emptied == back.emptied->filled);
  RC_ASSERT(there.identical == back.identical);
}

RC_GTEST_PROP(Gate, SharesOfCitationsAddUpToTheDifferenceOfTheTopic, ()) {
  const Nights nights = any_nights();
  for (const GateVerdict::Topic& topic : gated(nights).topics) {
    double sum = 0.0, last = 2.0;
    for (const GateVerdict::Citation& citation : topic.citations) {
      sum += citation.share;
      RC_ASSERT(std::abs(citation.share) <= last);
      last = std::abs(citation.share);
    }
    RC_ASSERT(std::abs(sum - (topic.b - topic.a)) < 1e-14);
  }
}

/// Returns the printed verdict without the records.
std::string text_of(const GateVerdict& verdict) {
  std::string text = fmt::format("{} {}\n", to_string(verdict.outcome), verdict.identical);
  for (const GateVerdict::Rule& rule : verdict.rules) {
    text += fmt::format("{} {} {}\n", rule.id, static_cast<int>(rule.status), rule.reason);
  }
  for (const GateVerdict::MeasureResult& result : verdict.measures) {
    text += fmt::format("{} {} {}\n", result.difference.value_or(9.0), result.low.value_or(9.0),
                        result.p_non_inferior.value_or(9.0));
  }
  for (const GateVerdict::Topic& topic : verdict.topics) {
    text += fmt::format("{} {} {}\n", topic.topic.text(), topic.b, fmt::join(topic.fails, " "));
    for (const GateVerdict::Citation& citation : topic.citations) {
      text += fmt::format("  {} {} {} {}\n", citation.docno.text(), citation.rank_a.value_or(0),
                          citation.rank_b.value_or(0), citation.share);
    }
  }
  return text;
}

RC_GTEST_PROP(Gate, DoesNotDependOnTheOrderOfTopics, ()) {
  const Nights nights = any_nights();
  Nights shuffled = nights;
  for (std::size_t i = shuffled.tonight.topics.size(); i > 1; --i) {
    const auto other = *any_of_range<std::size_t>(0, i);
    std::swap(shuffled.tonight.topics[i - 1], shuffled.tonight.topics[other]);
    std::swap(shuffled.baseline.topics[other], shuffled.baseline.topics[i / 2]);
  }
  const std::string text = text_of(gated(nights));
  RC_ASSERT(text_of(gated(nights)) == text);
  RC_ASSERT(text_of(gated(shuffled)) == text);
}

RC_GTEST_PROP(Gate, NightEqualToTheBaselinePasses, ()) {
  Nights nights = any_nights();
  nights.tonight = nights.baseline;
  const GateVerdict verdict = gated(nights);
  const bool has_values = std::ranges::any_of(nights.baseline.topics,
                                              [](const auto& topic) { return topic.num_rel > 0; });
  RC_ASSERT(verdict.identical);
  RC_ASSERT(verdict.topics.empty());
  RC_ASSERT(verdict.outcome == (has_values ? GateOutcome::kPass : GateOutcome::kInconclusive));
}

/// Removes one of the citations that tonight found; returns false if there is none.
bool lose_one(EvaluationRecord& tonight) {
  std::vector<EvaluationRecord::Topic*> with_some;
  for (EvaluationRecord::Topic& topic : tonight.topics) {
    if (!topic.found.empty()) with_some.push_back(&topic);
  }
  if (with_some.empty()) return false;
  auto& found = with_some[*any_of_range<std::size_t>(0, with_some.size())]->found;
  found.erase(found.begin() +
              static_cast<std::ptrdiff_t>(*any_of_range<std::size_t>(0, found.size())));
  return true;
}

RC_GTEST_PROP(Gate, LosingACitationImprovesNoCatastrophe, ()) {
  Nights nights = any_nights();
  const GateVerdict before = gated(nights);
  if (!lose_one(nights.tonight)) return;
  const GateVerdict after = gated(nights);
  for (const char* rule : {"must_find", "emptied", "hard_loss", "fall"}) {
    const std::string id = std::string("catastrophe.") + rule;
    RC_ASSERT(rule_of(after, id).status >= rule_of(before, id).status);
  }
  for (std::size_t m = 0; m < before.measures.size(); ++m) {
    if (!before.measures[m].difference) continue;
    RC_ASSERT(*after.measures[m].difference <= *before.measures[m].difference);
  }
}

/// Returns the largest share of the squared deviations that a single topic has. If it is above
/// 1/t^2, a lower score of that topic can raise the lower bound of the mean, because all the others
/// agree.
double largest_part(const Nights& nights, const Measure& measure) {
  std::map<TopicId, double> differences;
  for (const auto& topic : nights.baseline.topics) {
    if (const auto score = EvaluationRecord::score(topic, measure)) differences[topic.id] -= *score;
  }
  double sum = 0.0;
  for (const auto& topic : nights.tonight.topics) {
    if (const auto score = EvaluationRecord::score(topic, measure)) {
      sum += differences[topic.id] += *score;
    }
  }
  double squares = 0.0, largest = 0.0;
  for (const auto& [id, difference] : differences) {
    const double deviation = difference - sum / static_cast<double>(differences.size());
    squares += deviation * deviation;
    largest = std::max(largest, deviation * deviation);
  }
  return squares > 0.0 ? largest / squares : 1.0;
}

RC_GTEST_PROP(Gate, LosingACitationNeverImprovesTheOutcomeIfNoTopicDominates, ()) {
  Nights nights = any_nights();
  const auto severity = [](const GateVerdict& verdict) {
    return verdict.outcome == GateOutcome::kPass           ? 0
           : verdict.outcome == GateOutcome::kInconclusive ? 1
                                                           : 2;
  };
  const auto stands_alone = [](const Nights& of) {
    return largest_part(of, Measure::parse("PRES@100")) > 0.2 ||
           largest_part(of, Measure::parse("R@100")) > 0.2;
  };
  const Nights before = nights;
  if (!lose_one(nights.tonight) || stands_alone(before) || stands_alone(nights)) return;
  RC_ASSERT(severity(gated(nights)) >= severity(gated(before)));
}

}  // namespace
}  // namespace prescope
