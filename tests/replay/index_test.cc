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
  EXPECT_THAT(outcome.err, HasSubstr("no document has a field 'abstract'"));
  EXPECT_THAT(outcome.err, HasSubstr("2 of 3 documents have no text that can be searched"));
}

TEST(Index, NamesALargeDocumentBeforeTheEngineHasIt) {
  const Workspace workspace;
  workspace.write("large.jsonl", "{\"id\": \"EP1A1\", \"description\": \"" +
                                     std::string(9U << 20U, 'x') + "\"}\n");
  const Outcome outcome =
      workspace.run({"index", "--engine", test_module("toy"), "--out", "index", "large.jsonl"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("document EP1A1, 9 MB of text"));
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
