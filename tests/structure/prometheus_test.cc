// A real Prometheus server scrapes an experiment; its HTTP API returns the experiment's values, and
// can answer all queries of docs/metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "prescope/experiment.h"
#include "serve/metrics/metrics.h"
#include "support/full_summary.h"
#include "support/metric_samples.h"
#include "support/prometheus_server.h"
#include "support/scratch_file.h"
#include "support/scripted_handler.h"

namespace prescope {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kScrapedTopics = 25;
constexpr std::uint32_t kRelevantOfATopic = 3;

Qrels scraped_qrels() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kScrapedTopics; ++t) {
    for (std::uint32_t j = 0; j < kRelevantOfATopic; ++j) {
      lines.push_back({TopicId(fmt::format("t{}", t)), Docno(fmt::format("d{}-{}", t, j)), 1});
    }
  }
  return Qrels::from_lines(lines);
}

/// Each topic under each arm, its documents among others.
void serve_queries(Experiment& experiment) {
  std::mt19937_64 random(5);
  for (std::uint32_t arm = 0; arm < experiment.arms().size(); ++arm) {
    for (std::uint32_t t = 0; t < kScrapedTopics; ++t) {
      std::vector<std::string> docnos;
      for (int rank = 0; rank < 100; ++rank) docnos.push_back(fmt::format("x{}", rank));
      for (std::uint32_t j = 0; j < kRelevantOfATopic; ++j) {
        docnos[random() % (arm == 0 ? 100 : 20)] = fmt::format("d{}-{}", t, j);
      }
      const std::vector<std::string_view> served(docnos.begin(), docnos.end());
      const QueryScope scope(experiment, TopicId(fmt::format("t{}", t)));
      experiment.observe({.arm = ArmIndex(arm),
                          .kind = HitKind::kDocnos,
                          .docnos = served,
                          .requested_depth = 100,
                          .total_hits = 100});
    }
  }
}

double number(const Json& sample) { return std::stod(sample["value"][1].get<std::string>()); }

/// Waits until the queries have been scraped.
double judged_queries_seen(const PrometheusServer& prometheus, double expected) {
  double now = 0;
  for (int look = 0; look < 400 && now < expected; ++look) {
    now = number(prometheus.query(R"(sum(prescope_queries_total{judged="true"}))").at(0));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return now;
}

void expect_answers_as(const PrometheusServer& prometheus, const Summary& summary) {
  for (const ArmSummary& arm : summary.arms) {
    for (const MeasureMean& mean : arm.means) {
      SCOPED_TRACE(arm.id.text() + " " + mean.measure.name());
      const std::string labels =
          fmt::format(R"({{experiment={},arm={},measure="{}"}})", Json(summary.experiment).dump(),
                      Json(arm.id.text()).dump(), mean.measure.name());
      const Json score = prometheus.query("prescope_topic_score" + labels);
      ASSERT_EQ(score.size(), 1U);
      EXPECT_NEAR(number(score[0]), mean.mean.value(), 1e-14);
      const Json topics = prometheus.query("prescope_topics" + labels);
      ASSERT_EQ(topics.size(), 1U);
      EXPECT_EQ(number(topics[0]), kScrapedTopics);
    }
  }
  const Json mean =
      prometheus.query(R"(prescope_paired_difference{b="bm25",measure="PRES@100",bound="mean"})");
  ASSERT_EQ(mean.size(), 1U);
  EXPECT_NEAR(number(mean[0]), summary.pairs[0].differences[1].mean.value(), 1e-14);
}

/// Serves this text to Prometheus.
struct Endpoint : ScriptedServer {
  explicit Endpoint(const std::function<std::string()>& text) {
    script.answer = [text](const serve::Request&) {
      serve::Response response = Script::said(text());
      response.content_type = serve::kMetricsContentType;
      return response;
    };
  }
};

TEST(Prometheus, AnswersWithTheValuesOfTheExperiment) {
  Experiment experiment(
      scraped_qrels(),
      {.name = "scraped \"live\"", .arms = {"tf\\idf", "bm25"}, .measures = {"R@10", "PRES@100"}});
  const Endpoint endpoint([&] { return serve::metrics_text(*experiment.summary()); });
  const PrometheusServer prometheus(endpoint.url());
  EXPECT_TRUE(prometheus.query("prescope_topic_score").empty()) << "none yet";
  serve_queries(experiment);
  ASSERT_EQ(judged_queries_seen(prometheus, 2 * kScrapedTopics), 2 * kScrapedTopics);
  expect_answers_as(prometheus, *experiment.summary());
}

// Returns the names of samples; those of histograms and summaries have their suffixes.
std::set<std::string> names_of_samples() {
  std::set<std::string> names;
  std::vector<Night> nights(1);
  nights[0].arm = "bm25";
  nights[0].p95_ms = 1.0;
  nights[0].means.emplace_back("AP", Mean{.mean = 0.25, .topics = 2});
  for (const std::string& text :
       {serve::metrics_text(full_summary(), 0.0), serve::metrics_text(full_split_summary()),
        serve::night_metrics_text(nights, utc_now()),
        serve::fleet_metrics_text(std::vector<FleetSession::Server>{{.name = "search1"}}),
        serve::ship_metrics_text({.last_error = "e"})}) {
    for (const auto& [sample, value] : metric_samples(text)) {
      names.insert(sample.substr(0, sample.find('{')));
    }
  }
  return names;
}

void expect_known_metrics(const std::string& expression) {
  static const std::set<std::string> kNames = names_of_samples();
  const std::regex name(R"(prescope_\w+)");
  for (std::sregex_iterator it(expression.begin(), expression.end(), name), end; it != end; ++it) {
    EXPECT_TRUE(kNames.contains(it->str())) << it->str() << " in " << expression;
  }
}

Json read_json(const std::string& path) { return Json::parse(content_of(path)); }

/// Every "expr" in a document, wherever it is.
void collect_expressions(const Json& json, std::vector<std::string>& expressions) {
  if (json.is_object() && json.contains("expr")) {
    expressions.push_back(json["expr"].get<std::string>());
  }
  if (!json.is_structured()) return;
  for (const Json& each : json) collect_expressions(each, expressions);
}

/// Replaces variables as Grafana does.
std::string filled_in(std::string expression, const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) {
    for (std::size_t at = 0; (at = expression.find(name, at)) != std::string::npos;) {
      expression.replace(at, name.size(), value);
      at += value.size();
    }
  }
  return expression;
}

/// The served metrics have a sample of everything, so an expression without an answer is wrong.
class PrometheusAnswersTest : public ::testing::Test {
 protected:
  const Endpoint endpoint_{[] { return serve::metrics_text(full_summary()); }};
  const PrometheusServer prometheus_{endpoint_.url()};

  [[nodiscard]] std::map<std::string, std::string> variables() const {
    return {{"=~\"$arm\"", "=~\"tfidf|bm25\""},
            {"\"$arm\"", "\"bm25\""},
            {"$experiment", "night shift"},
            {"$instance", prometheus_.target()},
            {"$kind", "served"},
            {"$measure", "PRES@100"},
            {"$__rate_interval", "1m"}};
  }

  void expect_answers_panels(const Json& panels) const {
    std::vector<std::string> expressions;
    collect_expressions(panels, expressions);
    EXPECT_GT(expressions.size(), 30U);
    for (const std::string& expression : expressions) {
      expect_known_metrics(expression);
      const std::string filled = filled_in(expression, variables());
      EXPECT_EQ(filled.find('$'), std::string::npos) << filled;
      EXPECT_FALSE(prometheus_.query(filled).empty()) << filled;
    }
  }

  void expect_answers_annotations(const Json& annotations) const {
    std::vector<std::string> expressions;
    collect_expressions(annotations, expressions);
    EXPECT_EQ(expressions.size(), 1U);
    for (const std::string& expression : expressions) {
      expect_known_metrics(expression);
      EXPECT_TRUE(prometheus_.query(filled_in(expression, variables())).empty()) << "no new epoch";
    }
  }

  void expect_answers_variables(const Json& list) const {
    const std::regex label_values(R"(label_values\((.*), (\w+)\))");
    for (const Json& variable : list) {
      if (variable["type"] != "query") continue;
      const std::string query = variable["query"]["query"];
      std::smatch parts;
      ASSERT_TRUE(std::regex_match(query, parts, label_values)) << query;
      expect_known_metrics(query);
      const Json found = prometheus_.query(filled_in(parts[1].str(), variables()));
      ASSERT_FALSE(found.empty()) << query;
      EXPECT_TRUE(found[0]["metric"].contains(parts[2].str())) << query;
    }
  }
};

TEST_F(PrometheusAnswersTest, EveryPanelAnnotationAndVariableOfTheDashboard) {
  const Json dashboard = read_json(PRESCOPE_SOURCE_DIR "/docs/metrics/prescope.json");
  expect_answers_panels(dashboard["panels"]);
  expect_answers_annotations(dashboard["annotations"]);
  expect_answers_variables(dashboard["templating"]["list"]);
}

TEST(PrometheusAlerts, ReferToMetricsThatExist) {
  const std::string rules = content_of(PRESCOPE_SOURCE_DIR "/docs/metrics/alerts.yml");
  ASSERT_FALSE(rules.empty());
  expect_known_metrics(rules);
}

TEST(Dashboard, ExplainsEveryPanel) {
  const Json dashboard = read_json(PRESCOPE_SOURCE_DIR "/docs/metrics/prescope.json");
  std::set<int> ids;
  for (const Json& panel : dashboard["panels"]) {
    EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second) << panel["title"];
    if (panel["type"] == "row") continue;
    EXPECT_FALSE(panel["description"].get<std::string>().empty()) << panel["title"];
    EXPECT_EQ(panel["datasource"]["uid"], "${datasource}") << panel["title"];
  }
}

}  // namespace
}  // namespace prescope
