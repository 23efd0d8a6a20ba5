#include "report/study/correlation_json.h"

#include <fmt/format.h>

namespace prescope {
namespace {

Json correlation_json(const CorrelationStudy& study, const MeasureCorrelation& pair) {
  const auto& overlap = pair.overlap;
  return {{"x", study.table.measures[pair.x]},
          {"y", study.table.measures[pair.y]},
          {"concordant", pair.pairs.concordant},
          {"discordant", pair.pairs.discordant},
          {"tied_x", pair.pairs.tied_x},
          {"tied_y", pair.pairs.tied_y},
          {"tied_both", pair.pairs.tied_both},
          {"tau_b", or_null(pair.tau_b)},
          {"tau_a", or_null(pair.tau_a)},
          {"gamma", or_null(pair.gamma)},
          {"spearman", or_null(pair.spearman)},
          {"tau_ap_of_x", or_null(pair.tau_ap_of_x)},
          {"tau_ap_of_y", or_null(pair.tau_ap_of_y)},
          {"rbo", overlap ? Json(overlap->extrapolated) : Json(nullptr)},
          {"rbo_least", overlap ? Json(overlap->least) : Json(nullptr)}};
}

Json systems_json(const CorrelationStudy& study) {
  Json systems = Json::array();
  for (std::size_t i = 0; i < study.table.systems.size(); ++i) {
    Json scores = Json::array(), places = Json::array();
    for (std::size_t m = 0; m < study.table.measures.size(); ++m) {
      scores.push_back(study.table.scores[m][i]);
      places.push_back(study.places[m][i]);
    }
    systems.push_back({{"system", study.table.systems[i]},
                       {"scores", std::move(scores)},
                       {"places", std::move(places)}});
  }
  return systems;
}

Json repeated_json(const CorrelationStudy& study, const RepeatedDocuments& repeated) {
  Json systems = Json::array(), measures = Json::array();
  for (const RepeatedDocuments::System& system : repeated.systems) {
    systems.push_back({{"system", study.table.systems[system.system]},
                       {"lines", system.lines},
                       {"topics", system.topics}});
  }
  for (const RepeatedDocuments::ByMeasure& by : repeated.measures) {
    measures.push_back({{"measure", study.table.measures[by.measure]},
                        {"tau_b", or_null(by.tau_b)},
                        {"once", study.table.scores[by.measure]},
                        {"places_once", study.places[by.measure]},
                        {"every_line", by.every_line},
                        {"places_every_line", by.places}});
  }
  return {{"systems", std::move(systems)}, {"measures", std::move(measures)}};
}

}  // namespace

void add_json(StudyReport& report, const CorrelationReport& correlation) {
  const CorrelationStudy& study = correlation.study;
  Json correlations = Json::array();
  for (const MeasureCorrelation& pair : study.correlations) {
    correlations.push_back(correlation_json(study, pair));
  }
  report.result["measures"] = study.table.measures;
  report.result["systems"] = systems_json(study);
  report.result["persistence"] = study.persistence;
  report.result["correlations"] = std::move(correlations);
  report.result["repeated_documents"] =
      correlation.repeated ? repeated_json(study, *correlation.repeated) : Json(nullptr);
}

StudyCsv correlation_csv(const CorrelationStudy& study) {
  StudyCsv csv{.columns = {"x", "y", "concordant", "discordant", "tied_x", "tied_y", "tied_both",
                           "tau_b", "tau_a", "gamma", "spearman", "tau_ap_of_x", "tau_ap_of_y",
                           "rbo", "rbo_least"}};
  for (const MeasureCorrelation& pair : study.correlations) {
    std::vector<std::string> row = {study.table.measures[pair.x], study.table.measures[pair.y]};
    const PairCounts& pairs = pair.pairs;
    for (const std::uint64_t count :
         {pairs.concordant, pairs.discordant, pairs.tied_x, pairs.tied_y, pairs.tied_both}) {
      row.push_back(fmt::format("{}", count));
    }
    for (const auto& value :
         {pair.tau_b, pair.tau_a, pair.gamma, pair.spearman, pair.tau_ap_of_x, pair.tau_ap_of_y}) {
      row.push_back(exact_text(value));
    }
    row.push_back(pair.overlap ? exact_text(pair.overlap->extrapolated) : "");
    row.push_back(pair.overlap ? exact_text(pair.overlap->least) : "");
    csv.rows.push_back(std::move(row));
  }
  return csv;
}

}  // namespace prescope
