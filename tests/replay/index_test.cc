#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

TEST(Index, ReadsSeveralFilesPlainAndGzip) {
  const Workspace workspace;
  workspace.write("a.jsonl",
                  "{\"id\": \"EP1A1\", \"title\": \"one\", \"unknown\": {\"x\": [1]}}\n");
  workspace.write_gzip("b.jsonl.gz",
                       "{\"id\": \"EP2A1\"}\n{\"id\": \"EP3A1\", \"abstract\": null}\n");
  const Outcome outcome = workspace.run(
      {"index", "--engine", test_module("toy"), "--out", "index", "a.jsonl", "b.jsonl.gz"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "3 documents indexed into index with toy 1\n");
}

TEST(Index, NothingToIndexIsAnError) {
  const Workspace workspace;
  workspace.write("empty.jsonl", "");
  const Outcome outcome =
      workspace.run({"index", "--engine", test_module("toy"), "--out", "index", "empty.jsonl"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("empty.jsonl: no documents"));
  EXPECT_FALSE(workspace.has("index"));
}

TEST(Index, LuceneIndexIsReplacedOnlyWhenTheNewOneIsComplete) {
  const Workspace workspace;
  workspace.write("good.jsonl", "{\"id\": \"EP1A1\", \"title\": \"gear\"}\n");
  workspace.write("bad.jsonl", "{\"id\": \"EP2A1\", \"title\": \"pump\"}\n{\n");
  workspace.write("qrels.txt", "EP1A1 0 EP1A1 1\n");
  workspace.write("experiment.toml", R"(engine = 'lucenepp'
index = 'index'
qrels.path = 'qrels.txt'
topics.exclude = 'none'
[[arms]]
name = 'bm25'
)");
  const auto index = [&](const char* file) {
    return workspace.run({"index", "--engine", "lucenepp", "--out", "index", file}).exit_code;
  };
  ASSERT_EQ(index("good.jsonl"), 0);
  EXPECT_EQ(index("bad.jsonl"), 2);
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["index"]["documents"], 1);
  EXPECT_EQ(index("good.jsonl"), 0);
}

}  // namespace
}  // namespace prescope::testing
