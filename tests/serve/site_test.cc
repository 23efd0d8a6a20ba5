// Documents of a running experiment, compared with the experiment itself.
#include "serve/site/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <set>

#include "prescope/report.h"
#include "serve/metrics/metrics.h"
#include "serve/site/source.h"
#include "support/metric_samples.h"
#include "support/served_site.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(SiteTest, SummaryEqualsTheLastPublishedOne) {
  const json before = get("/api/summary");
  EXPECT_EQ(before["source"], "live");
  EXPECT_EQ(before["summary"]["arms"][0]["judged_queries"], 0);
  serve_all();
  const json document = get("/api/summary");
  EXPECT_EQ(document["summary"], json::parse(to_json(*experiment_->latest())));
  EXPECT_EQ(document["summary"]["arms"][0]["topics_seen"], kSiteTopics + 2);
  EXPECT_TRUE(document["summary"]["per_topic"].empty());
  EXPECT_TRUE(document["store"].is_null());
  EXPECT_EQ(document["has"], json({{"experiment", true}, {"series", true}, {"history", false}}));
  EXPECT_THAT(document["time"].get<std::string>(), AllOf(StartsWith("20"), HasSubstr("T")));
  EXPECT_LE(document["started"].get<std::string>(), document["time"].get<std::string>());
  EXPECT_EQ(document["prescope"].get<std::string>().find('.'), 1U);
}

TEST_F(SiteTest, UnchangedAnswersAreCached) {
  serve_all();
  const std::string text = *answer_of(*site_, "/api/summary").body;
  EXPECT_EQ(*answer_of(*site_, "/api/summary").body, text);
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line, as events need it";
  const auto event = site_->event();
  EXPECT_EQ(site_->event(), event) << "the same text, not a copy";
  const std::string series = *answer_of(*site_, "/api/series").body;
  EXPECT_EQ(*answer_of(*site_, "/api/series").body, series);
  serve(0, "t00", {});
  wait_until_published();
  EXPECT_NE(*answer_of(*site_, "/api/summary").body, text);
  EXPECT_NE(site_->event(), event);
  EXPECT_NE(*answer_of(*site_, "/api/series").body, series);
}

TEST_F(SiteTest, EventsCarryTheDocumentAndTheNewestPoint) {
  const json first = json::parse(*site_->event());
  EXPECT_EQ(first["point"]["arms"][0]["queries"], json::array({0}));
  serve_all();
  const json event = json::parse(*site_->event());
  EXPECT_EQ(event["document"], get("/api/summary"));
  EXPECT_EQ(event["point"]["time_ms"].size(), 1U);
  EXPECT_EQ(event["point"]["arms"][0]["queries"], json({kSiteTopics + 2}));
  serve(0, "t00", {});
  wait_until_published();
  EXPECT_EQ(json::parse(*site_->event())["point"]["arms"][0]["queries"], json({1}));
  const json series = get("/api/series");
  EXPECT_EQ(series["arms"][0]["queries"], json({0, kSiteTopics + 2, 1}));
  EXPECT_EQ(series["arms"].size(), 3U);
  EXPECT_EQ(series["pairs"].size(), 2U);
  EXPECT_EQ(series["time_ms"].size(), 3U);
}

TEST_F(SiteTest, BadRequestsSuggestTheNearest) {
  serve_all();
  EXPECT_THAT(refusal_by(*site_, 400, "/api/topics", {{"sort", "score"}}),
              AllOf(HasSubstr("did you mean 'score_a'?"), HasSubstr("latency_b")));
  EXPECT_THAT(refusal_by(*site_, 400, "/api/topics", {{"measure", "PRES@11"}}),
              HasSubstr("did you mean 'PRES@10'?"));
  EXPECT_THAT(refusal_by(*site_, 400, "/api/topics", {{"b", "d"}}), HasSubstr("arm 'd'"));
  EXPECT_THAT(refusal_by(*site_, 400, "/api/topics", {{"order", "down"}}), HasSubstr("desc"));
  EXPECT_THAT(refusal_by(*site_, 400, "/api/topics", {{"pgae", "1"}}),
              HasSubstr("did you mean 'page'?"));
  EXPECT_THAT(refusal_by(*site_, 400, "/api/summary", {{"x", ""}}), HasSubstr("no parameters"));
  for (const char* const number :
       {"", "0", "501", "-1", "1.5", " 1", "1e3", "99999999999999999999"}) {
    EXPECT_THAT(refusal_by(*site_, 400, "/api/topics", {{"size", number}}),
                HasSubstr("no whole number from 1 to 500"));
  }
  EXPECT_THAT(refusal_by(*site_, 400, "/api/sweep", {{"count", "1"}}), HasSubstr("from 2 to 200"));
  EXPECT_THAT(refusal_by(*site_, 404, "/api/topic/t5"), HasSubstr("did you mean 't05'?"));
  EXPECT_THAT(refusal_by(*site_, 404, "/api/topic/"), HasSubstr("there is no topic ''"));
  EXPECT_THAT(refusal_by(*site_, 404, "/api/toppics"),
              AllOf(HasSubstr("'/api/toppics'"), HasSubstr("/api/topics"), HasSubstr("/metrics"),
                    HasSubstr("/api/topic/ID"), HasSubstr("/api/events")));
  EXPECT_THAT(refusal_by(*site_, 404, "/api/history"), HasSubstr("prescope serve"));
  EXPECT_THAT(refusal_by(*site_, 404, "/api/compare", {{"a", "1"}}), HasSubstr("no nights"));
}

TEST_F(SiteTest, DocumentsAreEmptyBeforeTheFirstQuery) {
  EXPECT_TRUE(get("/api/topics")["topics"].empty());
  EXPECT_TRUE(get("/api/sweep")["cutoffs"].empty());
  EXPECT_EQ(get("/api/series")["time_ms"].size(), 1U);
  EXPECT_EQ(get("/api/topic/t00")["citations"].size(), 2U);
  EXPECT_THAT(refusal_by(*site_, 404, "/api/topic/x"), HasSubstr("none was served yet"));
}

/// A log that cannot be written, from some time on.
class FailingLog : public ObservationLog {
 public:
  void begin(const Experiment&) override {}
  void record(const Observation&) override {}
  void change(const ExperimentChange&) override {}
  bool flush() override { return false; }
  void end() noexcept override {}
  LogProgress progress() const noexcept override {
    return {.accepted = 4, .waiting = 4, .is_failing = is_failing};
  }
  std::atomic<bool> is_failing{false};
};

TEST_F(SiteTest, AFailingLogIsSaidWithin5sWithoutAnyQuery) {
  const auto log = std::make_shared<FailingLog>();
  Experiment experiment(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("d")}}),
                        {.arms = {"a"}, .logs = {log}});
  const std::unique_ptr<Handler> site = experiment_site(experiment);
  const auto health = [&] { return json::parse(*answer_of(*site, "/healthz").body); };
  EXPECT_EQ(health()["status"], "ok");
  log->is_failing = true;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (health()["status"] == "ok" && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(health()["status"], "failing");
  EXPECT_EQ(health()["failing"],
            "1 log cannot be written; 4 observations wait, and are lost unless that ends");
  EXPECT_THAT(*answer_of(*site, "/metrics").body, HasSubstr("\nprescope_logs_failing{"));
}

TEST_F(SiteTest, HealthAndMetricsAreServed) {
  serve_all();
  const json health = get("/healthz");
  EXPECT_EQ(health["status"], "ok");
  EXPECT_GE(health["uptime_s"].get<double>(), 0.0);
  EXPECT_EQ(health["prescope"], get("/api/summary")["prescope"]);
  const Response metrics = answer_of(*site_, "/metrics");
  EXPECT_EQ(metrics.status, 200U);
  EXPECT_THAT(metrics.content_type, StartsWith("text/plain; version=0.0.4"));
  EXPECT_EQ(*metrics.body, metrics_text(*experiment_->latest(), 0.0));
  const auto counters = std::make_shared<ServerCounters>();
  site_->count_with(counters);
  count(*counters, Refusal::kToken);
  EXPECT_EQ(get("/healthz")["refused"]["token"], 1);
  EXPECT_THAT(*answer_of(*site_, "/metrics").body,
              AllOf(HasSubstr("\nprescope_http_refused_total{reason=\"token\"} 1"),
                    HasSubstr(*metrics.body)));
}

std::set<std::string> names_of(const MetricSamples& samples) {
  std::set<std::string> names;
  for (const auto& [name, value] : samples) names.insert(name);
  return names;
}

TEST_F(SiteTest, MetricsDoNotWaitForTheRecorder) {
  const auto held = std::make_shared<std::mutex>();  // the recorder may outlive this function
  begin({.name = "e", .arms = {"a", "b", "c"}, .on_observation = [held](const Observation&) {
           const std::lock_guard waits(*held);
         }});
  serve_all();
  EXPECT_EQ(experiment_->queue_ratio(), 0.0);
  const MetricSamples before = metric_samples(metrics_text(*experiment_->latest(), 0.0));
  std::unique_lock lock(*held);
  serve(0, "t00", {});
  auto answers = std::async(std::launch::async, [&] {
    EXPECT_EQ(get("/healthz")["status"], "ok");
    EXPECT_EQ(get("/api/summary")["summary"]["arms"][0]["topics_seen"], kSiteTopics + 2);
    return metric_samples(*answer_of(*site_, "/metrics").body);
  });
  const bool is_answered = answers.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  lock.unlock();
  ASSERT_TRUE(is_answered);
  const MetricSamples samples = answers.get();
  EXPECT_EQ(names_of(samples), names_of(before));
  EXPECT_GT(samples.at(R"(prescope_queue_ratio{experiment="e"})"), 0.0);
}

TEST_F(SiteTest, AnswersWhileTheExperimentGoesOn) {
  std::atomic<bool> is_over{false};
  std::jthread searching([&] {
    for (std::uint32_t i = 0; !is_over; ++i) {
      serve(i % 3, "t" + std::to_string(100 + i % kSiteTopics).substr(1), {DocId(1 + i % 40)});
      // Slows down, because a full queue would have to be emptied for each change.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  std::jthread changing([&] {
    for (int i = 0; i < 10; ++i) {
      experiment_->add_arm("new" + std::to_string(i));
      (void)experiment_->rejudge(
          {.judged = {{TopicId("t00"), Docno("d" + std::to_string(700 + i)), 1}}});
      std::this_thread::sleep_for(milliseconds(5));
    }
    is_over = true;
  });
  while (!is_over) {
    for (const char* const path : {"/api/summary", "/api/series", "/api/topics", "/api/sweep",
                                   "/api/topic/t00", "/healthz"}) {
      (void)get(path);
    }
    EXPECT_TRUE(json::parse(*site_->event()).is_object());
  }
}

/// A clock that the test sets.
struct SetClock {
  UtcTime utc{milliseconds(1'000'000)};
  steady_clock::time_point steady{};

  [[nodiscard]] Clocks clocks() {
    return {.utc = [this] { return utc; }, .steady = [this] { return steady; }};
  }
};

TEST_F(SiteTest, TopicsAreReadAtMostOnceASecondAndOnlyIfNew) {
  SetClock clock;
  LiveSource source(*experiment_, clock.clocks());
  const auto first = source.every_topic();
  serve_all();
  EXPECT_EQ(source.every_topic(), first) << "within the second";
  clock.steady += LiveSource::kEveryTopicAge;
  const auto second = source.every_topic();
  EXPECT_NE(second, first);
  EXPECT_EQ(second->rows.size(), kSiteTopics + 2);
  clock.steady += 10 * LiveSource::kEveryTopicAge;
  EXPECT_EQ(source.every_topic(), second) << "nothing was recorded since";
  EXPECT_EQ(source.began, UtcTime(milliseconds(1'000'000)));
  clock.utc += milliseconds(250);
  serve(0, "t00", {});
  wait_until_published();
  EXPECT_EQ(source.newest().time, UtcTime(milliseconds(1'000'250)));
}

}  // namespace
}  // namespace prescope::serve
