// Real patents and real citations, against an independent BM25 (see the collection's SOURCE.txt).
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "core/patent_file.h"
#include "lucene_engine.h"
#include "prescope/experiment.h"
#include "prescope/qrels.h"

#include <lucene++/Lucene.h>

#include <lucene++/BooleanQuery.h>

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;

/// What must not be served for a topic: the patent itself and its family.
std::multimap<std::string, std::string> same_family(const fs::path& file) {
  std::multimap<std::string, std::string> pairs;
  std::ifstream in(file);
  for (std::string topic, docno; in >> topic >> docno;) pairs.emplace(topic, docno);
  return pairs;
}

void replay(SearchIndex& index, Experiment& experiment, const ArmConfig& arm,
            const std::multimap<std::string, std::string>& families) {
  const auto searcher = index.searcher(arm);
  for (const TopicQrels& topic : experiment.qrels().topics()) {
    const auto patent = index.document(Docno{topic.id().text()});
    ASSERT_TRUE(patent.has_value()) << topic.id().text();
    std::vector<Docno> excluded = {patent->docno};
    excluded.insert(excluded.end(), patent->family.begin(), patent->family.end());
    const auto [first, last] = families.equal_range(topic.id().text());
    for (auto pair = first; pair != last; ++pair) excluded.emplace_back(pair->second);
    QueryScope scope(experiment, topic.id());
    searcher->search(patent->title + " " + patent->abstract, excluded, 1000, nullptr);
  }
}

TEST(PatentText, Bm25RanksRealCitationsLikeAnIndependentBm25) {
  const fs::path data = fs::path(PRESCOPE_TEST_DATA) / "patent_text";
  if (!fs::exists(data)) GTEST_SKIP() << data << " is not there";
  std::string root = (fs::temp_directory_path() / "prescope-XXXXXX").string();
  ASSERT_NE(::mkdtemp(root.data()), nullptr);
  const int32_t usual_clauses = Lucene::BooleanQuery::getMaxClauseCount();
  Lucene::BooleanQuery::setMaxClauseCount(1'000'000);
  lucenepp::LuceneEngine engine;
  {
    const auto builder = engine.create(fs::path(root) / "index");
    for_each_patent(data / "documents.jsonl.gz",
                    [&](const PatentDocument& patent) { builder->add(patent); });
    EXPECT_EQ(builder->finish(), 12242U);
  }
  Experiment experiment(Qrels::load(data / "qrels.citation.family.txt"),
                        {.arms = {"tfidf", "bm25"}, .cutoffs = {100, 1000}});
  const auto index = engine.open(fs::path(root) / "index", experiment);
  const auto families = same_family(data / "same_family_pairs.txt");
  for (const char* arm : {"tfidf", "bm25"}) {
    replay(*index, experiment, {ArmId{arm}, {{"ranker", arm, "test"}}}, families);
  }
  Lucene::BooleanQuery::setMaxClauseCount(usual_clauses);
  const auto summary = experiment.summary();
  const auto bm25 = [&](std::string_view measure) {
    for (const MeasureMean& mean : summary->arms[1].means) {
      if (mean.measure.name() == measure) return mean.mean.value_or(-1.0);
    }
    return -2.0;
  };
  EXPECT_EQ(summary->arms[0].topics_seen, 583U);
  EXPECT_EQ(summary->arms[1].topics_seen, 583U);
  EXPECT_EQ(summary->arms[1].relevant_missing, 0U);
  EXPECT_NEAR(bm25("PRES@100"), 0.488, 0.05);
  EXPECT_NEAR(bm25("R@100"), 0.584, 0.05);
  EXPECT_NEAR(bm25("AP@1000"), 0.230, 0.05);
  EXPECT_NEAR(bm25("PRES@1000"), 0.719, 0.05);
  EXPECT_NEAR(bm25("R@1000"), 0.822, 0.05);
  fs::remove_all(root);
}

}  // namespace
}  // namespace prescope::conformance
