#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/site/site.h"
#include "support/served_rankings.h"
#include "support/site_requests.h"

namespace prescope::serve {

inline constexpr std::uint32_t kSiteTopics = 30;
inline constexpr const char* kScriptTopic = "t</script><script>alert(\"1\")</script>";
inline constexpr const char* kBadBytesTopic = "t\xff\xc3";
inline constexpr const char* kShownBadBytes = "t\xEF\xBF\xBD\xEF\xBF\xBD";
inline constexpr const char* kScriptArm = "b\"'<img src=x onerror=alert(1)>\xfe";

/// Topics t00 to t29 and two with hostile names; each judges two documents.
inline Qrels judgements_of_site() {
  std::vector<Qrels::Line> lines;
  const auto add = [&](const std::string& topic, std::uint32_t first) {
    lines.push_back({TopicId(topic), Docno("d" + std::to_string(first)), 1});
    lines.push_back({TopicId(topic), Docno("d" + std::to_string(first + 1)), 2});
  };
  for (std::uint32_t t = 0; t < kSiteTopics; ++t) {
    add("t" + std::to_string(100 + t).substr(1), 1 + t);
  }
  add(kScriptTopic, 50);
  add(kBadBytesTopic, 60);
  return Qrels::from_lines(lines);
}

class SiteTest : public ::testing::Test {
 protected:
  void SetUp() override { begin({.name = "e", .arms = {"a", kScriptArm, "c"}}); }

  void begin(ExperimentOptions options) {
    options.cutoffs = {10, 20};
    options.recording.publish_interval = std::chrono::milliseconds(10);
    site_.reset();
    experiment_.emplace(judgements_of_site(), std::move(options));
    table_ = resolve(*experiment_);
    site_ = experiment_site(*experiment_);
  }

  void serve(std::uint32_t arm, const std::string& topic, const std::vector<DocId>& docids) {
    const QueryScope scope(*experiment_, TopicId(topic));
    experiment_->observe(served(ArmIndex(arm), table_, docids));
  }

  /// Serves every topic under arms 0 and 1, some under 2; b's rankings are those of a, some ranks
  /// deeper.
  void serve_all() {
    for (const TopicQrels& topic : experiment_->qrels().topics()) {
      const auto& judged = topic.judgements();
      const auto first = static_cast<std::uint32_t>(std::stoi(judged[0].docno.text().substr(1)));
      const std::uint32_t by = first % 4;
      std::vector<DocId> docids = {DocId(900), DocId(first), DocId(first + 1)};
      serve(0, topic.id().text(), docids);
      for (std::uint32_t i = 0; i < by; ++i) docids.insert(docids.begin(), DocId(800 + i));
      serve(1, topic.id().text(), docids);
      if (first % 3 == 0) serve(2, topic.id().text(), {DocId(first)});
    }
    wait_until_published();
  }

  /// Waits until `latest` has everything.
  void wait_until_published() {
    experiment_->flush();
    const std::uint64_t recorded = experiment_->summary(SummaryDetail::kVerdicts)->health.recorded;
    while (experiment_->latest()->health.recorded < recorded) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  nlohmann::json get(const std::string& path, const Query& query = {}) {
    return document_of(*site_, path, query);
  }

  std::optional<Experiment> experiment_;
  std::shared_ptr<const ResolvedQrels> table_;
  std::unique_ptr<Handler> site_;
};

}  // namespace prescope::serve
