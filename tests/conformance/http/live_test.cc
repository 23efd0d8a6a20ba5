// Engines over HTTP in a live experiment: one arm serves, the other searches for comparison.
#include "conformance/http/search_front.h"
#include "prescope/qrels.h"
#include "prescope/served_request.h"

namespace prescope::conformance {
namespace {

using ::testing::SizeIs;

class HttpLive : public SearchFront {
 protected:
  static constexpr int kTopics = 20;

  static Qrels citations() {
    std::vector<Qrels::Line> lines;
    for (int t = 0; t < kTopics; ++t) {
      lines.push_back({TopicId(fmt::format("T{}", t)), Docno(fmt::format("EP{}", 60 - t)), 1});
    }
    return Qrels::from_lines(lines, {});
  }
  /// Serves each topic once by arm a, and compares it with arm b of these settings.
  std::shared_ptr<const Summary> serve(const Settings& of_b) {
    Experiment experiment(citations(),
                          {.arms = {"a", "b"}, .cutoffs = {10}, .mode = Mode::kPaired});
    const FrontArm arm_a = arm_of("opensearch"), arm_b = arm_of("solr", "tfidf");
    http::ObservedHttp index_a(front_->url() + arm_a.index, experiment);
    http::ObservedHttp index_b(front_->url() + arm_b.index, experiment);
    ArmConfig config_b = config(arm_b, of_b);
    config_b.id = ArmId("b");
    const std::vector searchers{index_a.searcher(config(arm_a)), index_b.searcher(config_b)};
    for (int t = 0; t < kTopics; ++t) {
      const std::string topic = fmt::format("T{}", t);
      const ServedRequest served(
          experiment, {.topic = topic, .arm = ArmIndex(0)}, [searchers](ArmIndex arm) {
            return searchers[arm.value()].search({.text = "valve", .depth = 10});
          });
      EXPECT_THAT((*served).docnos, SizeIs(10));
    }
    experiment.drain_shadow();
    return experiment.summary();
  }
};

TEST_F(HttpLive, AnArmSearchesForComparison) {
  const auto summary = serve({});
  EXPECT_EQ(summary->epoch.compared_visits, 20U);
  EXPECT_EQ(summary->epoch.incomplete_visits, 0U);
  EXPECT_EQ(summary->health.shadow_failed, 0U);
}

// A search for comparison that fails has found nothing, and users do not notice.
TEST_F(HttpLive, AFailureOfAComparedArmIsItsOwn) {
  const auto summary = serve({{"headers.X-Fault", "503"}, {"retries", "0"}});
  EXPECT_EQ(summary->epoch.compared_visits, 20U);
  EXPECT_EQ(summary->health.shadow_failed, 20U);
  EXPECT_EQ(summary->arms[0].failed_queries, 0U);
  ASSERT_THAT(summary->pairs, SizeIs(1));
}

}  // namespace
}  // namespace prescope::conformance
