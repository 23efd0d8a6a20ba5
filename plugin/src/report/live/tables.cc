#include "report/live/live_report.h"

#include "report/runs/evaluation_report.h"
#include "report/text/moved_citations.h"
#include "report/text/visible_text.h"

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

/// A table of means: its title, and what stands in its cells.
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
  const LiveState state = difference.live ? difference.live->state : LiveState::kDescribed;
  if (state == LiveState::kCollecting) return Style::kFaint;
  if (state != LiveState::kLeading && state != LiveState::kConfirmed) return Style::kPlain;
  return shown_mean(difference).value_or(0.0) > 0.0 ? Style::kGood : Style::kBad;
}

std::string half_width_text(const MeasureDifference& it) {
  const std::optional<double> half_width = it.live ? live_half_width(*it.live) : std::nullopt;
  return half_width ? "±" + score_text(half_width) : "-";
}

/// Prints a summary, section by section.
class SummaryText {
 public:
  SummaryText(const Summary& summary, const TextLook& look, std::size_t most_moves)
      : summary_(summary), look_(look), most_moves_(most_moves) {
    for (const ArmSummary& arm : summary.arms) {
      if (arm.status != ArmStatus::kRemoved) arms_.emplace_back(arm);
    }
  }

  [[nodiscard]] std::string text() && {
    add_live_arms();
    for (const ArmPair& pair : summary_.pairs) {
      out_ += '\n';
      add_live_pair(pair);
      add_moves(pair);
    }
    add_sentences("Left out", left_out(summary_));
    add_sentences("Drift: topics whose score moved since their earlier visits of this epoch",
                  drifts());
    add_sentences("Worth knowing", oddities(summary_));
    return std::move(out_);
  }

  [[nodiscard]] std::string finished_arms() && {
    add_finished_arms();
    return std::move(out_);
  }

 private:
  void add_heading(std::string_view words) { out_ += fitted(words, Style::kStrong, look_); }

  void add_paragraph(std::string_view words, Style style = Style::kPlain) {
    out_ += paint(wrapped(words, "", 2, look_.paragraph_width()), style, look_);
  }

  /// Adds nothing without sentences.
  void add_sentences(std::string_view heading, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    out_ += '\n';
    add_heading(heading);
    for (const std::string& sentence : sentences) out_ += fitted(sentence, look_, "  ", 4);
  }

  /// Adds the experiment's name, which is strong if it stands in one line, and words behind it.
  void add_title(std::string_view words) {
    const std::string name = one_line(summary_.experiment);
    const std::string title = fitted(fmt::format("{}: {}", name, words), look_);
    const bool is_whole = title.starts_with(name);
    out_ += is_whole ? paint(name, Style::kStrong, look_) + title.substr(name.size()) : title;
  }

  void add_live_arms() {
    add_title(fmt::format(
        "{}, {}, {}", count_text(summary_.topics, "topic"),
        count_text(summary_.judgements, "judgement"),
        word_of(summary_.mode, {"as served", "each topic in every arm", "each topic in one arm"})));
    if (!summary_.salt.empty()) out_ += fitted("Salt " + summary_.salt, look_);
    add_epoch();
    out_ += '\n';
    add_all_means();
    out_ += '\n';
    add_latencies();
    ReportTable own = table_of(
        "The plugin's own time on the query thread", {"arm"},
        {"judged p50 us", "judged p99 us", "unjudged p50 us", "unjudged p99 us", "judged/query"});
    for (const ArmSummary& arm : arms_) {
      own.rows.push_back({arm_label(arm), fixed_text(arm.self_p50_us, 1),
                          fixed_text(arm.self_p99_us, 1), fixed_text(arm.unjudged_self_p50_us, 2),
                          fixed_text(arm.unjudged_self_p99_us, 2), own_share_text(arm)});
    }
    out_ += '\n' + table_text(own, look_);
  }

  /// Since when means and verdicts are counted, and how far the epoch before had come.
  void add_epoch() {
    const Epoch& epoch = summary_.epoch;
    std::string words = fmt::format("Epoch {}, {}: {} in it", epoch.number, beginning(epoch.reason),
                                    count_text(epoch.observations, "observation"));
    if (summary_.mode == Mode::kPaired) {
      words += fmt::format(", {} compared", count_text(epoch.compared_visits, "visit"));
    }
    out_ += fitted(words, look_);
    if (summary_.past_epochs.empty()) return;
    const PastEpoch& last = summary_.past_epochs.back();
    std::string states;
    for (const PastEpoch::Difference& it : last.differences) {
      if (!(it.measure == summary_.measures[summary_.primary])) continue;
      const ArmNames names = names_of(summary_, {.b = it.b});
      states += fitted(fmt::format("{}, {} minus {}: {}, {}", it.measure.name(), names.b, names.a,
                                   difference_text(shown_mean(it)), live_state_text(it, names)),
                       look_, "  ", 4);
    }
    out_ += fmt::format("Epoch {} ended after {}{}\n{}", last.epoch.number,
                        count_text(last.epoch.observations, "observation"),
                        states.empty() ? "" : ":", states);
  }

  /// Adds a mean of each measure and arm that is not removed, in blocks that fit the width.
  void add_means(const MeansTable& table) {
    const std::size_t names = widest_text(summary_.arms, arm_label);
    if (!table.title.empty()) add_heading(table.title);
    const std::vector<Measure>& measures = summary_.measures;
    for (std::size_t first = 0, last = 0; first < measures.size(); first = last) {
      last = look_.columns ? measures.size() : end_of_block(measures, first, names);
      ReportTable block = table_of("", {"arm"}, {"topics"});
      for (std::size_t m = first; m < last; ++m) block.columns.push_back({mean_name(measures[m])});
      for (const ArmSummary& arm : arms_) {
        const std::vector<MeasureMean>& means = arm.*table.means;
        std::vector<Cell>& row = block.rows.emplace_back();
        row = {arm_label(arm), std::to_string(table.topics(arm))};
        for (std::size_t m = first; m < last; ++m) {
          row.push_back(score_text(m < means.size() ? means[m].*table.value : std::nullopt));
        }
      }
      if (first > 0) out_ += '\n';
      out_ += table_text(block, look_);
    }
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
      out_ += '\n';
      add_means({.title = "Mean over all topics with relevant documents, 0 if there is no value",
                 .value = &MeasureMean::mean_over_all,
                 .topics = [all](const ArmSummary&) { return all; }});
    }
    if (!is_paired) return;
    out_ += '\n';
    add_means({.title = "Served to users: mean over all visits that the arm served",
               .means = &ArmSummary::served_means,
               .topics = [](const ArmSummary& arm) { return most_topics(arm.served_means); }});
  }

  void add_latencies() {
    const auto is_any = [this](auto holds) { return std::ranges::any_of(arms_, holds); };
    const bool counts_failures = is_any(
        [](const ArmSummary& arm) { return arm.failed_queries + arm.timed_out_queries > 0; });
    add_latency("Latency of queries that users waited for", &ArmSummary::latency, counts_failures);
    out_ += small_print({"An interval holds for one look. There is none if queries depend on each "
                         "other too strongly to tell."},
                        look_);
    if (!is_any([](const ArmSummary& arm) { return arm.shadow_latency.count > 0; })) return;
    out_ += '\n';
    add_latency("Latency of searches for comparison, which nobody waited for",
                &ArmSummary::shadow_latency, false);
  }

  void add_latency(std::string title, LatencySummary ArmSummary::*of, bool counts_failures) {
    ReportTable table =
        table_of(std::move(title), {"arm"},
                 {"queries", "p50 ms", "p90 ms", "p95 ms", "p99 ms", "p99 interval", "max ms"});
    if (counts_failures) {
      table.columns.insert(table.columns.begin() + 2, {{"failed"}, {"timed out"}});
    }
    for (const ArmSummary& arm : arms_) {
      const LatencySummary& latency = arm.*of;
      std::vector<Cell>& row = table.rows.emplace_back();
      row = {arm_label(arm), grouped_text(latency.count)};
      if (counts_failures) {
        row.push_back(grouped_text(arm.failed_queries));
        row.push_back(grouped_text(arm.timed_out_queries));
      }
      row.insert(row.end(),
                 {quantile_text(latency.p50.ms), quantile_text(latency.p90.ms),
                  quantile_text(latency.p95.ms), quantile_text(latency.p99.ms),
                  quantile_interval_text(latency.p99), milliseconds_text(latency.max_ms)});
    }
    out_ += table_text(table, look_);
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

  void add_live_pair(const ArmPair& pair) {
    add_live_differences(pair);
    const bool has_primary = summary_.primary < pair.differences.size();
    if (has_primary) {
      const MeasureDifference& primary = pair.differences[summary_.primary];
      add_paragraph(live_sentence(summary_, pair, primary));
      out_ += small_print({live_grounds(primary)}, look_);
    }
    if (pair.sample_ratio && !pair.sample_ratio->alarm) {
      out_ += '\n';
      add_paragraph(sample_ratio_words(summary_, pair));
    }
    add_checks(pair);
    const std::string latency = live_latency_words(summary_, pair);
    if (!latency.empty()) {
      out_ += '\n';
      add_paragraph(latency);
    }
    if (has_primary) add_worst(pair, pair.differences[summary_.primary]);
  }

  /// Adds what can void the verdict, what voids it first.
  void add_checks(const ArmPair& pair) {
    std::vector<std::string> lines;
    for (const CheckState state : {CheckState::kVeto, CheckState::kAlarm, CheckState::kFine}) {
      for (const Check& check : pair.checks) {
        if (check.state != state || !is_worth_saying(check)) continue;
        lines.push_back(fmt::format("{}{}", word_of(state, {"", "ALARM: ", "VETO: "}),
                                    check_words(summary_, pair, check)));
      }
    }
    add_sentences("What can void the verdict", lines);
  }

  void add_live_differences(const ArmPair& pair) {
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
    out_ += table_text(table, look_);
  }

  void add_worst(const ArmPair& pair, const MeasureDifference& primary) {
    if (primary.worst.empty()) return;
    ReportTable table = table_of("", {""}, {"", "", "", ""});
    for (const TopicDifference& it : primary.worst) {
      table.rows.push_back(
          {it.topic.text(), score_text(it.a), "→", score_text(it.b), change_cell(it.difference)});
    }
    out_ += '\n';
    add_heading(fmt::format("Topics that {} loses most in, {}", names_of(summary_, pair).b,
                            primary.measure.name()));
    out_ += rows_text(table, look_, 2);
  }

  void add_finished_arms() {
    add_title(fmt::format("{}, {}", count_text(summary_.rows.size(), "topic"),
                          count_text(summary_.judgements, "judgement")));
    out_ += '\n';
    add_means({});
    out_ += '\n';
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
    out_ += table_text(table, look_);
  }

  /// Adds the topics that moved most and the citations that moved them; nothing if none did.
  void add_moves(const ArmPair& pair) {
    const std::size_t shown = std::min(most_moves_, pair.moves.size());
    if (shown == 0) return;
    const auto [a, b] = names_of(summary_, pair);
    out_ += '\n';
    add_heading(fmt::format("{} that moved most, of {}: {}, {} → {}, and each citation's part",
                            count_text(shown, "topic"), pair.moves.size(),
                            pair.moves.front().measure.name(), a, b));
    for (const TopicMove& move : std::span(pair.moves).first(shown)) {
      ReportTable title = table_of("", {"", "", "", ""});
      title.rows = {{Cell(move.topic.text(), Style::kStrong),
                     fmt::format("{} → {}", score_text(move.a), score_text(move.b)),
                     change_cell(move.difference), count_text(move.num_rel, "relevant document")}};
      out_ += rows_text(title, look_, 2);
      add_citations(move);
    }
  }

  void add_citations(const TopicMove& move) {
    const auto rank = [&](const std::optional<Rank>& at) {
      return (at ? "rank " : "") + rank_text(at, move.measure.cutoff().value_or(Cutoff()));
    };
    ReportTable table = table_of("", {""}, {"", ""}, {"", ""});
    table.columns.push_back({});
    for (const CitationMove& it : move.citations | std::views::take(kCitationsShown)) {
      table.rows.push_back({it.docno.text(), fmt::format("grade {}", it.grade), rank(it.rank_a),
                            "→", rank(it.rank_b), change_cell(it.share)});
    }
    add_other_shares(table, move.citations, 5);
    out_ += rows_text(table, look_, 4);
  }

  const Summary& summary_;
  const TextLook look_;
  const std::size_t most_moves_;
  std::vector<std::reference_wrapper<const ArmSummary>> arms_;  // those that are not removed
  std::string out_;
};

}  // namespace

std::string to_table(const Summary& summary, const TableOptions& options) {
  return SummaryText(summary, {options.color, options.columns}, options.moves).text();
}

std::string finished_arms_text(const Summary& summary, const TextLook& look) {
  return SummaryText(summary, look, 0).finished_arms();
}

}  // namespace prescope
