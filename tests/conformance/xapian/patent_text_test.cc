// Real patents and real citations: Xapian's BM25 against that of the other engines.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "conformance/xapian/database_folder.h"
#include "core/patent_file.h"
#include "prescope/experiment.h"
#include "prescope/qrels.h"
#include "xapian_engine.h"

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

void build(xapian::XapianEngine& engine, const fs::path& folder, const fs::path& documents) {
  const auto builder = engine.create(folder);
  for_each_patent(documents, [&](const PatentDocument& patent) { builder->add(patent); });
  EXPECT_EQ(builder->finish(), 12242U);
}

TEST(XapianPatentText, Bm25RanksRealCitationsAsOtherEnginesBm25Does) {
  const fs::path data = fs::path(PRESCOPE_TEST_DATA) / "patent_text";
  if (!fs::exists(data)) GTEST_SKIP() << data << " is not there";
  const ScratchFolder root;
  xapian::XapianEngine engine;
  build(engine, root.path() / "index", data / "documents.jsonl.gz");
  Experiment experiment(Qrels::load(data / "qrels.citation.family.txt"),
                        {.arms = {"bm25"}, .cutoffs = {100, 1000}});
  const auto index = engine.open(root.path() / "index", experiment);
  replay(*index, experiment, {ArmId{"bm25"}, {}}, same_family(data / "same_family_pairs.txt"));
  const auto summary = experiment.summary();
  const auto bm25 = [&](std::string_view measure) {
    for (const MeasureMean& mean : summary->arms[0].means) {
      if (mean.measure.name() == measure) return mean.mean.value_or(-1.0);
    }
    return -2.0;
  };
  EXPECT_EQ(summary->arms[0].topics_seen, 583U);
  EXPECT_EQ(summary->arms[0].relevant_missing, 0U);
  // Of the Lucene++ adapter's BM25 arm, measured on the same topics.
  EXPECT_NEAR(bm25("PRES@100"), 0.4800, 0.03);
  // Of an independent BM25, see the collection's SOURCE.txt.
  EXPECT_NEAR(bm25("R@100"), 0.584, 0.05);
  EXPECT_NEAR(bm25("AP@1000"), 0.230, 0.05);
  EXPECT_NEAR(bm25("PRES@1000"), 0.719, 0.05);
  EXPECT_NEAR(bm25("R@1000"), 0.822, 0.05);
}

}  // namespace
}  // namespace prescope::conformance
