// The whole program on 12,242 real patents and 583 topics, against an independent BM25.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "prescope/measure.h"
#include "prescope/qrels.h"
#include "runs/run_file.h"
#include "support/plain_evaluation.h"
#include "support/workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;

const std::filesystem::path kData = std::filesystem::path(PRESCOPE_TEST_DATA) / "patent_text";

/// Compares means of an arm over all topics with those of an independent BM25 (the data's
/// SOURCE.txt).
void expect_close_to_another_bm25(const json& arm) {
  const std::pair<const char*, double> others[] = {{"PRES@100", 0.488},
                                                   {"R@100", 0.584},
                                                   {"AP@1000", 0.230},
                                                   {"PRES@1000", 0.719},
                                                   {"R@1000", 0.822}};
  for (const auto& [measure, mean] : others) {
    EXPECT_NEAR(arm["means"][measure]["mean"].get<double>(), mean, 0.05) << arm["name"] << measure;
  }
  EXPECT_EQ(arm["topics_seen"], 583);
  EXPECT_EQ(arm["relevant_missing"], 0);
}

void expect_run_scores(const std::filesystem::path& run, const json& rows, const std::string& arm) {
  const Qrels qrels =
      Qrels::load(kData / "qrels.citation.family.txt", {.docno = DocnoPolicy::kPatent});
  for (const RunOrder order : {RunOrder::kFile, RunOrder::kTrec}) {
    const auto evaluated = evaluate(qrels, load_run(run, order));
    ASSERT_EQ(evaluated.size(), rows.size());
    for (std::size_t t = 0; t < rows.size(); ++t) {
      for (const auto& [name, score] : rows[t]["arms"][arm]["scores"].items()) {
        EXPECT_EQ(Measure::parse(name).score(evaluated[t].ranks()), score.get<double>())
            << arm << ' ' << rows[t]["topic"] << ' ' << name;
      }
    }
  }
}

TEST(RealPatents, EveryTopicIsEvaluatedAndThreadsDoNotMatter) {
  if (!std::filesystem::exists(kData / "documents.jsonl.gz")) {
    GTEST_SKIP() << kData << " is absent: the real patents are not part of the project";
  }
  const Workspace workspace;
  workspace.write("experiment.toml", R"(name = 'real patents'
engine = 'lucenepp'
index = 'index'
[topics]
source = 'documents'
exclude = 'family'
[[arms]]
name = 'tfidf'
ranker = 'tfidf'
[[arms]]
name = 'bm25'
ranker = 'bm25'
)");
  const Outcome indexed = workspace.run(
      {"index", "--engine", "lucenepp", "--out", "index", kData / "documents.jsonl.gz"});
  ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  const auto replay = [&](const std::string& threads) {
    const Outcome outcome =
        workspace.run({"replay", "experiment.toml", "--qrels", kData / "qrels.citation.family.txt",
                       "--exclude-pairs", kData / "same_family_pairs.txt", "--threads", threads,
                       "--json", "result.json", "--runs-out", "runs-" + threads});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    json result = workspace.read_json("result.json");
    remove_times(result);
    return result;
  };
  const json one = replay("1");
  EXPECT_EQ(one, replay("4"));
  EXPECT_EQ(one["topics"]["run"], 583);
  EXPECT_EQ(one["topics"]["not_run"], json::array());
  EXPECT_EQ(one["summary"]["arms"][0]["topics_seen"], 583);
  expect_close_to_another_bm25(one["summary"]["arms"][1]);
  for (const std::string arm : {"tfidf", "bm25"}) {
    EXPECT_EQ(workspace.read("runs-1/" + arm + ".run"), workspace.read("runs-4/" + arm + ".run"));
    expect_run_scores(workspace.path("runs-1/" + arm + ".run"), one["summary"]["per_topic"], arm);
  }
}

TEST(RealPatents, TwoEnginesSideBySideAgreeOnBm25) {
  if (!std::filesystem::exists(kData / "documents.jsonl.gz")) {
    GTEST_SKIP() << kData << " is absent: the real patents are not part of the project";
  }
  if (!PRESCOPE_HAS_TWO_ENGINES) GTEST_SKIP() << "only one engine was built";
  const Workspace workspace;
  for (const std::string engine : {"lucenepp", "xapian"}) {
    const Outcome indexed =
        workspace.run({"index", "--engine", engine, "--out", engine, kData / "documents.jsonl.gz"});
    ASSERT_EQ(indexed.exit_code, 0) << indexed.err;
  }
  workspace.write("experiment.toml", R"(name = 'two engines'
[topics]
source = 'documents'
exclude = 'family'
[[arms]]
name = 'lucenepp'
engine = 'lucenepp'
index = 'lucenepp'
ranker = 'bm25'
[[arms]]
name = 'xapian'
engine = 'xapian'
index = 'xapian'
ranker = 'bm25'
)");
  const auto replay = [&](const std::string& threads) {
    const Outcome outcome = workspace.run(
        {"replay", "experiment.toml", "--qrels", kData / "qrels.citation.family.txt",
         "--exclude-pairs", kData / "same_family_pairs.txt", "--threads", threads, "--json", "-"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    json result = json::parse(outcome.out);
    remove_times(result);
    return result;
  };
  const json result = replay("1");
  EXPECT_EQ(result, replay("4"));
  EXPECT_EQ(result["indexes"].size(), 2U);
  for (const json& index : result["indexes"]) EXPECT_EQ(index["documents"], 12242);
  const json& arms = result["summary"]["arms"];
  for (const json& arm : arms) expect_close_to_another_bm25(arm);
  EXPECT_NEAR(arms[0]["means"]["PRES@100"]["mean"].get<double>(),
              arms[1]["means"]["PRES@100"]["mean"].get<double>(), 0.03);
}

}  // namespace
}  // namespace prescope::testing
