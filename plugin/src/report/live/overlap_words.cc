// Words about queries without judgements, and about what an arm costs and saves.
#include "measures/definitions.h"
#include "report/live/live_report.h"
#include "report/runs/evaluation_report.h"
#include "report/text/visible_text.h"
#include "statistics/speed_evidence.h"

namespace prescope {

namespace {

constexpr double kPercent = 100.0;

/// "0.712 [0.690, 0.733]"
std::string overlap_mean_text(const OverlapMean& of) {
  return fmt::format("{} [{:.3f}, {:.3f}]", fixed_text(of.mean, 3), of.low, of.high);
}

std::uint64_t visits_of(const OverlapSummary& of) {
  return of.visits + of.empty + of.shallow + of.other_index + of.left_out + of.incomplete;
}

/// Adds "3 of 120 visits: ", and why they were not compared, unless there are none.
void add_reason(std::vector<std::string>& out, std::uint64_t count, const OverlapSummary& of,
                std::string_view why) {
  if (count == 0) return;
  out.push_back(fmt::format("not compared: {} of {}: {}", grouped_text(count),
                            count_text(visits_of(of), "visit"), why));
}

void add_failures(std::vector<std::string>& out, std::uint64_t count, const std::string& arm) {
  if (count == 0) return;
  out.push_back(fmt::format("{} failed in {}, which counts as an empty ranking", arm,
                            count_text(count, "visit")));
}

/// "costs 0.30 points of PRES@100", "gains at least 12.5 points of PRES@100"
std::string points_text(const MeanDifference& difference, double mean) {
  constexpr double kLeast = 0.00005;
  const std::string measure = mean_name(difference.measure);
  if (std::abs(mean) < kLeast) return fmt::format("changes {} by less than 0.01 points", measure);
  const std::string_view verb = mean < 0.0 ? "costs" : "gains";
  std::string_view at_least;
  if (difference.live && difference.live->bounded_topics > 0) {
    at_least = "at least ";
    mean = std::min(std::abs(*difference.live->mean_low), std::abs(*difference.live->mean_high));
  }
  const double points = std::abs(mean) * kPercent;
  return fmt::format("{} {}{} points of {}", verb, at_least,
                     fixed_text(points, points < 1.0 ? 2 : 1), measure);
}

/// "saves 85 % of the latency", "takes 1.2 times the latency"
std::string latency_part(double ratio) {
  if (ratio >= 1.0) return fmt::format("takes {:.2f} times the latency", ratio);
  return fmt::format("saves {:.0f} % of the latency", (1.0 - ratio) * kPercent);
}

}  // namespace

std::string overlap_sentence(const Summary& summary, const ArmPair& pair) {
  if (!pair.overlap) return {};
  const OverlapSummary& of = *pair.overlap;
  const ArmNames names = names_of(summary, pair);
  if (of.visits == 0) {
    return fmt::format("Without judgements: no visit was compared between {} and {} yet.", names.a,
                       names.b);
  }
  return fmt::format(
      "Without judgements, {} and {} in {}: rank-biased overlap {}, Jaccard@{} {}; {:.1f} % ranked "
      "the same.",
      names.a, names.b, count_text(of.visits, "visit"), overlap_mean_text(of.rbo), of.depth,
      overlap_mean_text(of.jaccard),
      kPercent * static_cast<double>(of.identical) / static_cast<double>(of.visits));
}

std::vector<std::string> overlap_remarks(const Summary& summary, const ArmPair& pair) {
  std::vector<std::string> out;
  if (!pair.overlap) return out;
  const OverlapSummary& of = *pair.overlap;
  const ArmNames names = names_of(summary, pair);
  if (of.rbo.latest && of.jaccard.latest) {
    out.push_back(fmt::format("the last {} visits: rank-biased overlap {}, Jaccard@{} {}",
                              kLatestOverlaps, fixed_text(of.rbo.latest, 3), of.depth,
                              fixed_text(of.jaccard.latest, 3)));
  }
  if (of.visits > 0) {
    out.push_back(fmt::format(
        "p = {:g}: 1 is the same ranking, 0 has nothing in common; each interval holds whenever "
        "one looks but for a chance of {:.2g} %",
        of.persistence, of.alpha * kPercent));
  }
  add_failures(out, of.failed_a, names.a);
  add_failures(out, of.failed_b, names.b);
  add_reason(out, of.empty, of, "neither arm found anything");
  const std::string shallow = fmt::format(
      "a ranking ends before rank {}, and may go on; both are known down to rank {} at most, so a "
      "smaller depth of overlap would compare them",
      of.depth, of.shallow_depth);
  add_reason(out, of.shallow, of, shallow);
  add_reason(out, of.other_index, of,
             "the arms named documents by integers of different indexes, or searched different "
             "states of one; arms that name documents by docno can be compared");
  add_reason(out, of.left_out, of, "sorted, filtered or collapsed for the user");
  add_reason(out, of.incomplete, of, "an arm's ranking from rank 1 on is missing");
  if (of.waiting > 0) {
    out.push_back(fmt::format("{} for an arm's ranking",
                              count_text(of.waiting, "visit waits", "visits wait")));
  }
  return out;
}

std::string changed_query_name(const ChangedQuery& query) {
  if (query.query.empty()) return fmt::format("visit {}", query.visit);
  return one_line(query.query);
}

std::string trade_off_sentence(const Summary& summary, const ArmPair& pair) {
  const LatencyRatio& ratio = pair.latency;
  const bool is_latency_known =
      ratio.state == LatencyState::kNoVerdict || ratio.state == LatencyState::kFaster;
  if (summary.mode != Mode::kPaired || !ratio.mean || !is_latency_known) return {};
  if (summary.primary >= pair.differences.size()) return {};
  const MeasureDifference& primary = pair.differences[summary.primary];
  const std::optional<double> mean = verdict_mean(summary, pair);
  if (!mean) return {};
  const int direction = verdict_direction(summary, pair);
  const bool is_shown = direction != 0, is_faster_shown = ratio.state == LatencyState::kFaster;
  std::vector<std::string> open;
  if (!is_shown) open.push_back("the difference in " + mean_name(primary.measure));
  if (!is_faster_shown) open.emplace_back("the difference in latency");
  return fmt::format("{}{} {} and {}{}.", open.empty() ? "" : "So far, ", names_of(summary, pair).b,
                     points_text(primary, *mean), latency_part(*ratio.mean),
                     open.empty() ? "" : fmt::format("; not shown yet: {}", fmt::join(open, ", ")));
}

}  // namespace prescope
