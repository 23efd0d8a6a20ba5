#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/watched.h"
#include "prescope/http/observed_http.h"
#include "support/lucene_front/lucene_front.h"
#include "support/scratch_file.h"

namespace prescope::conformance {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Settings of an arm for each kind of server that the front can be.
struct FrontArm {
  std::string server;
  std::string index;  ///< follows the front's URL
  Settings settings;
};

inline FrontArm arm_of(const std::string& server, const std::string& ranking = "bm25") {
  if (server == "solr") return {server, "/solr/" + ranking, {{"query", "q={{QUERY}}"}}};
  if (server == "vespa") return {server, "/vespa/" + ranking, {}};
  if (server == "json") {
    return {server,
            "/plain/" + ranking,
            {{"path", "?q={{QUERY}}&n={{DEPTH}}&from={{OFFSET}}"},
             {"hits", "/results"},
             {"docno", "/patent/number"},
             {"total", "/meta/matches"},
             {"partial", "/meta/complete=false"}}};
  }
  const std::string before = server == "elasticsearch" ? "/elasticsearch/" : "/";
  return {server, before + ranking, {{"query", R"({"match":{"text":{{QUERY}}}})"}}};
}

/// One server for all tests of the program, with 60 patents: EPi has the word "valve" i times
/// among 60 words, so that EP60 comes first.
class SearchFront : public ::testing::Test {
 protected:
  static constexpr int kPatents = 60;

  static void SetUpTestSuite() {
    if (!testing::LuceneFront::why_not().empty() || front_ != nullptr) return;
    static const ScratchFolder folder;
    std::string lines;
    for (int i = 1; i <= kPatents; ++i) {
      std::string text;
      for (int word = 0; word < kPatents; ++word) text += word < i ? "valve " : "pump ";
      lines += fmt::format(R"({{"id":"EP{}","title":"","abstract":"{}"}})", i, text) + "\n";
    }
    front_ = new testing::LuceneFront(folder.write("patents.jsonl", lines));
  }
  void SetUp() override {
    if (front_ == nullptr) GTEST_SKIP() << testing::LuceneFront::why_not();
    front_->set_fault("503", 0);
  }

  [[nodiscard]] static ArmConfig config(const FrontArm& arm, const Settings& more = {}) {
    ArmConfig made{ArmId("a"), {{"server", arm.server, "x.toml:1"}}};
    for (const auto& [key, value] : arm.settings) made.settings.push_back({key, value, "x.toml:2"});
    for (const auto& [key, value] : more) made.settings.push_back({key, value, "x.toml:3"});
    return made;
  }
  [[nodiscard]] http::HttpSearcher searcher(const FrontArm& arm, const Settings& more = {}) {
    observed_ =
        std::make_unique<http::ObservedHttp>(front_->url() + arm.index, watched_.experiment());
    return observed_->searcher(config(arm, more));
  }
  /// Searches for "valve" as a user's request for topic T.
  http::Answer search(const http::HttpSearcher& searcher, std::uint32_t depth = 10,
                      Rank first_rank = 1) {
    const QueryScope scope(watched_.experiment(), TopicId("T"));
    return searcher.search(
        {.text = "valve", .topic = "T", .depth = depth, .first_rank = first_rank});
  }
  [[nodiscard]] ArmSummary counted() { return watched_.experiment().summary()->arms[0]; }

  /// Returns EPfirst, EP(first - 1), ..., `count` in all.
  [[nodiscard]] static std::vector<std::string> from(int first, int count) {
    std::vector<std::string> docnos;
    for (int i = 0; i < count; ++i) docnos.push_back(fmt::format("EP{}", first - i));
    return docnos;
  }

  static inline testing::LuceneFront* front_ = nullptr;  // until the program ends
  Watched watched_{Watched::Citations{{"T", "EP60"}, {"T", "EP55"}, {"T", "EP3"}}};
  std::unique_ptr<http::ObservedHttp> observed_;
};

}  // namespace prescope::conformance
