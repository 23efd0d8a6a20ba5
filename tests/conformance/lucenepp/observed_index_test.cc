#include "prescope/lucenepp/observed_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <random>

#include "conformance/lucenepp/faulty_reader.h"
#include "conformance/lucenepp/lucene_index.h"
#include "conformance/watched.h"
#include "prescope/error.h"

namespace prescope::conformance {
namespace {

using lucenepp::ObservedIndex;
using testing::HasSubstr;
using testing::IsEmpty;

/// Every live document, its stored docno compared with every judged key: the definition.
std::vector<Resolution> by_brute_force(const Lucene::IndexReaderPtr& reader,
                                       const JudgedDocnos& judged) {
  std::vector<Resolution> found;
  for (int32_t docid = 0; docid < reader->maxDoc(); ++docid) {
    if (reader->isDeleted(docid)) continue;
    const Docno docno{Lucene::StringUtils::toUTF8(reader->document(docid)->get(L"docno"))};
    const std::string key = judged.docnos().key(docno);
    for (std::uint32_t i = 0; i < judged.num_keys(); ++i) {
      if (judged.key(i) == key) found.push_back({i, DocId{static_cast<std::uint32_t>(docid)}});
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void expect_complete(const ObservedIndex& observed, const Experiment& experiment) {
  const auto resolved = observed.resolved();
  ASSERT_NE(resolved, nullptr);
  const std::vector<Resolution> expected = by_brute_force(observed.reader(), experiment.judged());
  std::vector<Resolution> found(resolved->resolutions().begin(), resolved->resolutions().end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
  EXPECT_EQ(resolved->collection_size(), std::uint64_t(observed.reader()->numDocs()));
  std::vector<std::uint32_t> missing;
  for (std::uint32_t key = 0; key < experiment.judged().num_keys(); ++key) {
    const auto carries = [&](const Resolution& one) { return one.key == key; };
    if (std::none_of(expected.begin(), expected.end(), carries)) missing.push_back(key);
  }
  EXPECT_EQ(
      std::vector<std::uint32_t>(resolved->missing_keys().begin(), resolved->missing_keys().end()),
      missing);
}

/// 600 documents in three segments: EP0A1 .. EP299A1, of each of which a third also has a B1.
std::vector<std::vector<Doc>> segments() {
  std::vector<std::vector<Doc>> segments(3);
  std::mt19937 random(20);
  for (int i = 0; i < 300; ++i) {
    const std::string number = "EP" + std::to_string(1000 + i);
    segments[random() % 3].push_back({number + "A1", "valve"});
    if (i % 3 == 0) segments[random() % 3].push_back({number + "-B1", "valve"});
  }
  return segments;
}

/// Cites 100 of those patents, and three that no document carries.
Watched::Citations citations() {
  Watched::Citations citations = {{"T0", "EP1"}, {"T1", "EP2"}, {"T2", "EP3"}};
  for (int i = 0; i < 300; i += 3) {
    citations.emplace_back("T" + std::to_string(i % 10), "EP" + std::to_string(1000 + i));
    citations.emplace_back("T" + std::to_string(i % 7), "EP" + std::to_string(1000 + i) + "B1");
  }
  return citations;
}

class ReopenTest : public ::testing::TestWithParam<DocnoPolicy> {
 protected:
  ReopenTest() {
    for (const auto& docs : segments()) index_.add(docs);
    observed_ = std::make_unique<ObservedIndex>(index_.open(), experiment_);
  }

  LuceneIndex index_;
  Watched watched_{citations(), {.docno = GetParam()}};
  Experiment& experiment_ = watched_.experiment();
  std::unique_ptr<ObservedIndex> observed_;
};

TEST_P(ReopenTest, TheTableIsCompleteAfterAddDeleteAndOptimize) {
  expect_complete(*observed_, experiment_);
  EXPECT_FALSE(observed_->reopen());  // nothing has changed

  index_.add({{"EP1", "valve"}, {"EP1003A9", "valve"}});
  EXPECT_TRUE(observed_->reopen());
  expect_complete(*observed_, experiment_);

  for (int i = 0; i < 300; i += 6) index_.remove("EP" + std::to_string(1000 + i) + "A1");
  EXPECT_TRUE(observed_->reopen());
  expect_complete(*observed_, experiment_);

  index_.optimize();
  EXPECT_TRUE(observed_->reopen());
  expect_complete(*observed_, experiment_);
}

TEST_P(ReopenTest, ReaddedDocumentsAreFoundAgain) {
  index_.remove("EP1006A1");
  ObservedIndex observed(index_.open(), experiment_);
  // The number of deletions is as before, but another document is deleted.
  index_.undelete_all();
  index_.remove("EP1009A1");
  EXPECT_TRUE(observed.reopen());
  expect_complete(observed, experiment_);
}

INSTANTIATE_TEST_SUITE_P(Policies, ReopenTest,
                         testing::Values(DocnoPolicy::kRaw, DocnoPolicy::kPublication,
                                         DocnoPolicy::kPatent),
                         [](const auto& policy) { return std::string(to_string(policy.param)); });

TEST(ObservedIndex, OnlyNewSegmentsAreScannedAfterAReopen) {
  LuceneIndex index(valves(4));
  index.add({{"EP5", "valve"}});
  Watched watched(Watched::Citations{{"T1", "EP1"}, {"T1", "EP6"}});
  const auto faults = std::make_shared<Faults>();
  ObservedIndex observed(FaultyReader::wrap_segments(index.open(), faults), watched.experiment());
  EXPECT_EQ(faults->scans, 2);
  index.remove("EP1");
  index.add({{"EP6", "valve"}});
  // A completely new reader: segments are only remembered while they exist, and these were opened
  // again.
  observed.reopen(FaultyReader::wrap_segments(index.open(), faults));
  EXPECT_EQ(faults->scans, 2 + 3);
  const Lucene::IndexReaderPtr inner = index.open();
  observed.reopen(FaultyReader::wrap_segments(inner, faults));
  EXPECT_EQ(faults->scans, 5 + 3);
  index.remove("EP2");
  index.add({{"EP7", "valve"}});
  observed.reopen(FaultyReader::wrap_segments(inner->reopen(), faults));
  EXPECT_EQ(faults->scans, 8 + 1);
  expect_complete(observed, watched.experiment());
}

TEST(ObservedIndex, NestedReadersHaveTheDocidsOfTheSearcher) {
  LuceneIndex first(valves(3));
  first.add({{"EP4", "valve"}});
  const LuceneIndex second({{"EP5", "valve"}, {"EP6", "pump"}});
  auto inner = Lucene::Collection<Lucene::IndexReaderPtr>::newInstance();
  inner.add(second.open());
  inner.add(first.open());
  auto outer = Lucene::Collection<Lucene::IndexReaderPtr>::newInstance();
  outer.add(Lucene::newLucene<Lucene::MultiReader>(inner, false));
  outer.add(second.open());
  Watched watched(Watched::Citations{{"T1", "EP4"}, {"T1", "EP5"}, {"T1", "EP6"}});
  const ObservedIndex observed(Lucene::newLucene<Lucene::MultiReader>(outer, false),
                               watched.experiment());
  expect_complete(observed, watched.experiment());
}

TEST(ObservedIndex, ReopenCanBeRetriedAfterAFailedResolution) {
  LuceneIndex index(valves(4));
  Watched watched(Watched::Citations{{"T1", "EP4"}});
  const auto faults = std::make_shared<Faults>();
  ObservedIndex observed(FaultyReader::wrap_segments(index.open(), faults), watched.experiment());
  index.add({{"EP5", "valve"}});
  faults->terms_throw = true;
  const Lucene::IndexReaderPtr next = FaultyReader::wrap_segments(index.open(), faults);
  EXPECT_NO_THROW(observed.reopen(next));
  EXPECT_EQ(observed.resolved(), nullptr);
  EXPECT_EQ(observed.reader(), next);
  faults->terms_throw = false;
  observed.reopen(next);
  expect_complete(observed, watched.experiment());
  EXPECT_EQ(watched.experiment().summary()->health.adapter_failures, 1U);
}

TEST(ObservedIndex, SearchersAreMadeOfTheOldReaderDuringAReopen) {
  const LuceneIndex index(valves(4));
  Watched watched(Watched::Citations{{"T1", "EP4"}});
  const auto faults = std::make_shared<Faults>();
  const auto next = FaultyReader::wrap_segments(index.open(), faults);
  ObservedIndex observed(index.open(), watched.experiment());
  const Lucene::IndexReaderPtr old = observed.reader();

  std::future<Lucene::IndexReaderPtr> searched;
  auto while_resolving = std::future_status::deferred;
  faults->during_resolving = [&] {
    searched = std::async(std::launch::async, [&] {
      static_cast<void>(observed.resolved());
      return observed.searcher("a")->getIndexReader();
    });
    // It is ready at once, or it waits for the reopening, which does not end before this.
    while_resolving = searched.wait_for(std::chrono::seconds(20));
  };
  observed.reopen(next);
  EXPECT_EQ(while_resolving, std::future_status::ready);
  EXPECT_EQ(searched.get(), old);
  EXPECT_EQ(observed.searcher("a")->getIndexReader(), next);
}

TEST(ObservedIndex, ExperimentKnowsTheNewestTableOfAnArmThatCameDuringAReopen) {
  // EP4 is missing from the old index only.
  const LuceneIndex before(valves(3)), after(valves(4));
  Watched watched(Watched::Citations{{"T1", "EP4"}});
  const auto faults = std::make_shared<Faults>();
  ObservedIndex observed(before.open(), watched.experiment());
  faults->during_resolving = [&] { static_cast<void>(observed.searcher("b")); };
  observed.reopen(FaultyReader::wrap_segments(after.open(), faults));
  EXPECT_EQ(watched.experiment().summary()->arms[1].relevant_missing, 0U);
}

TEST(ObservedIndex, DocnosLongerThanAnyBufferAreFound) {
  const std::string ascii(300, 'x');
  std::string other;
  while (other.size() < 300) other += "Ω";
  const LuceneIndex index({{ascii, "valve"}, {other, "valve"}});
  Watched watched(Watched::Citations{{"T1", ascii}, {"T1", other}});
  const ObservedIndex observed(index.open(), watched.experiment());
  EXPECT_THAT(observed.resolved()->missing_keys(), IsEmpty());
  expect_complete(observed, watched.experiment());
}

TEST(ObservedIndex, FailedReopenThrowsAndKeepsTheGeneration) {
  const LuceneIndex index(valves(4));
  Watched watched(Watched::Citations{{"T1", "EP4"}});
  const Lucene::IndexReaderPtr reader = index.open();
  ObservedIndex observed(reader, watched.experiment());
  const auto before = observed.resolved();
  reader->close();
  EXPECT_THROW(observed.reopen(), Lucene::AlreadyClosedException);
  EXPECT_EQ(observed.resolved(), before);
}

TEST(ObservedIndex, SetUpOnAReaderThatFailsThrows) {
  const LuceneIndex index(valves(4));
  Watched watched(Watched::Citations{{"T1", "EP4"}});
  const auto faults = std::make_shared<Faults>();
  faults->terms_throw = true;
  const auto faulty = FaultyReader::wrap_segments(index.open(), faults);
  const auto closed = index.open();
  closed->close();
  for (const Lucene::IndexReaderPtr& reader : {faulty, closed}) {
    try {
      const ObservedIndex observed(reader, watched.experiment());
      FAIL() << "expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kEngine);
      EXPECT_THAT(error.what(), HasSubstr("resolving the judged documents: Lucene++ failed: "));
    }
  }
}

TEST(ObservedIndex, AnIndexWithoutTheDocnoFieldIsRefused) {
  const LuceneIndex index(valves(2));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  try {
    const ObservedIndex observed(index.open(), watched.experiment(), {.docno_field = L"number"});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kEngine);
    EXPECT_THAT(error.what(), HasSubstr("no indexed field 'number'"));
  }
}

}  // namespace
}  // namespace prescope::conformance
