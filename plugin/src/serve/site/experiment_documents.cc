#include "serve/site/experiment_documents.h"

#include <algorithm>

#include "measures/scorer.h"
#include "prescope/error.h"
#include "report/live/topic_json.h"
#include "report/runs/comparison_report.h"
#include "report/text/json.h"
#include "runs/ranked_runs.h"
#include "serve/site/topic_list.h"
#include "studies/robustness.h"

namespace prescope::serve {

namespace {

constexpr std::uint64_t kMostOfAPage = 500;
constexpr std::uint64_t kLastPage = 1'000'000'000;
constexpr std::uint64_t kMostCutoffs = 200, kUsualCutoffs = 40;
constexpr std::uint64_t kUsuallyUnknown = 20, kMostSamples = 200, kUsualSamples = 100;

/// Two arms of a request. Without one, `a` is the first arm, and `b` the first other arm that takes
/// part, or else any other.
struct ComparedArms {
  std::vector<std::string> names{};  ///< of all arms, as they are shown
  std::size_t a = 0;
  std::optional<std::size_t> b{};
};

ComparedArms compared_arms(const Summary& summary, const Parameters& parameters) {
  ComparedArms arms;
  for (const ArmSummary& arm : summary.arms) arms.names.push_back(shown_name(arm.id.text()));
  const std::vector<std::string_view> names(arms.names.begin(), arms.names.end());
  arms.a = parameters.choice("a", "arm", names).value_or(0);
  arms.b = parameters.choice("b", "arm", names);
  if (arms.b) return arms;
  for (std::size_t i = summary.arms.size(); i-- > 0;) {
    const bool is_removed = summary.arms[i].status == ArmStatus::kRemoved;
    if (i != arms.a && (!is_removed || !arms.b)) arms.b = i;
  }
  return arms;
}

std::optional<std::size_t> measure_of(const Summary& summary, const Parameters& parameters) {
  std::vector<std::string> names;
  for (const Measure& measure : summary.measures) names.push_back(measure.name());
  return parameters.choice("measure", "measure",
                           std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

std::string topics_document(Source& source, const Parameters& parameters) {
  const auto summary = source.every_topic();
  TopicQuery query;
  query.measure = measure_of(*summary, parameters).value_or(0);
  const ComparedArms arms = compared_arms(*summary, parameters);
  query.a = arms.a;
  query.b = arms.b;
  if (const auto sort = parameters.choice("sort", "order of topics", kTopicSorts)) {
    query.sort = static_cast<TopicSort>(*sort);
  }
  if (const auto order = parameters.choice("order", "direction", kSortOrders)) {
    query.order = static_cast<SortOrder>(*order);
  }
  query.page = parameters.number("page", 0, kLastPage).value_or(query.page);
  query.size = parameters.number("size", 1, kMostOfAPage).value_or(query.size);
  query.search = parameters.text("search").value_or("");
  return topic_list_json(*summary, query);
}

std::string sweep_document(Source& source, const Parameters& parameters) {
  return sweep_json(*source.every_topic(),
                    parameters.number("count", 2, kMostCutoffs).value_or(kUsualCutoffs));
}

std::string robustness_document(Source& source, const Parameters& parameters) {
  const auto summary = source.every_topic();
  const auto [names, a, b] = compared_arms(*summary, parameters);
  if (!b) throw Error(ErrorCode::kUsage, "there is one arm only, and nothing to compare it with");
  const auto unknown = parameters.number("unknown", 1, 99).value_or(kUsuallyUnknown);
  const auto samples = parameters.number("samples", 1, kMostSamples).value_or(kUsualSamples);

  std::vector<TopicDetail> topics;
  for (const TopicRow& row : summary->rows) {
    if (auto topic = source.topic(row.id)) topics.push_back(std::move(*topic));
  }
  const ArmIndex arms[] = {ArmIndex(static_cast<std::uint32_t>(a)),
                           ArmIndex(static_cast<std::uint32_t>(*b))};
  const VerdictRobustness robustness =
      verdict_robustness(ranked_arms(topics, arms), Scorer(summary->measures),
                         {.fractions = {static_cast<double>(100 - unknown) / 100.0},
                          .samples = static_cast<std::uint32_t>(samples)});
  const std::string compared[] = {names[a], names[*b]};
  return line_text(robustness_json(robustness, compared));
}

std::optional<std::string> topic_document(Source& source, const std::string& shown) {
  std::optional<TopicDetail> topic = source.topic(TopicId(shown));
  // Bad bytes of an id are shown as U+FFFD.
  if (!topic && shown.find("\xEF\xBF\xBD") != std::string::npos) {
    const auto summary = source.every_topic();
    const auto row = std::ranges::find_if(
        summary->rows, [&](const TopicRow& each) { return shown_name(each.id.text()) == shown; });
    if (row != summary->rows.end()) topic = source.topic(row->id);
  }
  if (!topic) return std::nullopt;
  const std::vector<ArmId> arms = source.arms();
  return topic_json(*topic, {.arms = arms, .measures = source.newest().summary->measures});
}

std::string nearest_topic(Source& source, std::string_view shown) {
  const auto summary = source.every_topic();
  std::vector<std::string_view> names;
  for (const TopicRow& row : summary->rows) names.push_back(row.id.text());
  return shown_name(nearest_name(shown, names));
}

}  // namespace prescope::serve
