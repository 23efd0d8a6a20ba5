#include "report/live/live_report.h"

#include <cmath>

#include "report/runs/evaluation_report.h"
#include "report/text/clean_text.h"
#include "report/text/moved_citations.h"

namespace prescope {

namespace {

using Arms = std::vector<std::reference_wrapper<const ArmSummary>>;

Arms arms_that_are_there(const Summary& summary) {
  Arms arms;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.status != ArmStatus::kRemoved) arms.emplace_back(arm);
  }
  return arms;
}

/// The arm's name, and that it is paused.
std::string arm_label(const ArmSummary& arm) {
  return arm.id.text() + (arm.status == ArmStatus::kPaused ? " (paused)" : "");
}

/// The plugin's own time, as a share of the arm's median latency.
std::string own_share_text(const ArmSummary& arm) {
  constexpr double kUsPerMs = 1000.0;
  const std::optional<double>& latency_ms = arm.latency.p50.ms;
  if (!arm.self_p50_us || !latency_ms || !std::isfinite(*latency_ms) || *latency_ms <= 0.0) {
    return percent_text({});
  }
  return percent_text(*arm.self_p50_us / (*latency_ms * kUsPerMs));
}

/// A table of means: its title, and what stands in its cells.
struct MeansTable {
  std::string title{};
  std::vector<MeasureMean> ArmSummary::*means = &ArmSummary::means;
  std::optional<double> MeasureMean::*value = &MeasureMean::mean;
  std::function<std::uint32_t(const ArmSummary& arm)> topics;
};

/// A mean of each measure and arm that is not removed, in blocks that fit the width.
std::string means_section(const Summary& summary, const MeansTable& table, const TextLook& look) {
  const Arms arms = arms_that_are_there(summary);
  std::size_t names = 0;
  for (const ArmSummary& arm : summary.arms) names = std::max(names, text_width(arm_label(arm)));
  std::string out = table.title.empty() ? std::string() : fitted(table.title, Style::kStrong, look);
  for (std::size_t first = 0, last = 0; first < summary.measures.size(); first = last) {
    last = look.columns ? summary.measures.size() : end_of_block(summary.measures, first, names);
    ColumnsOf<ArmSummary> columns;
    columns.left("arm", arm_label).right("topics", [&](auto& arm) {
      return std::to_string(table.topics(arm));
    });
    for (std::size_t m = first; m < last; ++m) {
      columns.right(mean_name(summary.measures[m]), [&table, m](auto& arm) {
        const std::vector<MeasureMean>& means = arm.*table.means;
        return score_text(m < means.size() ? means[m].*table.value : std::nullopt);
      });
    }
    out += (first > 0 ? "\n" : "") + table_text(columns.table("", arms), look);
  }
  return out;
}

std::uint32_t topics_seen(const ArmSummary& arm) { return arm.topics_seen; }

/// Returns true if the two means of any measure are printed differently.
bool means_differ(const Arms& arms) {
  return std::ranges::any_of(arms, [](const ArmSummary& arm) {
    return std::ranges::any_of(arm.means, [](const MeasureMean& mean) {
      return score_text(mean.mean) != score_text(mean.mean_over_all);
    });
  });
}

/// The largest number of topics that a mean of the arm is over.
std::uint32_t topics_compared(const ArmSummary& arm) {
  std::uint32_t most = 0;
  for (const MeasureMean& mean : arm.means) most = std::max(most, mean.topics);
  return most;
}

std::string means(const Summary& summary, const Arms& arms, const TextLook& look) {
  const bool is_paired = summary.mode == Mode::kPaired;
  std::string out = means_section(
      summary,
      {.title = is_paired
                    ? "Mean over the topics that have a value, by visits that every arm ranked"
                    : "Mean over the topics that have a value",
       .topics = is_paired ? topics_compared : topics_seen},
      look);
  if (means_differ(arms)) {
    const std::uint32_t all = summary.topics - summary.topics_without_relevant;
    out += '\n' +
           means_section(summary,
                         {.title = "Mean over all topics with relevant documents, 0 if there is no "
                                   "value",
                          .value = &MeasureMean::mean_over_all,
                          .topics = [all](const ArmSummary&) { return all; }},
                         look);
  }
  if (!is_paired) return out;
  return out + '\n' +
         means_section(summary,
                       {.title = "Served to users: mean over all visits that the arm served",
                        .means = &ArmSummary::served_means,
                        .topics = topics_seen},
                       look);
}

/// 12.3, "failed" if the order statistic is a query without end, "-" without queries.
std::string quantile_text(const std::optional<double>& ms) {
  return ms && std::isinf(*ms) ? "failed" : milliseconds_text(ms);
}

/// [11.2, 13.5], "[11.2, failed]", "≥ 11.2" or "≤ 13.5" if one side is open, "-" if both are.
std::string quantile_interval_text(const LatencyQuantile& quantile) {
  const auto& [ms, low, high] = quantile;
  if (low && high) return fmt::format("[{}, {}]", quantile_text(low), quantile_text(high));
  if (low) return "≥ " + quantile_text(low);
  if (high) return "≤ " + quantile_text(high);
  return "-";
}

std::string latency_block(const Arms& arms, std::string title, LatencySummary ArmSummary::*latency,
                          const TextLook& look) {
  const bool counts_failures =
      latency == &ArmSummary::latency && std::ranges::any_of(arms, [](const ArmSummary& arm) {
        return arm.failed_queries + arm.timed_out_queries > 0;
      });
  ColumnsOf<ArmSummary> table;
  table.left("arm", arm_label);
  const auto quantile = [&](const char* name, LatencyQuantile LatencySummary::*of) {
    table.right(name, [=](auto& arm) { return quantile_text((arm.*latency.*of).ms); });
  };
  table.right("queries", [=](auto& arm) { return grouped_text((arm.*latency).count); });
  if (counts_failures) {
    table.right("failed", [](auto& arm) { return grouped_text(arm.failed_queries); });
    table.right("timed out", [](auto& arm) { return grouped_text(arm.timed_out_queries); });
  }
  quantile("p50 ms", &LatencySummary::p50);
  quantile("p90 ms", &LatencySummary::p90);
  quantile("p95 ms", &LatencySummary::p95);
  quantile("p99 ms", &LatencySummary::p99);
  table.right("p99 interval",
              [=](auto& arm) { return quantile_interval_text((arm.*latency).p99); });
  table.right("max ms", [=](auto& arm) { return milliseconds_text((arm.*latency).max_ms); });
  return table_text(table.table(std::move(title), arms), look);
}

std::string latencies(const Arms& arms, const TextLook& look) {
  const std::string out =
      latency_block(arms, "Latency of queries that users waited for", &ArmSummary::latency, look) +
      small_print({"An interval holds for one look. There is none if queries depend on each other "
                   "too strongly to tell."},
                  look);
  const bool has_shadows =
      std::ranges::any_of(arms, [](const ArmSummary& arm) { return arm.shadow_latency.count > 0; });
  if (!has_shadows) return out;
  return out + '\n' +
         latency_block(arms, "Latency of searches for comparison, which nobody waited for",
                       &ArmSummary::shadow_latency, look);
}

std::string own_time(const Arms& arms, const TextLook& look) {
  ColumnsOf<ArmSummary> table;
  table.left("arm", arm_label);
  table.right("judged p50 us", [](auto& arm) { return fixed_text(arm.self_p50_us, 1); });
  table.right("judged p99 us", [](auto& arm) { return fixed_text(arm.self_p99_us, 1); });
  table.right("unjudged p50 us", [](auto& arm) { return fixed_text(arm.unjudged_self_p50_us, 2); });
  table.right("unjudged p99 us", [](auto& arm) { return fixed_text(arm.unjudged_self_p99_us, 2); });
  table.right("judged/query", own_share_text);
  return table_text(table.table("The plugin's own time on the query thread", arms), look);
}

std::string_view beginning(EpochReason reason) {
  return word_of(reason, {"since the start", "since a new generation of the index",
                          "since a change of the arms", "since a change of the judgements"});
}

std::string past_states(const Summary& summary, const PastEpoch& past, const TextLook& look) {
  std::string out;
  for (const PastEpoch::Difference& difference : past.differences) {
    if (!(difference.measure == summary.measures[summary.primary])) continue;
    const ArmNames names{.a = summary.arms.front().id.text(),
                         .b = summary.arms[difference.b.value()].id.text()};
    out += fitted(
        fmt::format("{}, {} minus {}: {}, {}", difference.measure.name(), names.b, names.a,
                    difference_text(shown_mean(difference)), live_state_text(difference, names)),
        look, "  ", 4);
  }
  return out;
}

std::string live_arms_section(const Summary& summary, const TextLook& look) {
  const Arms arms = arms_that_are_there(summary);
  return means(summary, arms, look) + '\n' + latencies(arms, look) + '\n' + own_time(arms, look);
}

/// Since when means and verdicts are counted, and how far the epoch before had come.
std::string epoch_section(const Summary& summary, const TextLook& look) {
  const Epoch& epoch = summary.epoch;
  std::string words = fmt::format("Epoch {}, {}: {} in it", epoch.number, beginning(epoch.reason),
                                  count_text(epoch.observations, "observation"));
  if (summary.mode == Mode::kPaired) {
    words += fmt::format(", {} compared", count_text(epoch.compared_visits, "visit"));
  }
  std::string out = fitted(words, look);
  if (summary.past_epochs.empty()) return out;
  const PastEpoch& last = summary.past_epochs.back();
  const std::string states = past_states(summary, last, look);
  return out +
         fmt::format("Epoch {} ended after {}{}\n", last.epoch.number,
                     count_text(last.epoch.observations, "observation"),
                     states.empty() ? "" : ":") +
         states;
}

/// Topics whose score moved from visit to visit; empty if none did.
std::string drift_section(const Summary& summary, const TextLook& look) {
  std::string lines;
  for (const ArmSummary& arm : summary.arms) {
    for (const MeasureMean& mean : arm.means) {
      const Drift& drift = mean.drift;
      if (drift.changed == 0) continue;
      lines += fitted(
          fmt::format("{} {}: {} of {} served again moved, by {:.4f} on average, {} by {:.4f}",
                      arm.id.text(), mean.measure.name(), grouped_text(drift.changed),
                      count_text(drift.revisited, "topic"), drift.mean_change, drift.topic.text(),
                      drift.largest),
          look, "  ", 4);
    }
  }
  if (lines.empty()) return {};
  return '\n' +
         fitted("Drift: topics whose score moved since their earlier visits of this epoch",
                Style::kStrong, look) +
         lines;
}

/// Only a verdict has a colour.
Style style_of_state(const MeasureDifference& difference) {
  const LiveState state = difference.live ? difference.live->state : LiveState::kDescribed;
  if (state == LiveState::kCollecting) return Style::kFaint;
  if (state != LiveState::kLeading && state != LiveState::kConfirmed) return Style::kPlain;
  return shown_mean(difference).value_or(0.0) > 0.0 ? Style::kGood : Style::kBad;
}

using DifferenceColumns = ColumnsOf<MeasureDifference>;

std::string half_width_text(const MeasureDifference& it) {
  const std::optional<double> half_width = it.live ? live_half_width(*it.live) : std::nullopt;
  return half_width ? "±" + score_text(half_width) : "-";
}

/// Both arms' means and their difference: nobody chose at random, so there is no more to say.
void add_observed(DifferenceColumns& columns, const ArmNames& names) {
  columns.right(names.a, [](auto& it) { return score_text(it.mean_a); })
      .right(names.b, [](auto& it) { return score_text(it.mean_b); })
      .right("difference", [](auto& it) { return difference_text(it.mean); });
}

void add_evidence(DifferenceColumns& columns) {
  columns.right("difference", [](auto& it) { return difference_text(shown_mean(it)); })
      .right("±", half_width_text)
      .right("all visits", [](auto& it) { return difference_text(it.mean); });
}

ReportTable differences_table(const Summary& summary, const ArmPair& pair) {
  const ArmNames names = names_of(summary, pair);
  const bool is_split = summary.mode == Mode::kSplit;
  const bool is_observed = summary.mode == Mode::kObserve;
  DifferenceColumns columns;
  columns.left("measure", [](auto& it) { return it.measure.name(); }).right("topics", [](auto& it) {
    return grouped_text(shown_topics(it));
  });
  is_observed ? add_observed(columns, names) : add_evidence(columns);
  if (!is_split) columns.right("wins/ties/losses", outcomes_text<MeasureDifference>);
  if (!is_observed) {
    columns.left("state",
                 [&](auto& it) { return Cell(live_state_text(it, names), style_of_state(it)); });
  }
  return columns.table(
      fmt::format("{} minus {}, {}", names.b, names.a,
                  is_split ? "between topics of the one and of the other" : "topic by topic"),
      pair.differences);
}

std::string paragraph(const std::string& text, const TextLook& look) {
  return wrapped(text, "", 2, look.paragraph_width());
}

/// Returns the difference that verdicts are about; null without one.
const MeasureDifference* primary_of(const Summary& summary, const ArmPair& pair) {
  return summary.primary < pair.differences.size() ? &pair.differences[summary.primary] : nullptr;
}

std::string verdict_section(const Summary& summary, const ArmPair& pair, const TextLook& look) {
  const MeasureDifference* const primary = primary_of(summary, pair);
  if (primary == nullptr) return {};
  return paragraph(live_sentence(summary, pair, *primary), look) +
         small_print({live_grounds(*primary)}, look);
}

std::string worst_section(const Summary& summary, const ArmPair& pair, const TextLook& look) {
  const MeasureDifference* const primary = primary_of(summary, pair);
  if (primary == nullptr || primary->worst.empty()) return {};
  ColumnsOf<TopicDifference> columns;
  columns.left("", [](auto& it) { return it.topic.text(); })
      .right("", [](auto& it) { return score_text(it.a); })
      .left("", [](auto&) { return "→"; })
      .right("", [](auto& it) { return score_text(it.b); })
      .right("", [](auto& it) { return change_cell(it.difference); });
  return '\n' +
         fitted(fmt::format("Topics that {} loses most in, {}", names_of(summary, pair).b,
                            primary->measure.name()),
                Style::kStrong, look) +
         rows_text(columns.table("", primary->worst), look, 2);
}

std::string sample_ratio_section(const Summary& summary, const ArmPair& pair,
                                 const TextLook& look) {
  if (!pair.sample_ratio) return {};
  return '\n' + paint(paragraph(sample_ratio_words(summary, pair), look),
                      pair.sample_ratio->alarm ? Style::kBad : Style::kPlain, look);
}

std::string live_pair_section(const Summary& summary, const ArmPair& pair, const TextLook& look) {
  const std::string latency = live_latency_words(summary, pair);
  return table_text(differences_table(summary, pair), look) + verdict_section(summary, pair, look) +
         sample_ratio_section(summary, pair, look) +
         (latency.empty() ? "" : '\n' + paragraph(latency, look)) +
         worst_section(summary, pair, look);
}

/// The words behind the experiment's name, which is strong if it stands in one line.
std::string titled(const Summary& summary, const std::string& words, const TextLook& look) {
  const std::string name = one_line(summary.experiment);
  const std::string title = fitted(fmt::format("{}: {}", name, words), look);
  if (!title.starts_with(name)) return title;
  return paint(name, Style::kStrong, look) + title.substr(name.size());
}

std::string title_line(const Summary& summary, const TextLook& look) {
  return titled(summary,
                fmt::format("{}, {}", count_text(summary.rows.size(), "topic"),
                            count_text(summary.judgements, "judgement")),
                look) +
         '\n';
}

std::string live_title(const Summary& summary, const TextLook& look) {
  const std::string_view mode =
      word_of(summary.mode, {"as served", "each topic in every arm", "each topic in one arm"});
  return titled(summary,
                fmt::format("{}, {}, {}", count_text(summary.topics, "topic"),
                            count_text(summary.judgements, "judgement"), mode),
                look) +
         (summary.salt.empty() ? "" : fitted("Salt " + summary.salt, look)) +
         epoch_section(summary, look) + '\n';
}

std::string arms_section(const Summary& summary, const TextLook& look) {
  ColumnsOf<ArmSummary> columns;
  columns.left("arm", [](auto& arm) { return arm.id.text(); })
      .right("queries", [](auto& arm) { return std::to_string(arm.latency.count); })
      .right("p50 ms", [](auto& arm) { return milliseconds_text(arm.latency.p50.ms); })
      .right("p95 ms", [](auto& arm) { return milliseconds_text(arm.latency.p95.ms); })
      .right("p99 ms", [](auto& arm) { return milliseconds_text(arm.latency.p99.ms); })
      .right("max ms", [](auto& arm) { return milliseconds_text(arm.latency.max_ms); })
      .right("own p50 us", [](auto& arm) { return fixed_text(arm.self_p50_us, 1); })
      .right("own p99 us", [](auto& arm) { return fixed_text(arm.self_p99_us, 1); })
      .right("own/query", own_share_text);
  return means_section(summary, {.topics = topics_seen}, look) + '\n' +
         table_text(columns.table(
                        "Latency of a query, and of it the plugin's own time on the query thread",
                        summary.arms),
                    look);
}

Style verdict_style(Verdict verdict) {
  return verdict == Verdict::kBetter         ? Style::kGood
         : verdict == Verdict::kWorse        ? Style::kBad
         : verdict == Verdict::kTooFewTopics ? Style::kFaint
                                             : Style::kPlain;
}

std::string pair_section(const Summary& summary, const ArmPair& pair, const TextLook& look) {
  const ArmNames names = names_of(summary, pair);
  ColumnsOf<MeasureDifference> columns;
  columns.left("measure", [](auto& it) { return it.measure.name(); })
      .right("difference", [](auto& it) { return difference_text(it.mean); })
      .right("95 % interval",
             [](auto& it) {
               return it.test ? interval_text(it.test->ci_low, it.test->ci_high)
                              : interval_text({}, {});
             })
      .right("p", [](auto& it) { return it.test ? p_value_text(it.test->p_value) : "-"; })
      .right("wins/ties/losses", outcomes_text<MeasureDifference>)
      .left("verdict",
            [&](auto& it) { return Cell(verdict_words(it, names), verdict_style(it.verdict)); });
  const std::string latency = latency_words(summary, pair);
  return table_text(columns.table(fmt::format("{} minus {}, topic by topic", names.b, names.a),
                                  pair.differences),
                    look) +
         (latency.empty() ? "" : fitted(latency, look)) +
         fitted(finished_grounds(), Style::kFaint, look);
}

std::string citations_grid(const TopicMove& move, const TextLook& look) {
  const auto rank = [&](const std::optional<Rank>& at) {
    return (at ? "rank " : "") + rank_text(at, move.measure.cutoff().value_or(Cutoff()));
  };
  ColumnsOf<CitationMove> columns;
  columns.left("", [](auto& it) { return it.docno.text(); })
      .right("", [](auto& it) { return fmt::format("grade {}", it.grade); })
      .right("", [&](auto& it) { return rank(it.rank_a); })
      .left("", [](auto&) { return "→"; })
      .left("", [&](auto& it) { return rank(it.rank_b); })
      .right("", [](auto& it) { return change_cell(it.share); });
  constexpr std::size_t kIndent = 4;
  return rows_text(moved_table("", columns, move.citations, {.share = 5}), look, kIndent);
}

/// The topics that moved most and the citations that moved them; empty if none did.
std::string moves_section(const Summary& summary, const ArmPair& pair, std::size_t most,
                          const TextLook& look) {
  const std::size_t shown = std::min(most, pair.moves.size());
  if (shown == 0) return {};
  const auto [a, b] = names_of(summary, pair);
  std::string out =
      fitted(fmt::format("{} that moved most, of {}: {}, {} → {}, and each citation's part",
                         count_text(shown, "topic"), pair.moves.size(),
                         pair.moves.front().measure.name(), a, b),
             Style::kStrong, look);
  for (const TopicMove& move : std::span(pair.moves).first(shown)) {
    ReportTable title = table_of("", {"", "", "", ""});
    title.rows = {{{move.topic.text(), Style::kStrong},
                   fmt::format("{} → {}", score_text(move.a), score_text(move.b)),
                   change_cell(move.difference),
                   count_text(move.num_rel, "relevant document")}};
    out += rows_text(title, look, 2) + citations_grid(move, look);
  }
  return out;
}

std::string sentences_section(std::string_view heading, const std::vector<std::string>& sentences,
                              const TextLook& look) {
  if (sentences.empty()) return {};
  std::string out = '\n' + paint(heading, Style::kStrong, look) + '\n';
  for (const std::string& sentence : sentences) out += fitted(sentence, look, "  ", 4);
  return out;
}

}  // namespace

std::string to_table(const Summary& summary, const TableOptions& options) {
  const bool is_live = summary.inference == Inference::kAnytime;
  const TextLook look(options.color, options.columns);
  std::string out = is_live ? live_title(summary, look) + live_arms_section(summary, look)
                            : title_line(summary, look) + arms_section(summary, look);
  for (const ArmPair& pair : summary.pairs) {
    out += '\n' +
           (is_live ? live_pair_section(summary, pair, look) : pair_section(summary, pair, look));
    const std::string moves = moves_section(summary, pair, options.moves, look);
    if (!moves.empty()) out += '\n' + moves;
  }
  if (is_live) {
    out += sentences_section("Left out", left_out(summary), look) + drift_section(summary, look);
  }
  return out + sentences_section("Worth knowing", oddities(summary), look);
}

}  // namespace prescope
