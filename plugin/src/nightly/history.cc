#include "nightly/history.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "nightly/gate/checks.h"
#include "nightly/record/conditions.h"
#include "runs/folded_slices.h"
#include "runs/judged_topics.h"

namespace prescope {

namespace {

std::optional<double> mean_in(const Night& night, const std::string& measure) {
  for (const auto& [name, mean] : night.means) {
    if (name == measure) return mean.mean;
  }
  return std::nullopt;
}

/// A stored night and the nights that it is compared with.
class Nights {
 public:
  Nights(std::span<const Night> nights, std::span<const Pin> pins) : pins_(pins) {
    for (const Night& night : nights) by_number_.emplace(night.number, &night);
  }

  /// Null if there is none that can be compared with.
  [[nodiscard]] const Night* baseline_of(const Night& night) const {
    const Night* baseline = night.baseline_number ? find(*night.baseline_number) : nullptr;
    for (const Pin& pin : pins_) {
      const bool is_later = pin.newest >= night.number || pin.evaluation == night.number;
      if (night.baseline_number || is_later) continue;
      const Night* pinned = find(pin.evaluation);
      if (pinned != nullptr && pinned->arm == night.arm) baseline = pinned;
    }
    return baseline != nullptr && baseline->qrels == night.qrels ? baseline : nullptr;
  }

  /// The last night before this one with its arm and judgements. To be called in order.
  const Night* before(const Night& night) {
    const QrelsVersion& qrels = night.qrels;
    const Night*& last = last_[{night.arm, qrels.hash, qrels.docno, qrels.min_grade}];
    const Night* before = last;
    if (night.outcome != GateOutcome::kBadInput) last = &night;
    return before;
  }

 private:
  [[nodiscard]] const Night* find(std::int64_t number) const {
    const auto at = by_number_.find(number);
    return at == by_number_.end() ? nullptr : at->second;
  }

  std::span<const Pin> pins_;
  std::unordered_map<std::int64_t, const Night*> by_number_;
  std::map<std::tuple<std::string, std::string, DocnoPolicy, Grade>, const Night*> last_;
};

/// `night` less `other`.
std::optional<double> change(const Night& night, const Night* other, const std::string& measure) {
  if (other == nullptr) return std::nullopt;
  const auto a = mean_in(*other, measure), b = mean_in(night, measure);
  return a && b ? std::optional(clean_difference(*b, *a)) : std::nullopt;
}

/// Returns the conditions that differ; none if one night is a run and the other a replay.
std::vector<ChangedCondition> changes_between(const Night& before, const Night& night) {
  const auto is_replay = [](const Night& one) {
    return std::ranges::count(one.conditions, "engine", &Condition::name) > 0;
  };
  if (is_replay(before) != is_replay(night)) return {};
  return changed_conditions(before.conditions, night.conditions);
}

/// Null if the same ranking would have other scores at the other night.
const Night* comparable(const Night& night, const Night* other) {
  if (other == nullptr) return nullptr;
  const auto changes = changes_between(*other, night);
  const bool scores_differ = std::ranges::any_of(changes, [](const ChangedCondition& change) {
    return kind_of(change.name).rule == kConditionsRule;
  });
  return scores_differ ? nullptr : other;
}

std::optional<std::int64_t> number_of(const Night* night) {
  return night == nullptr ? std::nullopt : std::optional(night->number);
}

History::Line line_of(const Night& night, const Night* baseline, const Night* before,
                      std::span<const std::string> measures) {
  const std::string changed =
      before == nullptr ? std::string() : changed_words(changes_between(*before, night));
  baseline = comparable(night, baseline);
  before = comparable(night, before);
  History::Line line{.night = night,
                     .baseline = number_of(baseline),
                     .before = number_of(before),
                     .values = {},
                     .changed = changed};
  for (const std::string& measure : measures) {
    line.values.push_back({.mean = mean_in(night, measure),
                           .from_baseline = change(night, baseline, measure),
                           .from_before = change(night, before, measure)});
  }
  return line;
}

bool is_accepted(const Night& night) {
  return night.outcome == GateOutcome::kPass || !night.pinned_as.empty();
}

bool is_shown(const Night& night, const HistoryFilter& filter) {
  return (!filter.arm || night.arm == *filter.arm) &&
         (!filter.since || night.time >= *filter.since) &&
         (!filter.until || night.time < *filter.until);
}

}  // namespace

History history_of(std::span<const Night> nights, std::span<const Pin> pins,
                   std::span<const std::string> measures, const HistoryFilter& filter) {
  History history{.measures = {measures.begin(), measures.end()},
                  .lines = {},
                  .stored = nights.size(),
                  .arms = {}};
  Nights all(nights, pins);
  for (const Night& night : nights) {
    const Night* before = all.before(night);
    if (!is_shown(night, filter)) continue;
    history.lines.push_back(line_of(night, all.baseline_of(night), before, measures));
  }
  const std::size_t shown = filter.last.value_or(history.lines.size());
  if (history.lines.size() > shown) {
    history.lines.erase(history.lines.begin(), history.lines.end() - std::ptrdiff_t(shown));
  }
  for (const History::Line& line : history.lines) {
    const bool is_known = std::ranges::count(history.arms, line.night.arm) > 0;
    if (!is_known) history.arms.push_back(line.night.arm);
  }
  return history;
}

namespace {

using TopicSet = std::unordered_set<std::string_view>;

/// The scores of a night by one measure.
struct NightScores {
  struct Topic {
    TopicId id{};
    std::uint32_t num_rel = 0;
    std::optional<double> score{};
  };
  std::vector<Topic> topics{};

  [[nodiscard]] SliceHistory::Value over(const TopicSet& slice, const Measure& measure) const {
    std::vector<double> scores;
    for (const Topic& topic : topics) {
      if (topic.score && slice.contains(topic.id.text())) scores.push_back(*topic.score);
    }
    std::optional<double> mean = mean_over_topics(measure, scores);
    // Nights that differ by rounding alone have the same mean.
    if (mean) mean = clean_difference(*mean, 0.0);
    return {.topics = static_cast<std::uint32_t>(scores.size()), .mean = mean};
  }
};

/// Reads nights, each once. No more than the scores of one measure is kept.
class ScoredNights {
 public:
  ScoredNights(const Measure& measure,
               const std::function<EvaluationRecord(std::int64_t)>& evaluation)
      : measure_(measure), evaluation_(evaluation) {}

  /// The answer stays where it is.
  const NightScores& of(std::int64_t night) {
    const auto [at, is_new] = nights_.try_emplace(night);
    if (!is_new) return at->second;
    const EvaluationRecord record = evaluation_(night);
    for (const EvaluationRecord::Topic& topic : record.topics) {
      at->second.topics.push_back(
          {topic.id, topic.num_rel, EvaluationRecord::score(topic, measure_)});
    }
    return at->second;
  }

 private:
  const Measure& measure_;
  const std::function<EvaluationRecord(std::int64_t)>& evaluation_;
  std::map<std::int64_t, NightScores> nights_;
};

/// Adds the slices of a dimension to the history, and their topics to `sets`.
void add_dimension(const TopicSlices::Dimension& dimension, std::span<const JudgedTopic> topics,
                   SliceHistory& history, std::vector<TopicSet>& sets) {
  const auto units_of = [](std::span<const TopicIndex> of_slice) {
    return static_cast<std::uint32_t>(of_slice.size());
  };
  for (const FoldedSlice& slice : folded_slices(dimension, units_of)) {
    history.slices.push_back(
        {.dimension = dimension.name, .name = slice.name, .slices = slice.slices});
    TopicSet& set = sets.emplace_back();
    for (const TopicIndex topic : slice.topics) set.insert(topics[topic.value()].id);
  }
}

}  // namespace

SliceHistory slice_history(const History& history, const SliceSource& source,
                           const Measure& measure,
                           const std::function<EvaluationRecord(std::int64_t)>& evaluation) {
  SliceHistory result{.measure = measure.name()};
  if (history.lines.empty()) return result;
  ScoredNights nights(measure, evaluation);
  std::vector<JudgedTopic> topics;
  TopicSet known;
  for (auto line = history.lines.rbegin(); line != history.lines.rend(); ++line) {
    for (const NightScores::Topic& topic : nights.of(line->night.number).topics) {
      if (known.insert(topic.id.text()).second) topics.push_back({topic.id.text(), topic.num_rel});
    }
  }
  const TopicSlices slices = read_slices(source, topics);
  result.unjudged = slices.unjudged;
  result.unjudged_example = slices.unjudged_example;
  std::vector<TopicSet> sets;
  for (const TopicSlices::Dimension& dimension : slices.dimensions) {
    add_dimension(dimension, topics, result, sets);
  }
  for (const History::Line& line : history.lines) {
    std::vector<SliceHistory::Value>& values = result.values.emplace_back();
    for (const TopicSet& set : sets) {
      SliceHistory::Value value = nights.of(line.night.number).over(set, measure);
      const auto baseline =
          line.baseline ? nights.of(*line.baseline).over(set, measure).mean : std::nullopt;
      if (value.mean && baseline) value.from_baseline = clean_difference(*value.mean, *baseline);
      values.push_back(value);
    }
  }
  return result;
}

std::vector<std::string> missing_means(const Night& night) {
  std::vector<std::string> missing;
  for (const std::string& measure : night.decided_by) {
    if (!mean_in(night, measure)) missing.push_back(measure);
  }
  return missing;
}

std::vector<std::string> missing_means_words(const History& history) {
  std::map<std::string, std::vector<std::string>> nights;
  for (const History::Line& line : history.lines) {
    for (const std::string& measure : missing_means(line.night)) {
      nights[measure].push_back(std::to_string(line.night.number));
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [measure, numbers] : nights) {
    sentences.push_back(fmt::format(
        "{}, of rule margin.{}, has no stored mean in night{} {}; history -m {} computes it.",
        measure, measure, numbers.size() == 1 ? "" : "s", listed_names(numbers), measure));
  }
  return sentences;
}

std::vector<std::string> measures_of(std::span<const Night> nights) {
  std::vector<std::string> measures;
  for (const Night& night : nights) {
    for (const auto& [name, mean] : night.means) {
      if (std::ranges::count(measures, name) == 0) measures.push_back(name);
    }
  }
  return measures;
}

std::vector<std::string> main_measures(std::span<const std::string> measures) {
  constexpr std::string_view kPres = "PRES@", kRecall = "R@";
  constexpr std::size_t kMost = 2;
  const auto pres = std::ranges::find_if(
      measures, [&](const std::string& name) { return name.starts_with(kPres); });
  if (pres != measures.end()) {
    const std::string recall = std::string(kRecall) + pres->substr(kPres.size());
    if (std::ranges::count(measures, recall) > 0) return {*pres, recall};
  }
  const auto first = measures.first(std::min(measures.size(), kMost));
  return {first.begin(), first.end()};
}

std::vector<ClockFault> clock_faults(std::span<const Night> nights, UtcTime now) {
  std::vector<ClockFault> faults;
  const Night* latest = nullptr;
  for (const Night& night : nights) {
    if (night.time > now + kClockTolerance) {
      faults.push_back({.night = night.number, .time = night.time});
      continue;
    }
    if (latest != nullptr && night.time + kClockTolerance < latest->time) {
      faults.push_back({.night = night.number, .time = night.time, .after = latest->number});
    }
    if (latest == nullptr || latest->time < night.time) latest = &night;
  }
  return faults;
}

std::string clock_words(const ClockFault& fault) {
  const std::string time = utc_minute_text(fault.time);
  return fault.after
             ? fmt::format("night {} has a time before night {}'s, {} UTC", fault.night,
                           *fault.after, time)
             : fmt::format("night {} has a time that is still to come, {} UTC", fault.night, time);
}

std::vector<double> accepted_p95_ms(std::span<const Night> nights, const Baseline& baseline,
                                    const EvaluationRecord& tonight,
                                    std::optional<std::int64_t> number) {
  std::vector<double> accepted;
  for (const Night& night : nights) {
    const bool is_since =
        night.number >= baseline.number.value_or(1) && (!number || night.number < *number);
    const bool is_alike = night.arm == tonight.arm && night.qrels == tonight.qrels;
    if (is_since && is_alike && is_accepted(night) && night.p95_ms) {
      accepted.push_back(*night.p95_ms);
    }
  }
  return accepted;
}

std::optional<std::int64_t> last_accepted(std::span<const Night> nights, const Night& night) {
  std::optional<std::int64_t> accepted;
  for (const Night& earlier : nights) {
    if (earlier.number == night.number) break;
    const bool is_alike = earlier.arm == night.arm && earlier.qrels == night.qrels &&
                          comparable(night, &earlier) != nullptr;
    if (is_alike && is_accepted(earlier)) {
      accepted = earlier.number;
    }
  }
  return accepted;
}

std::optional<PairedT> paired_t_of(const EvaluationRecord& a, const EvaluationRecord& b,
                                   const Measure& measure) {
  std::vector<PairedTopic> topics = paired_topics(a, b);
  std::erase_if(topics, [](const PairedTopic& topic) { return !topic.baseline->served; });
  return paired_t(paired_scores(topics, measure).differences());
}

}  // namespace prescope
