#include <set>

#include "report/study/study_report.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(CutoffStudy::Order, pairs, flipped, tau_b)

namespace {

using Flip = CutoffStudy::Flip;

/// Flips of a measure that are listed for people; JSON has them all.
constexpr std::size_t kFlipsListed = 8;

std::string below_n_words(const CutoffStudy& study) {
  std::vector<std::string> places;
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    if (study.below_n[c] == 0) continue;
    places.push_back(
        fmt::format("{} in {}", study.cutoffs[c].value(), count_text(study.below_n[c], "topic")));
  }
  if (places.empty()) return {};
  return fmt::format(
      "N_max is below n, the number of relevant documents (at most {}): {}. Recall and PRES of "
      "such a topic cannot come above N_max / n; PRESest, of prescope evaluate, divides by that.",
      study.largest_n, fmt::join(places, ", "));
}

std::string above_depth_words(const RunNames& names, const CutoffStudy& study,
                              std::uint32_t depth) {
  std::vector<std::string> runs, cutoffs;
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    if (study.runs[run].depth == depth) runs.push_back(names[run]);
  }
  for (const Cutoff cutoff : study.cutoffs) {
    if (cutoff.value() > depth) cutoffs.push_back(fmt::format("{}", cutoff.value()));
  }
  if (cutoffs.empty()) return {};
  const std::string whose = runs.size() == study.runs.size() && runs.size() > 1
                                ? "every run"
                                : fmt::format("{}", fmt::join(runs, ", "));
  return fmt::format(
      "N_max {} {} above the depth of {}, {}. Recall and MAP stay as they are there; PRES rises "
      "although nothing more was found, because what is missing counts as just behind N_max.",
      fmt::join(cutoffs, ", "), cutoffs.size() == 1 ? "is" : "are", whose,
      count_text(depth, "document"));
}

/// Counts the topics that end before the highest cutoff that their run reaches.
std::string shorter_words(const RunNames& names, const CutoffStudy& study) {
  std::vector<std::string> runs;
  for (std::size_t r = 0; r < study.runs.size(); ++r) {
    const CutoffStudy::Run& run = study.runs[r];
    const auto above = std::ranges::upper_bound(study.cutoffs, Cutoff(run.depth));
    if (above == study.cutoffs.begin()) continue;
    const auto at = static_cast<std::size_t>(above - study.cutoffs.begin()) - 1;
    if (run.shorter[at] == 0) continue;
    runs.push_back(fmt::format("{} of {} in {} (N_max {})", run.shorter[at], run.topics(), names[r],
                               study.cutoffs[at].value()));
  }
  if (runs.empty()) return {};
  return fmt::format("topics with fewer than N_max documents: {}", fmt::join(runs, ", "));
}

/// A sentence for each N_max that is below n or above the depth of a run.
std::vector<std::string> cutoff_warnings(const RunNames& names, const CutoffStudy& study) {
  std::vector<std::string> warnings = {below_n_words(study)};
  std::set<std::uint32_t> depths;
  for (const CutoffStudy::Run& run : study.runs) depths.insert(run.depth);
  for (const std::uint32_t depth : depths) {
    warnings.push_back(above_depth_words(names, study, depth));
  }
  warnings.push_back(shorter_words(names, study));
  std::erase(warnings, std::string());
  return warnings;
}

ReportTable score_table(const RunNames& names, const CutoffStudy& study, std::size_t measure) {
  ReportTable table{.title = fmt::format("{} by N_max", kSweepMeasures[measure].title)};
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    table.add_row().left("run", names[run]);
    for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
      const std::uint32_t cutoff = study.cutoffs[c].value();
      table.right(std::to_string(cutoff),
                  {score_text(study.value(measure, run, c)),
                   cutoff > study.runs[run].depth ? Style::kFaint : Style::kPlain});
    }
  }
  return table;
}

/// Ticks at the cutoffs, on a logarithmic axis if they span much.
page::FigureAxis cutoff_axis(const CutoffStudy& study) {
  constexpr std::uint32_t kWide = 20;
  page::FigureAxis axis{.title = "N_max (documents read)"};
  const std::uint32_t low = study.cutoffs.front().value(), high = study.cutoffs.back().value();
  if (high / std::max(low, 1U) >= kWide) axis.kind = page::FigureAxis::Kind::kLogarithmic;
  for (const Cutoff cutoff : study.cutoffs) {
    axis.ticks.push_back({static_cast<double>(cutoff.value()), fmt::format("{}", cutoff.value())});
  }
  return axis;
}

page::XyFigure figure_of(const RunNames& names, const CutoffStudy& study, std::size_t measure) {
  const auto& [key, family, title, mean] = kSweepMeasures[measure];
  page::XyFigure figure{
      .words = {fmt::format("cutoffs-{}", key), fmt::format("{} against N_max", title),
                fmt::format("Mean {} of each run at each cutoff.", title)},
      .x = cutoff_axis(study),
      .y = {.title = fmt::format("{} (mean over topics)", title), .low = 0.0}};
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    page::FigureSeries& series = figure.series.emplace_back();
    series.name = names[run];
    for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
      const auto value = study.value(measure, run, c);
      if (!value) continue;
      const std::uint32_t cutoff = study.cutoffs[c].value();
      series.points.push_back({static_cast<double>(cutoff), *value});
      series.hints.push_back(
          fmt::format("{}, N_max {}: {}", series.name, cutoff, score_text(value)));
    }
  }
  return figure;
}

ReportSection scores_section(const RunNames& names, const CutoffStudy& study) {
  ReportSection section{.heading = "Scores by N_max"};
  for (std::size_t m = 0; m < kSweepMeasures.size(); ++m) {
    section.tables.push_back(score_table(names, study, m));
    section.figures.push_back(
        {fmt::format("{} of each run against N_max, as in figure 8 of Magdy & Jones, SIGIR 2010. "
                     "If two lines cross, the order of two runs turns round.",
                     kSweepMeasures[m].title),
         figure_of(names, study, m)});
  }
  section.about = {"Means over all topics with relevant documents, at every N_max from one pass."};
  return section;
}

ReportTable order_table(const CutoffStudy& study) {
  ReportTable table =
      table_of(fmt::format("Order of the runs at N_max {} and {}", study.cutoffs.front().value(),
                           study.cutoffs.back().value()),
               {"measure"}, {"pairs of runs", "turn round", "tau-b"});
  for (std::size_t m = 0; m < kSweepMeasures.size(); ++m) {
    const auto& [pairs, flipped, tau_b] = study.orders[m];
    table.rows.push_back({std::string(kSweepMeasures[m].title), grouped_text(pairs),
                          grouped_text(flipped), score_text(tau_b)});
  }
  return table;
}

double lead_before(const CutoffStudy& study, const Flip& flip, std::size_t cutoff) {
  return study.value(flip.measure, flip.ahead_before, cutoff).value_or(0.0) -
         study.value(flip.measure, flip.ahead_after, cutoff).value_or(0.0);
}

/// The clearest reversals of a measure: those whose smaller lead, before or after, is largest.
std::vector<Flip> clearest_flips(const CutoffStudy& study, std::size_t measure) {
  std::vector<Flip> flips = study.flips;
  std::erase_if(flips, [&](const Flip& flip) { return flip.measure != measure; });
  std::ranges::stable_sort(flips, std::greater{}, [&](const Flip& flip) {
    return std::min(lead_before(study, flip, flip.before), -lead_before(study, flip, flip.after));
  });
  if (flips.size() > kFlipsListed) flips.resize(kFlipsListed);
  return flips;
}

ReportTable flip_table(const RunNames& names, const CutoffStudy& study) {
  ReportTable table =
      table_of("Pairs of runs whose order turns round", {"measure", "ahead before", "ahead after"},
               {"N_max", "difference", "N_max", "difference"});
  for (std::size_t m = 0; m < kSweepMeasures.size(); ++m) {
    for (const Flip& flip : clearest_flips(study, m)) {
      auto& row = table.rows.emplace_back();
      row = {std::string(kSweepMeasures[m].title), names[flip.ahead_before],
             names[flip.ahead_after]};
      for (const std::size_t cutoff : {flip.before, flip.after}) {
        row.push_back({fmt::format("{}", study.cutoffs[cutoff].value())});
        row.push_back({difference_text(lead_before(study, flip, cutoff))});
      }
    }
  }
  if (table.rows.size() < study.flips.size()) {
    table.title += fmt::format(": the clearest of {}", study.flips.size());
  }
  return table;
}

ReportSection order_section(const RunNames& names, const CutoffStudy& study) {
  ReportSection section{.heading = "Order of the runs", .tables = {order_table(study)}};
  if (!study.flips.empty()) section.tables.push_back(flip_table(names, study));
  section.about = {
      "A pair turns round if one run is ahead at one N_max and the other at a later one; means "
      "are compared after rounding to 1e-12.",
      "Differences are of the run ahead before, minus the other; the clearest are those that lead "
      "most both before and after; --json has all. tau-b is 1 if the order "
      "stays, -1 if it is reversed."};
  return section;
}

Json points_json(const CutoffStudy& study, std::size_t run) {
  return list_of(positions(study.cutoffs.size()), [&](std::size_t c) {
    Json point = {{"nmax", study.cutoffs[c].value()},
                  {"topics_shorter", study.runs[run].shorter[c]}};
    for (std::size_t m = 0; m < kSweepMeasures.size(); ++m) {
      point[std::string(kSweepMeasures[m].key)] = study.value(m, run, c);
    }
    return point;
  });
}

void add_numbers(ReportDocument& report, const RunNames& names, const CutoffStudy& study) {
  const Json cutoffs = list_of(positions(study.cutoffs.size()), [&](std::size_t c) -> Json {
    return {{"nmax", study.cutoffs[c].value()}, {"topics_below_n", study.below_n[c]}};
  });
  Json runs = Json::array();
  report.csv.columns = {"run",    "nmax",           "map",           "recall", "pres", "depth",
                        "topics", "topics_shorter", "topics_below_n"};
  for (std::size_t r = 0; r < study.runs.size(); ++r) {
    Json run = {
        {"run", names[r]}, {"depth", study.runs[r].depth}, {"topics", study.runs[r].topics()}};
    Json points = points_json(study, r);
    for (std::size_t c = 0; c < points.size(); ++c) {
      report.csv.add(merged(Json(run), cutoffs[c], points[c]));
    }
    run["points"] = std::move(points);
    runs.push_back(std::move(run));
  }
  report.result["cutoffs"] = cutoffs;
  report.result["largest_n"] = study.largest_n;
  report.result["runs"] = std::move(runs);
  report.result["orders"] = list_of(positions(study.orders.size()), [&](std::size_t m) {
    return merged(Json{{"measure", kSweepMeasures[m].key}}, study.orders[m]);
  });
  report.result["flips"] = list_of(study.flips, [&](const Flip& flip) -> Json {
    return {{"measure", kSweepMeasures[flip.measure].key},
            {"ahead_before", names[flip.ahead_before]},
            {"ahead_after", names[flip.ahead_after]},
            {"nmax_before", study.cutoffs[flip.before].value()},
            {"nmax_after", study.cutoffs[flip.after].value()}};
  });
}

}  // namespace

ReportDocument cutoffs_report(const EvaluationReport& evaluation, const CutoffStudy& study) {
  ReportDocument report = study_report("cutoffs", "MAP, Recall and PRES against N_max", evaluation);
  const RunNames names = names_of(evaluation);
  report.sections.push_back(scores_section(names, study));
  if (study.runs.size() > 1) report.sections.push_back(order_section(names, study));
  const std::vector<std::string> warnings = cutoff_warnings(names, study);
  report.notes.insert(report.notes.begin(), warnings.begin(), warnings.end());
  add_numbers(report, names, study);
  return report;
}

}  // namespace prescope
