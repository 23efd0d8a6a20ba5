// A real Prometheus server scrapes live_ab while it serves; its HTTP API returns the values of
// /api/summary.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.h"
#include "support/http_client.h"
#include "support/prometheus_server.h"

namespace prescope {
namespace {

using Json = nlohmann::json;

/// The number of judged queries identifies an arm's score, which changes only when one is recorded.
using JudgedQueries = double;

/// An arm's samples of the last minute, by the time of the scrape.
std::map<double, double> samples(const PrometheusServer& prometheus, const std::string& series) {
  std::map<double, double> values;
  const Json result = prometheus.query(series + "[1m]");
  if (result.empty()) return values;
  for (const Json& value : result.at(0).at("values")) {
    values[value.at(0).get<double>()] = std::stod(value.at(1).get<std::string>());
  }
  return values;
}

/// Returns the scores of an arm that Prometheus has scraped, by the number of judged queries.
std::map<JudgedQueries, double> scores_seen(const PrometheusServer& prometheus,
                                            const std::string& arm, const std::string& measure) {
  const std::string labels = R"({arm=")" + arm + R"(",)";
  const auto counts = samples(prometheus, "prescope_queries_total" + labels + R"(judged="true"})");
  std::map<JudgedQueries, double> scores;
  for (const auto& [time, score] :
       samples(prometheus, "prescope_topic_score" + labels + R"(measure=")" + measure + R"("})")) {
    if (counts.contains(time)) scores[counts.at(time)] = score;
  }
  return scores;
}

/// Compares the scores that Prometheus has scraped with the summary; returns their number.
int expect_same_scores(const PrometheusServer& prometheus, const Json& summary) {
  int compared = 0;
  for (const Json& arm : summary.at("arms")) {
    for (const std::string measure : {"PRES@100", "R@1000"}) {
      const Json& mean = arm.at("means").at(measure).at("mean");
      const std::string name = arm.at("name");
      const auto seen = scores_seen(prometheus, name, measure);
      const auto same = seen.find(arm.at("judged_queries").get<double>());
      if (mean.is_null() || same == seen.end()) continue;
      EXPECT_NEAR(same->second, mean.get<double>(), 1e-14) << name << " " << measure;
      ++compared;
    }
  }
  return compared;
}

TEST(ServedMetrics, InPrometheusEqualTheSummary) {
  ChildProcess live_ab;
  // So few queries that summaries and scrapes often are of the same moment.
  live_ab.start({PRESCOPE_LIVE_AB, "--documents", "3000", "--topics", "40", "--seed", "7", "--rate",
                 "2", "--seconds", "600", "--serve"});
  const std::string url = live_ab.wait_for(R"(serving (http://127\.0\.0\.1:\d+/))");
  const PrometheusServer prometheus(url);
  int compared = 0;
  for (int look = 0; look < 100 && compared < 20; ++look) {
    const Json answer = Json::parse(get(url, "/api/summary").body);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    if (!answer.at("summary").is_null()) {
      compared += expect_same_scores(prometheus, answer.at("summary"));
    }
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace prescope
