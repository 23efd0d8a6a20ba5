#include "report/nightly/history_report.h"

#include <numeric>

#include "base/utc_time.h"
#include "report/text/visible_text.h"
#include "runs/slice_words.h"

namespace prescope {

namespace {

using Line = History::Line;

Style style_of(const Night& night) {
  if (!night.outcome) return Style::kFaint;
  return *night.outcome == GateOutcome::kPass ? Style::kGood : Style::kBad;
}

bool has_several_arms(const HistoryReport& report) { return report.history.arms.size() > 1; }

/// Returns the number of topics that all nights have; std::nullopt if they differ.
std::optional<std::uint32_t> common_topics(const History& history) {
  const std::uint32_t first = history.lines.front().night.topics;
  const bool is_common = std::ranges::all_of(
      history.lines, [&](const Line& line) { return line.night.topics == first; });
  return is_common ? std::optional(first) : std::nullopt;
}

std::string nights_words(const HistoryReport& report) {
  const History& history = report.history;
  if (history.lines.empty()) {
    return history.stored == 0
               ? "none yet; 'prescope pin' and 'prescope gate' store them"
               : fmt::format("none of the {} that are stored", count_text(history.stored, "night"));
  }
  const auto [first, last] =
      std::ranges::minmax(history.lines, {}, [](const auto& line) { return line.night.time; });
  const std::string shown = history.lines.size() == history.stored
                                ? count_text(history.stored, "night")
                                : fmt::format("{} of {}", grouped_text(history.lines.size()),
                                              count_text(history.stored, "night"));
  return fmt::format("{}, {} to {} UTC", shown, utc_minute_text(first.night.time),
                     utc_minute_text(last.night.time));
}

std::string arms_words(const HistoryReport& report) {
  std::string words = one_line(fmt::format("{}", fmt::join(report.history.arms, ", ")));
  if (const auto topics = common_topics(report.history)) {
    words += fmt::format("; {}", count_text(*topics, "topic"));
  }
  return words;
}

std::string pin_words(const Pin& pin) {
  std::string words = fmt::format("{}: night {}, pinned {} UTC by {}", pin.name, pin.evaluation,
                                  utc_minute_text(pin.time), pin.by);
  if (pin.replaced) words += fmt::format(", instead of night {}", *pin.replaced);
  return one_line(words + ": " + pin.why);
}

/// The newest pin of each name.
std::vector<const Pin*> current_pins(const std::vector<Pin>& pins) {
  std::vector<const Pin*> current;
  for (const Pin& pin : pins) {
    const auto at = std::ranges::find(current, pin.name, &Pin::name);
    if (at == current.end()) {
      current.push_back(&pin);
    } else {
      *at = &pin;
    }
  }
  return current;
}

/// "PASS, pinned: main"; "-" for a night that was neither gated nor pinned.
std::string verdict_and_pins_text(const Night& night) {
  const std::string verdict = night.outcome ? std::string(to_string(*night.outcome)) : "-";
  if (night.pinned_as.empty()) return verdict;
  const std::string pins = fmt::format("pinned: {}", fmt::join(night.pinned_as, ", "));
  return night.outcome ? verdict + ", " + pins : pins;
}

std::vector<ReportTable> nights_tables(const HistoryReport& report) {
  const History& history = report.history;
  if (history.lines.empty()) return {};
  const bool has_arms = has_several_arms(report), has_topics = !common_topics(history);
  ReportTable table;
  for (const auto& [night, baseline, before, values, changed] : history.lines) {
    table.add_row()
        .right("night", std::to_string(night.number))
        .left("time (UTC)", utc_minute_text(night.time));
    if (has_arms) table.left("arm", night.arm);
    if (has_topics) table.right("topics", grouped_text(night.topics));
    for (std::size_t m = 0; m < values.size(); ++m) {
      table.right(history.measures[m], score_text(values[m].mean))
          .right("pinned", difference_text(values[m].from_baseline))
          .right("before", {difference_text(values[m].from_before), Style::kFaint});
    }
    table.right("p95 ms", milliseconds_text(night.p95_ms))
        .left("verdict", {verdict_and_pins_text(night), style_of(night)});
  }
  return {table};
}

std::vector<ReportTable> drift_tables(const HistoryReport& report) {
  if (report.drifts.empty()) return {};
  ReportTable table{.title = "Newest night, topic by topic"};
  for (std::size_t m = 0; m < report.history.measures.size(); ++m) {
    for (const HistoryReport::Drift& drift : report.drifts) {
      const std::optional<PairedT>& test = drift.tests[m];
      table.add_row().left("measure", report.history.measures[m]);
      if (has_several_arms(report)) table.left("arm", drift.arm);
      table.right("night", std::to_string(drift.night))
          .left("against", against_words(drift))
          .right("topics", test ? grouped_text(test->n) : "-")
          .right("difference", difference_text(value_of(test, &PairedT::mean)))
          .right("95 % interval",
                 interval_text(value_of(test, &PairedT::ci_low), value_of(test, &PairedT::ci_high)))
          .right("p t", p_value_text(value_of(test, &PairedT::p_value)));
    }
  }
  return {table};
}

/// Returns true if no night was stored after the last gate without a verdict had begun.
bool is_last_unjudged(const HistoryReport& report) {
  if (report.attempts.empty()) return false;
  const auto& lines = report.history.lines;
  return lines.empty() || lines.back().night.number <= report.attempts.back().newest;
}

using Values = std::vector<std::optional<double>>;

constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kSameBlock = "▄", kNoBlock = "·";

/// Returns the values without the missing ones.
std::vector<double> known_of(std::span<const std::optional<double>> values) {
  std::vector<double> known;
  for (const std::optional<double>& value : values) {
    if (value) known.push_back(*value);
  }
  return known;
}

std::optional<double> mean_of_known(std::span<const std::optional<double>> values) {
  const std::vector<double> known = known_of(values);
  if (known.empty()) return std::nullopt;
  return std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
}

/// Returns at most `most` values, each the mean of consecutive ones.
Values condensed(std::span<const std::optional<double>> values, std::size_t most) {
  const std::size_t columns = std::min(values.size(), most);
  return list_of(positions(columns), [&](std::size_t c) {
    const std::size_t begin = c * values.size() / columns, end = (c + 1) * values.size() / columns;
    return mean_of_known(values.subspan(begin, end - begin));
  });
}

std::string_view block_of(double value, double low, double high) {
  if (low == high) return kSameBlock;
  const double share = (value - low) / (high - low);
  return kBars[static_cast<std::size_t>(std::lround(share * (kBars.size() - 1)))];
}

/// "0.3912 to 0.4127, newest 0.4127", as `text` writes the values.
std::string range_text(const Values& values, std::string (*text)(std::optional<double> value)) {
  const std::vector<double> known = known_of(values);
  if (known.empty()) return "no value";
  const auto [low, high] = std::ranges::minmax(known);
  if (low == high) return text(low);
  return fmt::format("{} to {}, newest {}", text(low), text(high), text(known.back()));
}

/// Values of an arm's nights, oldest first. Nights with bad input have no value, because it says
/// nothing about a ranking.
template <class ValueOf>
Values values_of(const History& history, const std::string& arm, ValueOf value_of) {
  Values values;
  for (const Line& line : history.lines) {
    if (line.night.arm != arm) continue;
    values.push_back(line.night.outcome == GateOutcome::kBadInput ? std::nullopt : value_of(line));
  }
  return values;
}

/// A line for each measure of each arm, and for its latency if any night was timed. No table if
/// there is one night only.
std::vector<ReportTable> sparkline_tables(const HistoryReport& report, const TextLook& look) {
  constexpr std::size_t kMostColumns = 60, kNames = 30;
  const std::size_t most_columns =
      look.columns ? std::clamp(*look.columns, 2 * kNames, kNames + kMostColumns) - kNames
                   : kMostColumns;
  const History& history = report.history;
  if (history.lines.size() < 2) return {};
  ReportTable grid = table_of("", {"", "", "", ""});
  const auto add = [&](const std::string& name, const std::string& arm, const Values& values,
                       auto text) {
    grid.rows.push_back({name, has_several_arms(report) ? arm : "", sparkline(values, most_columns),
                         Cell(range_text(values, text), Style::kFaint)});
  };
  for (const std::string& arm : history.arms) {
    for (std::size_t m = 0; m < history.measures.size(); ++m) {
      const auto mean = [m](const Line& line) { return line.values[m].mean; };
      add(history.measures[m], arm, values_of(history, arm, mean), score_text);
    }
    const Values latency =
        values_of(history, arm, [](const Line& line) { return line.night.p95_ms; });
    if (!known_of(latency).empty()) add("p95 ms", arm, latency, milliseconds_text);
  }
  return {grid};
}

/// A table of the nights, with a column for each slice of the dimension.
ReportTable slice_nights_table(const HistoryReport& report, const std::string& dimension) {
  const SliceHistory& slices = *report.slices;
  ReportTable table{.title = fmt::format("{} by {}", slices.measure, dimension)};
  for (std::size_t n = 0; n < report.history.lines.size(); ++n) {
    const Night& night = report.history.lines[n].night;
    table.add_row().right("night", std::to_string(night.number));
    if (has_several_arms(report)) table.left("arm", night.arm);
    for (std::size_t s = 0; s < slices.slices.size(); ++s) {
      if (slices.slices[s].dimension != dimension) continue;
      table.right(slice_title(slices.slices[s].name, slices.slices[s].slices),
                  score_text(slices.values[n][s].mean));
    }
  }
  return table;
}

/// A table of the slices of the dimension in the newest night of each arm.
ReportTable newest_slices_table(const HistoryReport& report, const std::string& dimension,
                                std::size_t most_columns) {
  const SliceHistory& slices = *report.slices;
  const std::vector<Line>& lines = report.history.lines;
  ReportTable table{.title = fmt::format("{} by {}, newest night", slices.measure, dimension)};
  for (std::size_t s = 0; s < slices.slices.size(); ++s) {
    if (slices.slices[s].dimension != dimension) continue;
    for (const std::string& arm : report.history.arms) {
      Values values;
      std::size_t newest = 0;
      for (std::size_t n = 0; n < lines.size(); ++n) {
        if (lines[n].night.arm != arm) continue;
        newest = n;
        const bool is_bad = lines[n].night.outcome == GateOutcome::kBadInput;
        values.push_back(is_bad ? std::nullopt : slices.values[n][s].mean);
      }
      const SliceHistory::Value& value = slices.values[newest][s];
      table.add_row().left(dimension, slice_title(slices.slices[s].name, slices.slices[s].slices));
      if (has_several_arms(report)) table.left("arm", arm);
      table.right("night", std::to_string(lines[newest].night.number))
          .right("topics", grouped_text(value.topics))
          .right(slices.measure, score_text(value.mean))
          .right("pinned", difference_text(value.from_baseline))
          .left("oldest to newest", sparkline(values, most_columns));
    }
  }
  return table;
}

std::vector<ReportTable> slice_history_tables(const HistoryReport& report) {
  constexpr std::size_t kSparklineColumns = 40;
  std::vector<ReportTable> tables;
  if (!report.slices || report.history.lines.empty()) return tables;
  std::string_view dimension;
  for (const SliceHistory::Slice& slice : report.slices->slices) {
    if (slice.dimension == dimension) continue;
    dimension = slice.dimension;
    tables.push_back(slice_nights_table(report, slice.dimension));
    tables.push_back(newest_slices_table(report, slice.dimension, kSparklineColumns));
  }
  return tables;
}

/// The last ten of the sentences. `others` says where those before them are; it may be empty.
ReportSection last_of(std::string heading, std::vector<std::string> sentences,
                      std::string_view others = {}) {
  constexpr std::size_t kMost = 10;
  if (sentences.size() > kMost) {
    const std::size_t left_out = sentences.size() - kMost;
    sentences.erase(sentences.begin(), sentences.end() - kMost);
    if (!others.empty()) {
      sentences.insert(sentences.begin(),
                       fmt::format("{} {}", count_text(left_out, "night"), others));
    }
  }
  return {.heading = std::move(heading),
          .about = std::move(sentences),
          .layout = ReportSection::Layout::kList};
}

std::vector<std::string> nights_not_passed(const History& history) {
  std::vector<std::string> sentences;
  for (const Line& line : history.lines) {
    const Night& night = line.night;
    if (night.outcome.value_or(GateOutcome::kPass) == GateOutcome::kPass) continue;
    sentences.push_back(
        fmt::format("night {}, {}: {}", night.number, to_string(*night.outcome), night.reason));
  }
  return sentences;
}

std::vector<std::string> changed_conditions_of(const History& history) {
  std::vector<std::string> sentences;
  for (const Line& line : history.lines) {
    if (line.changed.empty()) continue;
    sentences.push_back(one_line(fmt::format("night {}: {}", line.night.number, line.changed)));
  }
  return sentences;
}

}  // namespace

std::string sparkline(std::span<const std::optional<double>> values, std::size_t most_columns) {
  const Values columns = condensed(values, most_columns);
  const std::vector<double> known = known_of(columns);
  const double low = known.empty() ? 0.0 : std::ranges::min(known);
  const double high = known.empty() ? 0.0 : std::ranges::max(known);
  std::string line;
  for (const std::optional<double>& value : columns) {
    line += value ? block_of(*value, low, high) : kNoBlock;
  }
  return line;
}

std::string history_title(const HistoryReport& report) {
  return "History of " + std::filesystem::path(report.store).filename().string();
}

LabelledLines history_subject(const HistoryReport& report) {
  LabelledLines subject = {{"store", one_line(report.store)}, {"nights", nights_words(report)}};
  if (report.history.lines.empty()) return subject;
  subject.push_back({has_several_arms(report) ? "arms" : "arm", arms_words(report)});
  for (const Pin* pin : current_pins(report.pins)) subject.push_back({"baseline", pin_words(*pin)});
  return subject;
}

std::string attempt_words(const Attempt& attempt) {
  return one_line(fmt::format("{} UTC, {} against {}: {}", utc_minute_text(attempt.time),
                              attempt.source, attempt.baseline, attempt.reason));
}

std::vector<std::string> history_clock_words(const HistoryReport& report) {
  if (report.clock.empty()) return {};
  std::vector<std::string> sentences = list_of(report.clock, clock_words);
  sentences.emplace_back("Nights are in the order of their numbers, in which they were stored.");
  return sentences;
}

std::string history_sentence(const HistoryReport& report) {
  const History& history = report.history;
  std::string unjudged = is_last_unjudged(report) ? " The last gate gave no verdict: " +
                                                        attempt_words(report.attempts.back())
                                                  : "";
  if (!report.clock.empty()) {
    unjudged += fmt::format(" A clock was wrong: {}.", clock_words(report.clock.back()));
  }
  if (history.lines.empty()) return "No night to show." + unjudged;
  std::uint64_t gated = 0, passed = 0;
  for (const Line& line : history.lines) {
    if (line.night.outcome) ++gated;
    if (line.night.outcome == GateOutcome::kPass) ++passed;
  }
  const Night& newest = history.lines.back().night;
  std::string sentence = fmt::format(
      "{} of {} passed. The newest, night {}, {}", grouped_text(passed),
      count_text(gated, "gated night"), newest.number,
      newest.outcome ? fmt::format("is a {}", to_string(*newest.outcome)) : "was not gated");
  const bool has_reason =
      newest.outcome.value_or(GateOutcome::kPass) != GateOutcome::kPass && !newest.reason.empty();
  return one_line((has_reason ? sentence + ": " + newest.reason : sentence + ".") + unjudged);
}

std::vector<std::string> about_nights(const HistoryReport& report) {
  if (report.history.lines.empty()) return {};
  std::vector<std::string> sentences = {
      "pinned: change against the baseline that the night was gated against, or, ungated, the one "
      "pinned last by then.",
      "before: against the last night of the arm that was no bad input.",
      "Neither is given across a change of the judgements, or of how runs or topics are evaluated.",
      "A slow leak shows under pinned long before it shows under before."};
  sentences.emplace_back(
      "A topic that a night did not serve counts as 0 in its means; the gate leaves out those that "
      "its baseline did not serve.");
  const std::vector<std::string> missing = missing_means_words(report.history);
  sentences.insert(sentences.begin(), missing.begin(), missing.end());
  return sentences;
}

std::vector<std::string> about_drift(const HistoryReport& report) {
  if (report.drifts.empty()) return {};
  return {
      "Paired t over the topics that the earlier night served and that have a value in both, for "
      "information: looked at every night, it calls nearly every history without a change "
      "significant once. The gate decides."};
}

std::vector<std::string> about_slice_history(const HistoryReport& report) {
  if (!report.slices || report.history.lines.empty()) return {};
  std::vector<std::string> sentences{
      fmt::format(
          "Means are over the topics of a slice. pinned: change against the baseline of the "
          "night. Slices of fewer than {} topics are taken together.",
          kUnitsShown),
      "These are no verdicts: [slices] in the rules of a gate judges each slice by its margin."};
  if (report.slices->unjudged > 0) {
    sentences.push_back(unjudged_words(report.slices->unjudged, report.slices->unjudged_example));
  }
  return sentences;
}

std::string against_words(const HistoryReport::Drift& drift) {
  return fmt::format(
      "night {} ({})", drift.against,
      drift.what == HistoryReport::Drift::Against::kBaseline ? "pinned" : "accepted last");
}

ReportDocument history_document(const HistoryReport& report, const TextLook& look) {
  const History& history = report.history;
  return {.title = history_title(report),
          .subject = history_subject(report),
          .sections = {
              {.tables = nights_tables(report), .about = about_nights(report)},
              {.heading = "Oldest to newest",
               .tables = sparkline_tables(report, look),
               .layout = ReportSection::Layout::kNested},
              {.tables = slice_history_tables(report), .about = about_slice_history(report)},
              last_of("Not passed", nights_not_passed(history),
                      "before these; --html FILE and --format csv have them all"),
              last_of("Evaluated otherwise than the night before", changed_conditions_of(history),
                      "before these; --format json has them all"),
              last_of("Not judged", list_of(report.attempts, attempt_words)),
              last_of("Clock", history_clock_words(report)),
              {.tables = drift_tables(report), .about = about_drift(report)}}};
}

}  // namespace prescope
