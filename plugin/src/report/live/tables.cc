#include "report/live/live_report.h"

#include "report/runs/evaluation_report.h"
#include "report/text/moved_citations.h"

namespace prescope {

namespace {

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

/// A table of means: its title, and the values in its cells.
struct MeansTable {
  std::string title{};
  std::vector<MeasureMean> ArmSummary::*means = &ArmSummary::means;
  std::optional<double> MeasureMean::*value = &MeasureMean::mean;
  std::function<std::uint32_t(const ArmSummary& arm)> topics = &ArmSummary::topics_seen;
};

/// The largest number of topics that one of the means is over.
std::uint32_t most_topics(const std::vector<MeasureMean>& means) {
  std::uint32_t most = 0;
  for (const MeasureMean& mean : means) most = std::max(most, mean.topics);
  return most;
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

std::string_view beginning(EpochReason reason) {
  return word_of(reason, {"since the start", "since a new generation of the index",
                          "since a change of the arms", "since a change of the judgements"});
}

/// Only a verdict has a colour.
Style style_of_state(const MeasureDifference& difference) {
  if (difference.live && difference.live->state == LiveState::kCollecting) return Style::kFaint;
  const int direction = live_direction(difference);
  if (direction == 0) return Style::kPlain;
  return direction > 0 ? Style::kGood : Style::kBad;
}

std::string half_width_text(const MeasureDifference& it) {
  const std::optional<double> half_width = it.live ? live_half_width(*it.live) : std::nullopt;
  return half_width ? "±" + score_text(half_width) : "-";
}

/// The sections of a summary.
class SummarySections {
 public:
  SummarySections(const Summary& summary, const TextLook& look)
      : summary_(summary), has_terminal_(look.columns.has_value()) {
    for (const ArmSummary& arm : summary.arms) {
      if (arm.status != ArmStatus::kRemoved) arms_.emplace_back(arm);
    }
  }

  [[nodiscard]] ReportDocument live(std::size_t most_moves) && {
    add_beginning();
    add_all_means();
    add_latencies();
    add({.tables = {own_times()}});
    for (const ArmPair& pair : summary_.pairs) {
      add_pair(pair);
      add_moves(pair, most_moves);
    }
    add_list("Left out", left_out(summary_));
    add_list("Drift: topics whose score moved since their earlier visits of this epoch", drifts());
    return {.sections = std::move(sections_), .notes = oddities(summary_)};
  }

  [[nodiscard]] std::vector<ReportSection> finished_arms() && {
    add({.words = {title(fmt::format("{}, {}", count_text(summary_.rows.size(), "topic"),
                                     count_text(summary_.judgements, "judgement")))}});
    add_means({});
    add({.tables = {finished_latencies()}});
    return std::move(sections_);
  }

 private:
  void add(ReportSection section) { sections_.push_back(std::move(section)); }

  void add_list(std::string heading, std::vector<std::string> sentences) {
    add({.heading = std::move(heading),
         .about = std::move(sentences),
         .layout = ReportSection::Layout::kList});
  }

  /// The experiment's name, and words behind it.
  [[nodiscard]] Cell title(std::string_view words) const {
    return {fmt::format("{}: {}", summary_.experiment, words), Style::kStrong};
  }

  void add_beginning() {
    std::vector<Cell> lines = {
        title(fmt::format("{}, {}, {}", count_text(summary_.topics, "topic"),
                          count_text(summary_.judgements, "judgement"),
                          word_of(summary_.mode, {"as served", "each topic in every arm",
                                                  "each topic in one arm"})))};
    if (!summary_.salt.empty()) lines.emplace_back("Salt " + summary_.salt);
    add_epochs(lines);
    add({.words = std::move(lines)});
  }

  /// Since when means and verdicts are counted, and how far the epoch before had come.
  void add_epochs(std::vector<Cell>& lines) const {
    const Epoch& epoch = summary_.epoch;
    std::string words = fmt::format("Epoch {}, {}: {} in it", epoch.number, beginning(epoch.reason),
                                    count_text(epoch.observations, "observation"));
    if (summary_.mode == Mode::kPaired) {
      words += fmt::format(", {} compared", count_text(epoch.compared_visits, "visit"));
    }
    lines.emplace_back(words);
    if (summary_.past_epochs.empty()) return;
    const PastEpoch& last = summary_.past_epochs.back();
    std::vector<Cell> states;
    for (const PastEpoch::Difference& it : last.differences) {
      if (!(it.measure == summary_.measures[summary_.primary])) continue;
      const ArmNames names = names_of(summary_, {.b = it.b});
      states.emplace_back(fmt::format(
          "  {}, {} minus {}: {}, {}", it.measure.name(), names.b, names.a,
          difference_text(shown_mean(it)),
          it.planned ? planned_state_text(*it.planned, names) : live_state_text(it, names)));
    }
    lines.emplace_back(fmt::format("Epoch {} ended after {}{}", last.epoch.number,
                                   count_text(last.epoch.observations, "observation"),
                                   states.empty() ? "" : ":"));
    std::ranges::move(states, std::back_inserter(lines));
  }

  /// Adds a mean of each measure and arm that is not removed. Without a terminal, the table is
  /// parted into blocks that keep to kTableWidth.
  void add_means(const MeansTable& means) {
    const std::size_t names = widest_text(summary_.arms, arm_label);
    const std::vector<Measure>& measures = summary_.measures;
    std::vector<ReportTable> blocks;
    for (std::size_t first = 0, last = 0; first < measures.size(); first = last) {
      last = has_terminal_ ? measures.size() : end_of_block(measures, first, names);
      blocks.push_back(means_block(means, first, last));
    }
    if (!blocks.empty()) blocks.front().title = means.title;
    add({.tables = std::move(blocks)});
  }

  [[nodiscard]] ReportTable means_block(const MeansTable& table, std::size_t first,
                                        std::size_t last) const {
    ReportTable block = table_of("", {"arm"}, {"topics"});
    for (std::size_t m = first; m < last; ++m) {
      block.columns.push_back({mean_name(summary_.measures[m])});
    }
    for (const ArmSummary& arm : arms_) {
      const std::vector<MeasureMean>& means = arm.*table.means;
      std::vector<Cell>& row = block.rows.emplace_back();
      row = {arm_label(arm), std::to_string(table.topics(arm))};
      for (std::size_t m = first; m < last; ++m) {
        row.push_back(score_text(m < means.size() ? means[m].*table.value : std::nullopt));
      }
    }
    return block;
  }

  /// Returns true if the two means of any measure are printed differently.
  [[nodiscard]] bool means_differ() const {
    return std::ranges::any_of(arms_, [](const ArmSummary& arm) {
      return std::ranges::any_of(arm.means, [](const MeasureMean& mean) {
        return score_text(mean.mean) != score_text(mean.mean_over_all);
      });
    });
  }

  void add_all_means() {
    const bool is_paired = summary_.mode == Mode::kPaired;
    MeansTable means{.title = "Mean over the topics that have a value"};
    if (is_paired) {
      means.title += ", by visits that every arm ranked";
      means.topics = [](const ArmSummary& arm) { return most_topics(arm.means); };
    }
    add_means(means);
    if (means_differ()) {
      const std::uint32_t all = summary_.topics - summary_.topics_without_relevant;
      add_means({.title = "Mean over all topics with relevant documents, 0 if there is no value",
                 .value = &MeasureMean::mean_over_all,
                 .topics = [all](const ArmSummary&) { return all; }});
    }
    if (!is_paired) return;
    add_means({.title = "Served to users: mean over all visits that the arm served",
               .means = &ArmSummary::served_means,
               .topics = [](const ArmSummary& arm) { return most_topics(arm.served_means); }});
  }

  void add_latencies() {
    const auto is_any = [this](auto holds) { return std::ranges::any_of(arms_, holds); };
    const bool counts_failures = is_any(
        [](const ArmSummary& arm) { return arm.failed_queries + arm.timed_out_queries > 0; });
    add({.tables = {latencies("Latency of queries that users waited for", &ArmSummary::latency,
                              counts_failures)},
         .about = {"An interval holds for one look. There is none if queries depend on each other "
                   "too strongly to tell."}});
    if (!is_any([](const ArmSummary& arm) { return arm.shadow_latency.count > 0; })) return;
    add({.tables = {latencies("Latency of searches for comparison, which nobody waited for",
                              &ArmSummary::shadow_latency, false)}});
  }

  [[nodiscard]] ReportTable latencies(std::string title, LatencySummary ArmSummary::*of,
                                      bool counts_failures) const {
    ReportTable table{.title = std::move(title)};
    for (const ArmSummary& arm : arms_) {
      const LatencySummary& latency = arm.*of;
      table.add_row().left("arm", arm_label(arm)).right("queries", grouped_text(latency.count));
      if (counts_failures) {
        table.right("failed", grouped_text(arm.failed_queries))
            .right("timed out", grouped_text(arm.timed_out_queries));
      }
      table.right("p50 ms", quantile_text(latency.p50.ms))
          .right("p90 ms", quantile_text(latency.p90.ms))
          .right("p95 ms", quantile_text(latency.p95.ms))
          .right("p99 ms", quantile_text(latency.p99.ms))
          .right("p99 interval", quantile_interval_text(latency.p99))
          .right("max ms", milliseconds_text(latency.max_ms));
    }
    return table;
  }

  [[nodiscard]] ReportTable own_times() const {
    ReportTable table = table_of(
        "The plugin's own time on the query thread", {"arm"},
        {"judged p50 us", "judged p99 us", "unjudged p50 us", "unjudged p99 us", "judged/query"});
    for (const ArmSummary& arm : arms_) {
      table.rows.push_back({arm_label(arm), fixed_text(arm.self_p50_us, 1),
                            fixed_text(arm.self_p99_us, 1), fixed_text(arm.unjudged_self_p50_us, 2),
                            fixed_text(arm.unjudged_self_p99_us, 2), own_share_text(arm)});
    }
    return table;
  }

  [[nodiscard]] ReportTable finished_latencies() const {
    ReportTable table =
        table_of("Latency of a query, and of it the plugin's own time on the query thread", {"arm"},
                 {"queries", "p50 ms", "p95 ms", "p99 ms", "max ms", "own p50 us", "own p99 us",
                  "own/query"});
    for (const ArmSummary& arm : summary_.arms) {
      const LatencySummary& latency = arm.latency;
      table.rows.push_back({arm.id.text(), std::to_string(latency.count),
                            quantile_text(latency.p50.ms), quantile_text(latency.p95.ms),
                            quantile_text(latency.p99.ms), milliseconds_text(latency.max_ms),
                            fixed_text(arm.self_p50_us, 1), fixed_text(arm.self_p99_us, 1),
                            own_share_text(arm)});
    }
    return table;
  }

  /// Topics whose score moved from visit to visit.
  [[nodiscard]] std::vector<std::string> drifts() const {
    std::vector<std::string> lines;
    for (const ArmSummary& arm : summary_.arms) {
      for (const MeasureMean& mean : arm.means) {
        const Drift& drift = mean.drift;
        if (drift.changed == 0) continue;
        lines.push_back(fmt::format(
            "{} {}: {} of {} served again moved, by {:.4f} on average, {} by {:.4f}", arm.id.text(),
            mean.measure.name(), grouped_text(drift.changed), count_text(drift.revisited, "topic"),
            drift.mean_change, drift.topic.text(), drift.largest));
      }
    }
    return lines;
  }

  void add_pair(const ArmPair& pair) {
    add({.tables = {differences(pair)}});
    const bool has_primary = summary_.primary < pair.differences.size();
    if (has_primary) {
      const MeasureDifference& primary = pair.differences[summary_.primary];
      add({.words = {verdict_sentence(summary_, pair)},
           .about = {pair.planned ? planned_grounds(summary_, pair) : live_grounds(primary)}});
      const std::string outlook = outlook_sentence(summary_, pair);
      if (!outlook.empty()) add({.words = {outlook}});
    }
    if (pair.sample_ratio && !pair.sample_ratio->alarm) {
      add({.words = {sample_ratio_words(summary_, pair)}});
    }
    add_list("Guardrails", guardrails(pair));
    add_list("What can void the verdict", checks(pair));
    const std::string latency = live_latency_words(summary_, pair);
    if (!latency.empty()) add({.words = {latency}});
    const std::string trade_off = trade_off_sentence(summary_, pair);
    if (!trade_off.empty()) add({.words = {trade_off}});
    add_slices(pair);
    if (has_primary) add_worst(pair, pair.differences[summary_.primary]);
    add_overlap(pair);
  }

  void add_overlap(const ArmPair& pair) {
    if (!pair.overlap) return;
    add({.words = {overlap_sentence(summary_, pair)}});
    add_list("Queries without judgements", overlap_remarks(summary_, pair));
    ReportTable table = table_of("Queries without judgements that changed most", {"query"},
                                 {"rank-biased overlap", "Jaccard"});
    constexpr std::size_t kColumns = 60;
    for (const ChangedQuery& query : pair.overlap->most_changed) {
      table.rows.push_back({shortened(changed_query_name(query), kColumns),
                            fixed_text(query.rbo, 3), fixed_text(query.jaccard, 3)});
    }
    if (!table.rows.empty()) add({.tables = {std::move(table)}});
  }

  void add_slices(const ArmPair& pair) {
    if (pair.slices.empty()) return;
    add({.tables = {slices(pair)}});
    const std::string sentence = live_slices_sentence(summary_, pair);
    if (!sentence.empty()) add({.words = {sentence}});
    add({.about = about_live_slices(summary_, pair)});
  }

  [[nodiscard]] ReportTable slices(const ArmPair& pair) const {
    const ArmNames names = names_of(summary_, pair);
    ReportTable table{.title = fmt::format("{} minus {} by slice, {}", names.b, names.a,
                                           mean_name(pair.slices.front().difference.measure))};
    for (const SliceSummary& slice : pair.slices) {
      const MeasureDifference& it = slice.difference;
      table.add_row()
          .left("slice", live_slice_name(slice))
          .right("topics", grouped_text(shown_topics(it)));
      if (summary_.mode != Mode::kSplit) {
        table.right(names.a, score_text(it.mean_a)).right(names.b, score_text(it.mean_b));
      }
      table.right("difference", difference_text(shown_mean(it)));
      if (!it.live) continue;
      const bool has_interval = live_half_width(*it.live).has_value();
      table.right("interval", has_interval ? interval_text(it.live->low, it.live->high) : "-")
          .left("state", {live_slice_state_text(slice, names), style_of_state(it)});
    }
    return table;
  }

  [[nodiscard]] std::vector<std::string> guardrails(const ArmPair& pair) const {
    std::vector<std::string> lines;
    for (const GuardrailSummary& guardrail : pair.guardrails) {
      lines.push_back(fmt::format("{}{}",
                                  guardrail.state == GuardrailState::kBroken ? "BROKEN: " : "",
                                  guardrail_words(summary_, pair, guardrail)));
    }
    const std::string same = equivalence_words(summary_, pair);
    if (!same.empty()) lines.push_back(same);
    return lines;
  }

  /// What can void the verdict, what voids it first.
  [[nodiscard]] std::vector<std::string> checks(const ArmPair& pair) const {
    std::vector<std::string> lines;
    for (const CheckState state : {CheckState::kVeto, CheckState::kAlarm, CheckState::kFine}) {
      for (const Check& check : pair.checks) {
        if (check.state != state || !is_worth_saying(check)) continue;
        lines.push_back(fmt::format("{}{}", word_of(state, {"", "ALARM: ", "VETO: "}),
                                    check_words(summary_, pair, check)));
      }
    }
    return lines;
  }

  [[nodiscard]] ReportTable differences(const ArmPair& pair) const {
    const ArmNames names = names_of(summary_, pair);
    const bool is_split = summary_.mode == Mode::kSplit;
    const bool is_observed = summary_.mode == Mode::kObserve;
    const std::string_view how =
        is_split ? "between topics of the one and of the other" : "topic by topic";
    ReportTable table{.title = fmt::format("{} minus {}, {}", names.b, names.a, how)};
    for (const MeasureDifference& it : pair.differences) {
      table.add_row()
          .left("measure", it.measure.name())
          .right("topics", grouped_text(shown_topics(it)));
      if (is_observed) {
        // Nobody chose at random, so there is no more to say than both means and their difference.
        table.right(names.a, score_text(it.mean_a)).right(names.b, score_text(it.mean_b));
      }
      table.right("difference", difference_text(is_observed ? it.mean : shown_mean(it)));
      if (!is_observed) {
        table.right("±", half_width_text(it)).right("all visits", difference_text(it.mean));
      }
      if (!is_split) table.right("wins/ties/losses", outcomes_text(it));
      if (!is_observed) table.left("state", {live_state_text(it, names), style_of_state(it)});
    }
    return table;
  }

  void add_worst(const ArmPair& pair, const MeasureDifference& primary) {
    if (primary.worst.empty()) return;
    ReportTable table = table_of("", {""}, {"", "", "", ""});
    for (const TopicDifference& it : primary.worst) {
      table.rows.push_back(
          {it.topic.text(), score_text(it.a), "→", score_text(it.b), change_cell(it.difference)});
    }
    add({.heading = fmt::format("Topics that {} loses most in, {}", names_of(summary_, pair).b,
                                primary.measure.name()),
         .tables = {std::move(table)},
         .layout = ReportSection::Layout::kNested});
  }

  /// Adds the topics that moved most and the citations that moved them; nothing if none did.
  void add_moves(const ArmPair& pair, std::size_t most) {
    const std::size_t shown = std::min(most, pair.moves.size());
    if (shown == 0) return;
    const auto [a, b] = names_of(summary_, pair);
    add({.heading = fmt::format("{} that moved most, of {}: {}, {} → {}, and each citation's part",
                                count_text(shown, "topic"), pair.moves.size(),
                                pair.moves.front().measure.name(), a, b),
         .tables = list_of(std::span(pair.moves).first(shown), citations),
         .layout = ReportSection::Layout::kNested});
  }

  [[nodiscard]] static ReportTable citations(const TopicMove& move) {
    const auto rank = [&](const std::optional<Rank>& at) {
      return (at ? "rank " : "") + rank_text(at, move.measure.cutoff().value_or(Cutoff()));
    };
    ReportTable table =
        table_of(fmt::format("{}  {} → {}  {}  {}", move.topic.text(), score_text(move.a),
                             score_text(move.b), difference_text(move.difference),
                             count_text(move.num_rel, "relevant document")),
                 {""}, {"", ""}, {"", ""});
    table.columns.push_back({});
    for (const CitationMove& it : move.citations | std::views::take(kCitationsShown)) {
      table.rows.push_back({citation_name(it), fmt::format("grade {}", it.grade), rank(it.rank_a),
                            "→", rank(it.rank_b), change_cell(it.share)});
    }
    add_other_shares(table, move.citations, 5);
    return table;
  }

  const Summary& summary_;
  const bool has_terminal_;
  std::vector<std::reference_wrapper<const ArmSummary>> arms_;  // those that are not removed
  std::vector<ReportSection> sections_;
};

}  // namespace

std::string to_table(const Summary& summary, const TableOptions& options) {
  const TextLook look(options.color, options.columns);
  return document_as_text(SummarySections(summary, look).live(options.moves), look);
}

std::vector<ReportSection> finished_arms_sections(const Summary& summary, const TextLook& look) {
  return SummarySections(summary, look).finished_arms();
}

}  // namespace prescope
