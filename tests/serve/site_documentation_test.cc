// The page on the JSON over HTTP keeps up with the server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "serve/site/site.h"
#include "serve/site/topic_list.h"
#include "support/scratch_file.h"
#include "support/served_rankings.h"
#include "support/site_requests.h"

namespace prescope::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string http_json_page() {
  return content_of(std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs/http-json.md");
}

/// Keys whose own keys are names: of measures, of reasons.
bool has_names(const std::string& key) {
  return key == "means" || key == "scores" || key == "measures" || key == "differences" ||
         key == "refused";
}

void collect_site_keys(const json& value, std::set<std::string>& keys, bool are_names = false) {
  if (value.is_array()) {
    for (const json& item : value) collect_site_keys(item, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    if (!are_names) keys.insert(key);
    if (key == "summary") continue;  // documented with the replay's JSON
    collect_site_keys(member, keys, has_names(key));
  }
}

TEST(SiteDocumentation, NamesEveryPathParameterAndKey) {
  Experiment experiment(Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("d1")}}),
                        {.arms = {"a", "b"}, .cutoffs = {5}});
  const auto table = resolve(experiment);
  for (const std::uint32_t arm : {0U, 1U}) {
    const QueryScope scope(experiment, TopicId("t"));
    const std::vector<DocId> docids = {DocId(1)};
    experiment.observe(served(ArmIndex(arm), table, docids));
  }
  const auto site = experiment_site(experiment);
  site->count_with(std::make_shared<const ServerCounters>());
  std::set<std::string> keys = {"error"};
  const std::string page = http_json_page();
  for (const char* const path :
       {"/api/summary", "/api/series", "/api/topics", "/api/topic/t", "/api/sweep", "/healthz"}) {
    collect_site_keys(document_of(*site, path), keys);
  }
  collect_site_keys(json::parse(*site->event()), keys);
  EXPECT_GT(keys.size(), 50U);
  for (const std::string& key : keys) EXPECT_THAT(page, HasSubstr("`" + key + "`")) << key;

  const std::string paths = refusal_by(*site, 404, "/x");
  for (const char* const path :
       {"/api/summary", "/api/series", "/api/topics", "/api/topic/ID", "/api/sweep", "/api/history",
        "/api/compare", "/api/events", "/metrics", "/healthz"}) {
    EXPECT_THAT(paths, HasSubstr(path));
    EXPECT_THAT(page, HasSubstr(std::string("`GET ") + path)) << path;
  }
  for (const std::string_view name : kTopicsParameters) {
    EXPECT_THAT(page, HasSubstr("`" + std::string(name) + "`")) << name;
  }
  for (const std::string_view sort : kTopicSorts) {
    EXPECT_THAT(page, HasSubstr("`" + std::string(sort) + "`")) << sort;
  }
}

}  // namespace
}  // namespace prescope::serve
