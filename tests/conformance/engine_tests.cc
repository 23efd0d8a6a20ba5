// What the program may expect of every engine module that writes indexes.
#include "conformance/engine_tests.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "conformance/subject.h"

namespace prescope::conformance {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

PatentDocument patent(const std::string& docno, const std::string& abstract) {
  PatentDocument patent;
  patent.docno = Docno{docno};
  patent.abstract = abstract;
  return patent;
}

std::vector<PatentDocument> valve_patents(std::uint32_t n) {
  std::vector<PatentDocument> patents;
  for (const Doc& doc : valves(n)) patents.push_back(patent(doc.docno, doc.text));
  return patents;
}

std::vector<std::string> docnos(const std::vector<Hit>& hits) {
  std::vector<std::string> docnos;
  for (const Hit& hit : hits) docnos.push_back(hit.docno.text());
  return docnos;
}

void EngineTest::build(const std::vector<PatentDocument>& documents, const fs::path& into) {
  const auto builder = engine_->create(into);
  for (const PatentDocument& document : documents) builder->add(document);
  EXPECT_EQ(builder->finish(), documents.size());
}

std::vector<std::string> EngineTest::search(SearchIndex& index, const char* text,
                                            std::span<const Docno> excluded, std::uint32_t depth) {
  std::vector<Hit> hits = {{Docno{"stale"}, 1.0F}};
  const std::uint32_t count =
      index.searcher(kArm)->search({.text = text, .exclude = excluded, .depth = depth}, &hits);
  EXPECT_EQ(count, hits.size());
  return docnos(hits);
}

std::vector<std::string> EngineConformance::left_in_root() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_.path())) {
    names.push_back(entry.path().filename());
  }
  return names;
}

TEST_P(EngineConformance, NamesItselfItsVersionAndItsSettings) {
  EXPECT_EQ(engine_->name(), GetParam().engine_name);
  EXPECT_TRUE(engine_->version().starts_with(GetParam().version_prefix));
  EXPECT_FALSE(engine_->arm_settings().empty());
}

TEST_P(EngineConformance, StoredFieldsComeBackAsTheyWere) {
  const PatentDocument written = {.docno = Docno{"ÄP 1-Ω"},
                                  .title = "Ventil für Öl",
                                  .abstract = "特許 valve",
                                  .claims = "1. A valve.",
                                  .description = "It opens.",
                                  .ipc = {"F16K 1/00", "F16K 3/00"},
                                  .family = {Docno{"ÄP 1-Ω"}, Docno{"US1"}}};
  build({written, patent("EP2", "pump")});
  Watched watched(Watched::Citations{{"T1", "EP2"}});
  const auto index = open(watched);
  EXPECT_EQ(index->num_documents(), 2U);
  const auto read = index->document(written.docno);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->docno, written.docno);
  EXPECT_EQ(read->title, written.title);
  EXPECT_EQ(read->abstract, written.abstract);
  EXPECT_EQ(read->ipc, written.ipc);
  EXPECT_EQ(read->family, written.family);
  EXPECT_FALSE(index->document(Docno{"EP3"}).has_value());
}

TEST_P(EngineConformance, DocumentPrefersTheEquallySpelledPublication) {
  build({patent("EP0000005A1", "first"), patent("EP5B1", "second")});
  Watched watched(Watched::Citations{{"T1", "EP5"}}, {.docno = DocnoPolicy::kPatent});
  const auto index = open(watched);
  EXPECT_EQ(index->document(Docno{"EP5B1"})->abstract, "second");
  EXPECT_EQ(index->document(Docno{"EP-5-C"})->abstract, "first");
}

TEST_P(EngineConformance, SearchesEveryTextFieldAndIsObserved) {
  std::vector<PatentDocument> patents = {patent("EP1", ""), patent("EP2", "a brass valve"),
                                         patent("EP3", ""), patent("EP4", ""),
                                         patent("EP5", "an iron pump")};
  patents[0].title = "brass valves";
  patents[2].claims = "A brass valve.";
  patents[3].description = "The brass valve opens.";
  build(patents);
  Watched watched(Watched::Citations{{"T1", "EP3"}});
  const auto index = open(watched);
  std::vector<std::string> served;
  {
    const QueryScope scope(watched.experiment(), TopicId{"T1"});
    served = search(*index, "Brass VALVES");
  }
  EXPECT_THAT(served, testing::UnorderedElementsAre("EP1", "EP2", "EP3", "EP4"));
  const std::vector<Rank> ranks = watched.only_ranks();
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(served[ranks[0] - 1], "EP3");
  // Making the arm's searcher was not observed.
  EXPECT_EQ(watched.experiment().summary()->health.queries_without_scope, 0U);
}

TEST_P(EngineConformance, HitsAreInServedOrderUpToTheDepth) {
  build(valve_patents(5));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = open(watched);
  const auto searcher = index->searcher(kArm);
  std::vector<Hit> hits = {{Docno{"stale"}, 1.0F}};
  EXPECT_EQ(searcher->search({.text = "valve", .depth = 3}, &hits), 3U);
  EXPECT_THAT(docnos(hits), ElementsAre("EP5", "EP4", "EP3"));
  EXPECT_GT(hits[0].score, hits[1].score);
  EXPECT_EQ(searcher->search({.text = "valve", .depth = UINT32_MAX}, nullptr), 5U);
  EXPECT_THROW(searcher->search({.text = "valve", .depth = 0}, nullptr), Error);
}

TEST_P(EngineConformance, ExcludedDocumentsAreLeftOutAndNoScoreChanges) {
  build(valve_patents(8));
  Watched watched(Watched::Citations{{"T1", "EP1"}}, {.docno = DocnoPolicy::kPatent});
  const auto index = open(watched);
  for (const std::string& ranker : GetParam().rankers) {
    SCOPED_TRACE(ranker);
    const auto searcher = index->searcher({ArmId{"a"}, {{"ranker", ranker, "here"}}});
    for (const char* text : {"valve", "valve pump", "valve pump pump absent"}) {
      std::vector<Hit> all;
      std::vector<Hit> rest;
      searcher->search({.text = text, .depth = 10}, &all);
      // Excluded by their keys: EP-8-A1 is EP8. EP77 does not exist.
      const std::vector<Docno> excluded = {Docno{"EP-8-A1"}, Docno{"EP2"}, Docno{"EP77"}};
      searcher->search({.text = text, .exclude = excluded, .depth = 10}, &rest);
      std::erase_if(all, [](const Hit& hit) {
        return hit.docno.text() == "EP8" || hit.docno.text() == "EP2";
      });
      ASSERT_EQ(all.size(), 6U);
      ASSERT_EQ(docnos(rest), docnos(all));
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(rest[i].score, all[i].score);
    }
  }
}

TEST_P(EngineConformance, ExcludedDocumentsDoNotReduceTheDepth) {
  build(valve_patents(5));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = open(watched);
  const std::vector<Docno> excluded = {Docno{"EP5"}};
  EXPECT_THAT(search(*index, "valve", excluded, 2), ElementsAre("EP4", "EP3"));
}

TEST_P(EngineConformance, ExclusionsOfATopicAreNotAUsersFilter) {
  build(valve_patents(5));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = open(watched);
  const std::vector<Docno> excluded = {Docno{"EP5"}};
  {
    const QueryScope scope(watched.experiment(), TopicId{"T1"});
    search(*index, "valve", excluded);
  }
  EXPECT_THAT(watched.only_ranks(), ElementsAre(4));
  EXPECT_EQ(watched.seen()[0].facts.flags, RankingFlags::kNone);
}

TEST_P(EngineConformance, ThreadsSearchLikeOne) {
  build(valve_patents(8));
  Watched watched(Watched::Citations{{"T1", "EP6"}});
  const auto index = open(watched);
  const auto searcher = index->searcher(kArm);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int query = 0; query < 20; ++query) {
        std::vector<Hit> hits;
        const QueryScope scope(watched.experiment(), TopicId{"T1"});
        searcher->search({.text = "valve", .depth = 4}, &hits);
        EXPECT_THAT(docnos(hits), ElementsAre("EP8", "EP7", "EP6", "EP5"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<Seen> seen = watched.seen();
  EXPECT_EQ(seen.size(), 160U);
  for (const Seen& one : seen) EXPECT_EQ(one.hits, (std::vector<JudgedHit>{{3, {}}}));
}

TEST_P(EngineConformance, AnEmptyIndexIsServedAndObserved) {
  build({});
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = open(watched);
  for (const std::vector<Docno>& excluded : {std::vector<Docno>{}, {Docno{"EP1"}}}) {
    const QueryScope scope(watched.experiment(), TopicId{"T1"});
    EXPECT_THAT(search(*index, "valve", excluded), IsEmpty());
  }
  const std::vector<Seen> seen = watched.seen();
  ASSERT_EQ(seen.size(), 2U);
  for (const Seen& one : seen) EXPECT_THAT(one.hits, IsEmpty());
}

TEST_P(EngineConformance, AnUnknownArmAndABadSettingAreUsageErrors) {
  build(valve_patents(1));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const auto index = open(watched);
  expect_error(ErrorCode::kUsage, "'c'", [&] { return index->searcher({ArmId{"c"}, {}}); });
  expect_error(ErrorCode::kUsage, "x:1: unknown arm setting 'kk1'; did you mean 'k1'?", [&] {
    return index->searcher({ArmId{"a"}, {{"kk1", "1", "x:1"}}});
  });
}

TEST_P(EngineConformance, DocumentsThatCannotBeIndexedAreRefused) {
  const auto builder = engine_->create(folder());
  const auto add = [&](const std::string& docno, const std::string& claims = "valve") {
    PatentDocument document = patent(docno, "valve");
    document.claims = claims;
    builder->add(document);
    return 0;
  };
  const std::string longest(GetParam().longest_docno, 'x');
  expect_error(ErrorCode::kBadInput, "without a docno", [&] { return add(""); });
  expect_error(ErrorCode::kBadInput,
               "a docno of " + std::to_string(longest.size() + 1) + " bytes; expected at most " +
                   std::to_string(longest.size()),
               [&] { return add(longest + "x"); });
  expect_error(ErrorCode::kBadInput, "not valid UTF-8", [&] { return add("EP1", "\xFF"); });
  expect_error(ErrorCode::kBadInput, "not valid UTF-8", [&] { return add("\xC3\x28"); });
  add(longest);
  EXPECT_EQ(builder->finish(), 1U);
  expect_error(ErrorCode::kEngine, "already finished", [&] { return add("EP2"); });
  expect_error(ErrorCode::kEngine, "already finished", [&] { return builder->finish(); });
}

TEST_P(EngineConformance, UnfinishedIndexIsInvisible) {
  {
    const auto builder = engine_->create(folder());
    builder->add(patent("EP1", "valve"));
    EXPECT_FALSE(fs::exists(folder()));
  }
  EXPECT_THAT(left_in_root(), IsEmpty());
}

TEST_P(EngineConformance, AnIndexIsReplacedOnlyWhenTheNewOneIsFinished) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  {
    const auto abandoned = engine_->create(folder());
    abandoned->add(patent("EP9", "valve"));
  }
  const auto old_index = open(watched);
  EXPECT_EQ(old_index->num_documents(), 3U);
  const auto builder = engine_->create(folder());
  builder->add(patent("EP9", "valve"));
  EXPECT_EQ(open(watched)->num_documents(), 3U);
  EXPECT_EQ(builder->finish(), 1U);
  EXPECT_EQ(open(watched)->num_documents(), 1U);
  EXPECT_THAT(left_in_root(), ElementsAre("index"));
  EXPECT_EQ(search(*old_index, "valve").size(), 3U) << "it goes on serving the old index";
}

TEST_P(EngineConformance, FoldersWithOtherFilesAreKept) {
  fs::create_directories(folder());
  EXPECT_NO_THROW(static_cast<void>(engine_->create(folder())));  // empty
  std::ofstream(folder() / "thesis.txt") << "years of work";
  expect_error(ErrorCode::kIo, "holds 'thesis.txt'", [&] { return engine_->create(folder()); });
  expect_error(ErrorCode::kIo, "is a file",
               [&] { return engine_->create(folder() / "thesis.txt"); });
  EXPECT_TRUE(fs::exists(folder() / "thesis.txt"));
}

TEST_P(EngineConformance, AnIndexOfAnotherProgramIsNeitherReplacedNorServedWithoutDocnos) {
  fs::create_directories(folder());
  GetParam().write_foreign(folder());
  expect_error(ErrorCode::kIo, "prescope did not make", [&] { return engine_->create(folder()); });
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  expect_error(ErrorCode::kEngine, GetParam().no_docnos, [&] { return open(watched); });
}

TEST_P(EngineConformance, AMissingIndexIsAnIoError) {
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  expect_error(ErrorCode::kIo, "no such folder", [&] { return open(watched); });
  fs::create_directories(folder());
  expect_error(ErrorCode::kIo, GetParam().holds_none, [&] { return open(watched); });
}

TEST_P(EngineConformance, ADamagedIndexIsAnEngineErrorAndNotReplaced) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  const fs::path file = GetParam().commit_file(folder());
  for (auto size = fs::file_size(file) / GetParam().sound_part; size-- > 0;) {
    fs::resize_file(file, size);
    SCOPED_TRACE(size);
    expect_error(ErrorCode::kEngine, "damaged", [&] { return open(watched); });
  }
  expect_error(ErrorCode::kIo, "damaged", [&] { return engine_->create(folder()); });
}

TEST_P(EngineConformance, AWriterLocksOutABuilderButNoReader) {
  build(valve_patents(3));
  Watched watched(Watched::Citations{{"T1", "EP1"}});
  {
    const auto writer = GetParam().open_writer(folder());
    expect_error(ErrorCode::kIo, "locked by an index writer",
                 [&] { return engine_->create(folder()); });
    EXPECT_EQ(open(watched)->num_documents(), 3U);
  }
  EXPECT_NO_THROW(static_cast<void>(engine_->create(folder())));
}

TEST_P(EngineConformance, LeftoversOfAKilledBuilderAreRemoved) {
  if (const pid_t child = ::fork(); child == 0) {
    const auto builder = engine_->create(folder());
    builder->add(patent("EP1", "valve"));
    ::_exit(0);  // without unwinding
  } else {
    ::waitpid(child, nullptr, 0);
  }
  ASSERT_THAT(left_in_root(), ElementsAre(".index.prescope-partial"));
  build(valve_patents(2));
  EXPECT_THAT(left_in_root(), ElementsAre("index"));
}

}  // namespace prescope::conformance
