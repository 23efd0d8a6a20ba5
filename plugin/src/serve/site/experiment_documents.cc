#include "serve/site/experiment_documents.h"

#include <algorithm>

#include "base/utc_time.h"
#include "base/version.h"
#include "measures/scorer.h"
#include "prescope/error.h"
#include "report/live/live_report.h"
#include "report/runs/comparison_report.h"
#include "report/text/json.h"
#include "runs/ranked_runs.h"
#include "serve/metrics/metrics.h"
#include "serve/site/site.h"
#include "studies/robustness.h"

namespace prescope::serve {

namespace {

void add_time(JsonWriter& json, const std::optional<UtcTime>& time) {
  time ? json.text(utc_text(*time)) : json.word("null");
}

void add_views(JsonWriter& json, const Source::Picture& picture, bool has_history) {
  const bool has_experiment = picture.summary != nullptr;
  json.key("has").begin('{');
  truth(json.key("experiment"), has_experiment);
  truth(json.key("series"), has_experiment);
  truth(json.key("history"), has_history);
  json.end('}');
}

}  // namespace

std::shared_ptr<const std::string> SummaryDocument::text(Source& source,
                                                         std::optional<Nights>& nights) {
  const Source::Picture picture = source.newest();
  const bool has_history = nights && nights->has_any();
  if (text_ && picture.summary == of_ && has_history == has_history_) return text_;
  of_ = picture.summary;
  has_history_ = has_history;
  text_ = std::make_shared<const std::string>(json_line([&](JsonWriter& json) {
    json.key("prescope").text(kVersion);
    json.key("source").text(source.kind());
    json.key("store").word(nights ? quoted_name(nights->store().string()) : "null");
    json.key("time");
    add_time(json, of_ ? std::optional(picture.time) : utc_now());
    json.key("started");
    add_time(json, source.started());
    add_views(json, picture, has_history);
    json.key("summary").word(of_ ? line_text(summary_json(*of_)) : "null");
  }));
  return text_;
}

namespace {

using Text = ExperimentDocuments::Text;

constexpr std::uint64_t kMostOfAPage = 500;
constexpr std::uint64_t kLastPage = 1'000'000'000;
constexpr std::uint64_t kMostCutoffs = 200;
constexpr std::size_t kUsualCutoffs = 40;
constexpr std::uint64_t kUsuallyUnknown = 20, kMostSamples = 200, kUsualSamples = 100;
/// U+FFFD, which bad bytes are shown as.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

Text text(std::string made) { return std::make_shared<const std::string>(std::move(made)); }

std::vector<std::string> shown_arms(const Summary& summary) {
  std::vector<std::string> names;
  for (const ArmSummary& arm : summary.arms) names.push_back(shown_name(arm.id.text()));
  return names;
}

std::vector<std::string> measure_names(const Summary& summary) {
  std::vector<std::string> names;
  for (const Measure& measure : summary.measures) names.push_back(measure.name());
  return names;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

/// The first one beside `a` that takes part, else any other.
std::optional<std::size_t> usual_second_arm(const Summary& summary, std::size_t a) {
  std::optional<std::size_t> second;
  for (std::size_t i = summary.arms.size(); i-- > 0;) {
    if (i == a) continue;
    const bool is_removed = summary.arms[i].status == ArmStatus::kRemoved;
    if (!is_removed || !second) second = i;
  }
  return second;
}

}  // namespace

const Summary& ExperimentDocuments::every_topic() {
  std::shared_ptr<const Summary> now = source_.every_topic();
  if (now != every_topic_) {
    every_topic_ = std::move(now);
    list_.emplace(every_topic_);
    metrics_.reset();
    sweeps_.clear();
  }
  return *every_topic_;
}

Text ExperimentDocuments::series() {
  const TimeSeries& series = source_.series();
  const UtcTime up_to = series.newest() == nullptr ? UtcTime{} : series.newest()->time;
  if (series_ == nullptr || up_to != series_up_to_) {
    series_ = text(series_json(series));
    series_up_to_ = up_to;
  }
  return series_;
}

Text ExperimentDocuments::metrics() {
  const Summary& summary = every_topic();
  if (metrics_ == nullptr) metrics_ = text(metrics_text(summary));
  return metrics_;
}

Text ExperimentDocuments::sweep(const Parameters& parameters) {
  const Summary& summary = every_topic();
  const std::size_t count = parameters.number("count", 2, kMostCutoffs).value_or(kUsualCutoffs);
  Text& sweep = sweeps_[count];
  if (sweep == nullptr) sweep = text(sweep_json(summary, count));
  return sweep;
}

TopicQuery ExperimentDocuments::query_of(const Parameters& parameters) {
  const Summary& summary = every_topic();
  const std::vector<std::string> arms = shown_arms(summary), measures = measure_names(summary);
  TopicQuery query;
  query.measure = parameters.choice("measure", "measure", views(measures)).value_or(0);
  query.a = parameters.choice("a", "arm", views(arms)).value_or(0);
  query.b = parameters.choice("b", "arm", views(arms));
  if (!query.b) query.b = usual_second_arm(summary, query.a);
  if (const auto sort = parameters.choice("sort", "order of topics", kTopicSorts)) {
    query.sort = static_cast<TopicSort>(*sort);
  }
  if (const auto order = parameters.choice("order", "direction", kSortOrders)) {
    query.order = static_cast<SortOrder>(*order);
  }
  query.page = parameters.number("page", 0, kLastPage).value_or(query.page);
  query.size = parameters.number("size", 1, kMostOfAPage).value_or(query.size);
  query.search = parameters.text("search").value_or("");
  return query;
}

Text ExperimentDocuments::topics(const Parameters& parameters) {
  const TopicQuery query = query_of(parameters);
  return text(topic_list_json(*list_, query));
}

Text ExperimentDocuments::robustness(const Parameters& parameters) {
  const Summary& summary = every_topic();
  const std::vector<std::string> names = shown_arms(summary);
  const std::size_t a = parameters.choice("a", "arm", views(names)).value_or(0);
  std::optional<std::size_t> b = parameters.choice("b", "arm", views(names));
  if (!b) b = usual_second_arm(summary, a);
  if (!b) throw Error(ErrorCode::kUsage, "there is one arm only, and nothing to compare it with");
  const auto unknown = parameters.number("unknown", 1, 99).value_or(kUsuallyUnknown);
  const auto samples = parameters.number("samples", 1, kMostSamples).value_or(kUsualSamples);

  std::vector<TopicDetail> topics;
  for (const TopicRow& row : summary.rows) {
    if (auto topic = source_.topic(row.id)) topics.push_back(std::move(*topic));
  }
  const ArmIndex arms[] = {ArmIndex(static_cast<std::uint32_t>(a)),
                           ArmIndex(static_cast<std::uint32_t>(*b))};
  const VerdictRobustness robustness =
      verdict_robustness(ranked_arms(topics, arms), Scorer(summary.measures),
                         {.fractions = {static_cast<double>(100 - unknown) / 100.0},
                          .samples = static_cast<std::uint32_t>(samples)});
  const std::string compared[] = {names[a], names[*b]};
  return text(line_text(robustness_json(robustness, compared)));
}

std::string ExperimentDocuments::topic_text(const TopicDetail& topic) {
  const std::vector<ArmId> arms = source_.arms();
  const std::shared_ptr<const Summary> summary = source_.newest().summary;
  return topic_json(topic, {.arms = arms, .measures = summary->measures});
}

std::optional<TopicDetail> ExperimentDocuments::with_bad_bytes(const std::string& shown) {
  if (shown.find(kReplacement) == std::string::npos) return std::nullopt;
  for (const TopicRow& row : every_topic().rows) {
    if (shown_name(row.id.text()) == shown) return source_.topic(row.id);
  }
  return std::nullopt;
}

Text ExperimentDocuments::topic(const std::string& shown) {
  std::optional<TopicDetail> topic = source_.topic(TopicId(shown));
  if (!topic) topic = with_bad_bytes(shown);
  return topic ? text(topic_text(*topic)) : nullptr;
}

std::string ExperimentDocuments::nearest_topic(std::string_view shown) {
  std::vector<std::string_view> names;
  for (const TopicRow& row : every_topic().rows) names.push_back(row.id.text());
  return shown_name(nearest_name(shown, names));
}

}  // namespace prescope::serve
