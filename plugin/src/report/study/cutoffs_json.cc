#include "report/study/cutoffs_json.h"

#include <fmt/format.h>

#include "report/study/cutoffs_words.h"

namespace prescope {
namespace {

using Flip = CutoffStudy::Flip;

Json flips_json(const EvaluationReport& evaluation, const CutoffStudy& study) {
  Json flips = Json::array();
  for (const Flip& flip : study.flips) {
    flips.push_back({{"measure", key_of(flip.measure)},
                     {"ahead_before", evaluation.runs[flip.ahead_before].name},
                     {"ahead_after", evaluation.runs[flip.ahead_after].name},
                     {"nmax_before", study.cutoffs[flip.before].value()},
                     {"nmax_after", study.cutoffs[flip.after].value()}});
  }
  return flips;
}

Json run_json(const EvaluatedRun& evaluated, const CutoffStudy& study,
              const CutoffStudy::Run& run) {
  Json points = Json::array();
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    Json point = {{"nmax", study.cutoffs[c].value()}, {"topics_shorter", run.shorter[c]}};
    for (const SweepMeasure measure : kSweepMeasures) {
      point[std::string(key_of(measure))] = or_null(value_of(run.points[c], measure));
    }
    points.push_back(std::move(point));
  }
  return {{"run", evaluated.name},
          {"depth", run.depth},
          {"topics", run.topics},
          {"points", std::move(points)}};
}

}  // namespace

void add_json(StudyReport& report, const EvaluationReport& evaluation, const CutoffStudy& study) {
  Json cutoffs = Json::array(), runs = Json::array(), orders = Json::array();
  for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
    cutoffs.push_back({{"nmax", study.cutoffs[c].value()}, {"topics_below_n", study.below_n[c]}});
  }
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    runs.push_back(run_json(evaluation.runs[run], study, study.runs[run]));
  }
  for (const CutoffStudy::Order& order : study.orders) {
    orders.push_back({{"measure", key_of(order.measure)},
                      {"pairs", order.pairs},
                      {"flipped", order.flipped},
                      {"tau_b", or_null(order.tau_b)}});
  }
  report.result["cutoffs"] = std::move(cutoffs);
  report.result["largest_n"] = study.largest_n;
  report.result["runs"] = std::move(runs);
  report.result["orders"] = std::move(orders);
  report.result["flips"] = flips_json(evaluation, study);
}

StudyCsv cutoffs_csv(const EvaluationReport& evaluation, const CutoffStudy& study) {
  StudyCsv csv{.columns = {"run", "nmax", "map", "recall", "pres", "depth", "topics",
                           "topics_shorter", "topics_below_n"}};
  for (std::size_t run = 0; run < study.runs.size(); ++run) {
    const CutoffStudy::Run& of_run = study.runs[run];
    for (std::size_t c = 0; c < study.cutoffs.size(); ++c) {
      const auto text = [](std::uint32_t number) { return fmt::format("{}", number); };
      std::vector<std::string> row = {evaluation.runs[run].name,
                                      fmt::format("{}", study.cutoffs[c].value())};
      for (const SweepMeasure measure : kSweepMeasures) {
        row.push_back(exact_text(value_of(of_run.points[c], measure)));
      }
      for (const std::uint32_t number :
           {of_run.depth, of_run.topics, of_run.shorter[c], study.below_n[c]}) {
        row.push_back(text(number));
      }
      csv.rows.push_back(std::move(row));
    }
  }
  return csv;
}

}  // namespace prescope
