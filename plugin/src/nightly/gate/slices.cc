#include <fmt/format.h>
#include <cmath>

#include "nightly/gate/checks.h"
#include "runs/judged_topics.h"
#include "runs/slice_comparison.h"
#include "runs/slice_words.h"
#include "runs/topic_units.h"
#include "statistics/effect_size.h"

namespace prescope {

namespace {

using Slice = GateVerdict::SliceResult;
using Status = GateVerdict::Status;

/// A slice with the facts that decide.
struct JudgedSlice {
  Slice result;
  bool bets_win_beyond = false;  ///< against "the loss is at most the margin"
  bool bets_win_worse = false;   ///< against "there is no loss"

  [[nodiscard]] bool is_beyond(double alpha) const noexcept {
    return *result.p_beyond <= alpha && bets_win_beyond;
  }
  [[nodiscard]] bool is_worse(double alpha) const noexcept {
    return *result.p_worse <= alpha && bets_win_worse;
  }
  /// These topics alone do not rule out a loss beyond the margin. The bound is not corrected,
  /// because "all slices are within the margin" is said only if every slice rules it out.
  [[nodiscard]] bool is_doubtful() const noexcept { return *result.low <= -result.margin; }
};

/// Returns the one-sided p against "the mean difference is `least` or more".
double p_below(const Slice& slice, double least) {
  const double distance = least - *slice.difference;
  if (*slice.sd == 0.0) return distance > 0.0 ? 0.0 : 1.0;
  const double n = slice.topics;
  return student_t_tail(distance * std::sqrt(n) / *slice.sd, n - 1.0);
}

Status status_of_slice(const JudgedSlice& slice, const GateRules& rules) {
  const double alpha = 1.0 - rules.confidence;
  if (slice.is_beyond(alpha)) return Status::kFail;
  if (slice.is_doubtful() && rules.slices.must_decide) return Status::kInconclusive;
  return slice.is_worse(alpha) ? Status::kWarning : Status::kPass;
}

/// "In section D, PRES@100 went from ...: not worse than the margin of 0.01."
std::string slice_sentence_of(const JudgedSlice& slice, Status status, const GateRules& rules,
                              std::size_t speaking) {
  const Slice& result = slice.result;
  const double alpha = 1.0 - rules.confidence;
  const std::string corrected =
      speaking == 1 ? "" : fmt::format(", corrected for {} slices", speaking);
  const std::string worse =
      slice.is_worse(alpha) ? fmt::format("worse ({}{})", p_words(*result.p_worse), corrected) : "";
  std::string verdict;
  if (status == Status::kFail) {
    verdict = fmt::format("worse than the margin of {} ({}{})", result.margin,
                          p_words(*result.p_beyond), corrected);
  } else if (status == Status::kInconclusive) {
    verdict = fmt::format(
        "{}these topics cannot tell whether it is worse than the margin of {}{}; it may have lost "
        "up to {:.4f}",
        worse.empty() ? "" : worse + "; ", result.margin,
        topics_needed_words(result, rules.confidence), -*result.low);
  } else if (slice.is_doubtful()) {
    verdict =
        fmt::format("{} than the margin of {}, but it may have lost up to {:.4f}",
                    worse.empty() ? "not shown to be worse" : worse + ", and not shown to be worse",
                    result.margin, -*result.low);
  } else {
    verdict = fmt::format("{}not worse than the margin of {}",
                          worse.empty() ? "" : worse + ", but ", result.margin);
  }
  const bool is_by_t_alone =
      status != Status::kFail && ((*result.p_beyond <= alpha && !slice.bets_win_beyond) ||
                                  (*result.p_worse <= alpha && !slice.bets_win_worse));
  return fmt::format("In {}, {}: {}.{}", slice_words(result.dimension, result.name),
                     figures_words(result, rules.confidence), verdict,
                     is_by_t_alone ? " The t test alone would say more, but a rare large gain "
                                     "would turn it."
                                   : "");
}

/// "section D (11 topics)"
std::string slice_with_units(const Slice& slice) {
  return fmt::format("{} ({})", slice_words(slice.dimension, slice.name),
                     units_text(slice.topics, slice.by_family));
}

/// Counts the slices, and names those that are too small and the topics that are not judged.
Finding slice_tally(std::span<const JudgedSlice> slices, std::size_t speaking,
                    const TopicSlices& named) {
  std::vector<std::string> dimensions, too_few, alike;
  for (const TopicSlices::Dimension& dimension : named.dimensions) {
    dimensions.push_back(dimension.name);
  }
  std::string_view units = "topics";
  for (const JudgedSlice& slice : slices) {
    const Slice& result = slice.result;
    if (result.by_family) units = "families";
    if (result.may_speak) continue;
    (result.topics < kUnitsThatSpeak ? too_few : alike).push_back(slice_with_units(result));
  }
  std::string words =
      fmt::format("Of {} by {}, {} {} a rule.", counted_words(slices.size(), "slice"),
                  fmt::join(dimensions, ", "), speaking, speaking == 1 ? "has" : "have");
  if (!too_few.empty()) {
    words += fmt::format(" Fewer than {} {}, and no verdict: {}.", kUnitsThatSpeak, units,
                         listed_names(too_few));
  }
  if (!alike.empty()) {
    words += fmt::format(" Fewer than {} {} differ, and no verdict: {}.", kDifferentThatSpeak,
                         units, listed_names(alike));
  }
  if (named.unjudged > 0) {
    words += " " + unjudged_words(named.unjudged, named.unjudged_example);
  }
  return {speaking > 0 ? Status::kPass : Status::kSkipped, std::move(words)};
}

/// Measures the slices over the topics that count in the rules.
class SliceFigures {
 public:
  explicit SliceFigures(const GateSubject& subject)
      : subject_(subject),
        decision_(subject.rules.decisions.front()),
        by_family_(has_families(subject.topics)) {
    decision_.margin = subject.rules.slices.margin.value_or(decision_.margin);
  }

  [[nodiscard]] JudgedSlice of(std::string_view dimension, std::string_view name,
                               std::span<const TopicIndex> places) const {
    const PairedScores scores = paired_scores(topics_at(places), decision_.measure);
    const std::vector<double> differences = scores.differences();
    JudgedSlice slice{
        .result = {measure_result(scores, by_family_, decision_, subject_.rules.confidence)}};
    Slice& result = slice.result;
    result.dimension = dimension;
    result.name = name;
    result.status = Status::kSkipped;
    result.may_speak = may_speak(differences);
    if (!result.may_speak) return slice;
    result.p_beyond = p_below(result, -result.margin);
    result.p_worse = p_below(result, 0.0);
    slice.bets_win_beyond = bets_win_below(differences, result.margin);
    slice.bets_win_worse = bets_win_below(differences, 0.0);
    return slice;
  }

 private:
  /// Returns the topics of the slice in the order of the subject's.
  [[nodiscard]] std::vector<PairedTopic> topics_at(std::span<const TopicIndex> places) const {
    const std::vector<EvaluationRecord::Topic>& all = subject_.baseline.evaluation.topics;
    std::vector<bool> is_in(all.size());
    for (const TopicIndex place : places) is_in[place.value()] = true;
    std::vector<PairedTopic> topics;
    for (const PairedTopic& topic : subject_.topics) {
      if (is_in[static_cast<std::size_t>(topic.baseline - all.data())]) topics.push_back(topic);
    }
    return topics;
  }

  const GateSubject& subject_;
  GateRules::Decision decision_;
  const bool by_family_;
};

/// Corrects one of the p-values over all slices that have it. Returns their number.
std::size_t correct_over_slices(std::span<JudgedSlice> slices,
                                std::optional<double> Slice::*p_value) {
  std::vector<double> p_values;
  for (const JudgedSlice& slice : slices) {
    if (const auto& p = slice.result.*p_value) p_values.push_back(*p);
  }
  auto corrected = correct_p_values(p_values, Correction::kHolm);
  std::ranges::reverse(corrected);
  for (JudgedSlice& slice : slices) {
    auto& p = slice.result.*p_value;
    if (!p) continue;
    p = corrected.back();
    corrected.pop_back();
  }
  return p_values.size();
}

}  // namespace

TopicSlices gate_slices(const GateRules& rules, const EvaluationRecord& baseline) {
  std::vector<JudgedTopic> topics;
  topics.reserve(baseline.topics.size());
  for (const EvaluationRecord::Topic& topic : baseline.topics) {
    topics.push_back({topic.id.text(), topic.num_rel});
  }
  return read_slices({.file = rules.slices.path, .by = rules.slices.by}, topics);
}

void judge_slices(const GateSubject& subject, GateVerdict& verdict) {
  const TopicSlices& named = subject.evidence.slices;
  if (named.empty()) return;
  const SliceFigures figures(subject);
  std::vector<JudgedSlice> slices;
  for (const TopicSlices::Dimension& dimension : named.dimensions) {
    for (const TopicSlices::Slice& slice : dimension.slices) {
      slices.push_back(figures.of(dimension.name, slice.name, slice.topics));
    }
    if (dimension.unsliced.empty()) continue;
    slices.push_back(figures.of(dimension.name, kUnsliced, dimension.unsliced));
  }
  const std::size_t speaking = correct_over_slices(slices, &Slice::p_beyond);
  correct_over_slices(slices, &Slice::p_worse);
  verdict.rules.push_back(slice_tally(slices, speaking, named).as_rule(kSlicesRule));
  for (JudgedSlice& slice : slices) {
    Slice& result = slice.result;
    if (result.may_speak) {
      result.status = status_of_slice(slice, subject.rules);
      verdict.rules.push_back(
          {.id = fmt::format("{}{}.{}", kSliceRules, result.dimension, result.name),
           .status = result.status,
           .reason = slice_sentence_of(slice, result.status, subject.rules, speaking)});
    }
    verdict.slices.push_back(std::move(result));
  }
}

}  // namespace prescope
