#include "report/study/retrievability_findings.h"

namespace prescope {
namespace {

/// Of a list of documents; CSV has all of them.
constexpr std::size_t kMostInJson = 1000;

Json documents_json(const RetrievabilityStudy& study,
                    const std::vector<RetrievabilityChange>& changes) {
  Json documents = Json::array();
  for (std::size_t i = 0; i < changes.size() && i < kMostInJson; ++i) {
    documents.push_back({{"document", std::string(study.documents.name(changes[i].document))},
                         {"a", changes[i].a},
                         {"b", changes[i].b}});
  }
  return documents;
}

Json comparison_json(const RetrievabilityStudy& study, const RetrievabilityFindings& findings,
                     std::size_t i) {
  const RetrievabilityComparison& comparison = *findings.comparisons[i];
  return {{"a", findings.names.front()},
          {"b", findings.names[i]},
          {"in_both", comparison.in_both},
          {"risen", comparison.risen},
          {"fallen", comparison.fallen},
          {"lost", comparison.lost.size()},
          {"gained", comparison.gained.size()},
          {"lost_documents", documents_json(study, comparison.lost)},
          {"gained_documents", documents_json(study, comparison.gained)}};
}

Json source_json(const RetrievabilitySource& source, const RetrievabilitySummary& summary) {
  Json by_score = Json::array();
  for (const auto& [topics, documents] : summary.by_score) {
    by_score.push_back({{"topics", topics}, {"documents", documents}});
  }
  return {{"name", source.name},
          {"path", source.path},
          {"topics", source.scores.topics()},
          {"repeated_hits", source.scores.repeated()},
          {"population", summary.population},
          {"retrieved", summary.retrieved},
          {"never_retrieved", summary.never()},
          {"retrievals", summary.total},
          {"mean", or_null(summary.mean)},
          {"highest", summary.highest},
          {"gini", or_null(summary.gini)},
          {"by_score", std::move(by_score)}};
}

}  // namespace

Json retrievability_json(const RetrievabilityStudy& study, const RetrievabilityFindings& findings) {
  const std::vector<std::uint32_t> never = never_found(study);
  Json sources = Json::array(), comparisons = Json::array(), most = Json::array(),
       names = Json::array();
  for (std::size_t i = 0; i < study.sources.size(); ++i) {
    sources.push_back(source_json(study.sources[i], findings.summaries[i]));
    if (findings.comparisons[i]) comparisons.push_back(comparison_json(study, findings, i));
  }
  for (const std::uint32_t document : most_found(study)) {
    Json by_source = Json::array();
    for (const auto& source : study.sources) by_source.push_back(source.scores.score(document));
    most.push_back({{"document", std::string(study.documents.name(document))},
                    {"topics", std::move(by_source)}});
  }
  for (std::size_t i = 0; i < never.size() && i < kMostInJson; ++i) {
    names.push_back(std::string(study.documents.name(never[i])));
  }
  const bool known = study.listed || study.population;
  return {{"cutoff", study.cutoff},
          {"population", findings.population},
          {"population_source", known ? Json(study.population_source) : Json(nullptr)},
          {"unlisted", findings.unlisted},
          {"sources", std::move(sources)},
          {"comparisons", std::move(comparisons)},
          {"most_found", std::move(most)},
          {"never_found", study.listed ? Json(never.size()) : Json(nullptr)},
          {"never_found_documents", std::move(names)}};
}

StudyCsv retrievability_csv(const RetrievabilityStudy& study) {
  StudyCsv csv{.columns = {"document"}};
  if (study.csv == RetrievabilityStudy::Csv::kNone) return csv;
  for (const auto& source : study.sources) csv.columns.push_back(source.name);
  for (std::uint32_t i = 0; i < study.documents.size(); ++i) {
    std::vector<std::string>& row = csv.rows.emplace_back();
    row.emplace_back(study.documents.name(i));
    for (const auto& source : study.sources) row.push_back(std::to_string(source.scores.score(i)));
  }
  return csv;
}

}  // namespace prescope
