// Rules by which citations become judgements.
#include <gmock/gmock.h>

#include "citations/citation_qrels.h"
#include "citations/import_citations.h"
#include "citations/topic_selection.h"
#include "prescope/error.h"
#include "runs/read_runs.h"
#include "support/citation_file.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

WrittenNumber number(std::string docno) { return {.number = std::move(docno)}; }

Citation citing(std::string docno, std::string categories = {}, std::string source = "examiner",
                PartialDate date = {}) {
  return {.cited = number(std::move(docno)),
          .date = date,
          .categories = std::move(categories),
          .source = std::move(source)};
}

/// A store of documents that a test writes.
class StoreOf {
 public:
  explicit StoreOf(const std::vector<CitingDocument>& documents) {
    write_citation_store(path(), documents);
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "citations.store"; }
  [[nodiscard]] CitationStore open() const { return CitationStore::open(path()); }

  /// Returns "docno grade" for each judgement of a topic.
  [[nodiscard]] std::vector<std::string> judgements(std::string_view rule, std::string_view topic,
                                                    const Collection* collection = nullptr) {
    const CitationStore store = open();
    TopicJudge judge(store, CitationRule::parse(rule), collection);
    std::vector<std::string> judged;
    for (const JudgedCitation& one : judge.judge(topic)) {
      judged.push_back(fmt::format("{} {}", one.docno, one.grade));
    }
    counts = judge.counts();
    return judged;
  }

  JudgingCounts counts;  // of the last call of `judgements`

 private:
  ScratchFolder folder_;
};

TEST(CitationRules, SayWhatTheyAre) {
  for (const std::string_view text :
       {"examiner", "clef-ip", "examiner,direct", "examiner,family", "clef-ip,cited-family",
        "examiner,applicant,interfering,later"}) {
    EXPECT_EQ(CitationRule::parse(text).text(), text);
  }
  EXPECT_EQ(CitationRule::parse("examiner, cited-family").text(), "examiner");
  EXPECT_EQ(CitationRule::parse("clef-ip,family").text(), "clef-ip");
  try {
    (void)CitationRule::parse("examiner,dirct");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("direct"));
  }
}

TEST(CitationRules, GradesFollowTheCategories) {
  StoreOf store({{.publication = number("EP100A1"),
                  .citations = {citing("EP1A1", "X"), citing("EP2A1", "Y"), citing("EP3A1", "A"),
                                citing("EP4A1", "X,Y"), citing("EP5A1", "N"), citing("EP6A1", "D"),
                                citing("EP7A1", "I"), citing("EP8A1"), citing("EP9A1", "Q"),
                                citing("EP10A1", "7")}}});
  EXPECT_THAT(store.judgements("examiner", "EP100A1"),
              UnorderedElementsAre("EP1A1 3", "EP2A1 2", "EP3A1 1", "EP4A1 3", "EP5A1 3", "EP6A1 1",
                                   "EP7A1 3", "EP8A1 1", "EP9A1 1", "EP10A1 7"));
  EXPECT_EQ(store.counts.category_words.citations, 1U);
  EXPECT_EQ(store.counts.category_words.example, "Q");
  const auto clef_ip = store.judgements("clef-ip", "EP100A1");
  EXPECT_EQ(clef_ip.size(), 10U);
  EXPECT_THAT(clef_ip, testing::Each(testing::EndsWith(" 1")));
}

/// A file of judgements says what is not relevant; no rule makes that relevant.
TEST(CitationRules, KeepJudgementsOfNotRelevantDocuments) {
  StoreOf store({{.publication = number("T1"),
                  .citations = {citing("EP1A1", "0", ""), citing("EP2A1", "-1", ""),
                                citing("EP3A1", "4", "")}}});
  EXPECT_THAT(store.judgements("examiner", "T1"),
              UnorderedElementsAre("EP1A1 0", "EP2A1 -1", "EP3A1 4"));
  EXPECT_THAT(store.judgements("clef-ip", "T1"),
              UnorderedElementsAre("EP1A1 0", "EP2A1 -1", "EP3A1 1"));
}

/// The grade of a citation without a category depends on the document that cites.
TEST(CitationRules, GradesAreThoseOfTheCitingMember) {
  StoreOf store(
      {{.publication = number("US7000000B2"), .family = "9", .citations = {citing("US5192345A")}},
       {.publication = number("EP1000000A1"),
        .family = "9",
        .citations = {citing("DE4000000A1")}}});
  for (const char* topic : {"US7000000B2", "EP1000000A1"}) {
    EXPECT_THAT(store.judgements("examiner,family", topic),
                UnorderedElementsAre("DE4000000A1 1", "US5192345A 2"))
        << topic;
  }
}

/// Words with an E or a P in them are not the categories E and P.
TEST(CitationRules, UnknownWordsAreNotInterfering) {
  StoreOf store({{.publication = number("EP100A1"), .citations = {citing("EP1A1", "RELEVANT")}}});
  EXPECT_THAT(store.judgements("examiner", "EP100A1"), ElementsAre("EP1A1 1"));
}

/// A later file that knows the filing date only does not make the topic younger.
TEST(CitationRules, TheEarliestPriorityCounts) {
  for (const auto& years : {std::pair(1995, 1998), std::pair(1998, 1995)}) {
    const auto document = [&](int year) {
      return CitingDocument{.publication = number("EP100A1"),
                            .priority = {static_cast<std::uint16_t>(year), 1, 1},
                            .citations = {citing("EP1A1", "X", "examiner", {1997, 1, 1})}};
    };
    StoreOf store({document(years.first), document(years.second)});
    EXPECT_THAT(store.judgements("examiner", "EP100A1"), IsEmpty());
  }
}

TEST(WrittenNumbers, AreJoinedOnce) {
  const std::pair<WrittenNumber, std::string_view> kNumbers[] = {
      {{"JP", "5-3059", "A"}, "JP5-3059A"},         {{"EP", "EP1000000B1", "B1"}, "EP1000000B1"},
      {{"EP", "EP1000000", "B1"}, "EP1000000B1"},   {{"EP", "1000000B1", "B1"}, "EP1000000B1"},
      {{"WO", "WO93/05634", "A1"}, "WO93/05634A1"}, {{"US", "Des. 427,169", "S"}, "USD427,169S"},
      {{"US", "Plant 12,345", "P"}, "USPP12,345P"}, {{"US", "RE12345", "E1"}, "USRE12345E1"},
      {{"", "US-7654321-B2", ""}, "US-7654321-B2"}};
  for (const auto& [written, docno] : kNumbers) EXPECT_EQ(written.docno(), docno);
}

/// Judgements are columns between blanks.
TEST(WrittenNumbers, WithWhiteSpaceThatAreNoPatentsAreCounted) {
  const ScratchFolder folder;
  CitationStoreWriter writer(folder.path() / "citations.store");
  CitationStoreWriter::Batch batch(writer);
  DocumentAdder adder(batch);
  adder.add({.publication = number("my topic 1"), .citations = {citing("EP1A1")}});
  adder.add({.publication = number("EP100A1"),
             .citations = {citing("foo bar baz"), citing("US 5,192,345 A")}});
  EXPECT_EQ(adder.counts().without_number, 2U);
  EXPECT_EQ(adder.counts().without_number_example, "my topic 1");
  EXPECT_EQ(adder.counts().citations, 1U);
}

TEST(Collections, RefuseDocnosWithWhiteSpace) {
  const ScratchFolder folder;
  for (const auto& [name, content] :
       {std::pair("a.txt", "US 5,192,345\n"), std::pair("a.jsonl", R"({"id":"US 5,192,345"})")}) {
    EXPECT_THROW((void)Collection::load(folder.write(name, content)), Error) << name;
  }
  EXPECT_THAT(Collection::load(folder.write("b.txt", "EP1A1\tsome text\n\nEP2A1\n")).docnos(),
              ElementsAre("EP1A1", "EP2A1"));
}

TEST(CitationRules, WhoCitedDecides) {
  StoreOf store({{.publication = number("US7000000B2"),
                  .citations = {citing("US1B2", "", "examiner"), citing("US2B2", "", "applicant"),
                                citing("US3B2", "", "third party"), citing("US4B2", "", "other"),
                                citing("US5B2", "", ""), citing("US6B2", "", "the moon")}}});
  EXPECT_THAT(store.judgements("examiner", "US7000000B2"),
              UnorderedElementsAre("US1B2 2", "US4B2 1", "US5B2 1", "US6B2 1"));
  EXPECT_EQ(store.counts.of_applicants, 1U);
  EXPECT_EQ(store.counts.of_others, 1U);
  EXPECT_EQ(store.counts.unknown_source, 2U);
  EXPECT_EQ(store.counts.source_words.example, "the moon");
  EXPECT_THAT(store.judgements("examiner,applicant", "US7000000B2"),
              UnorderedElementsAre("US1B2 2", "US2B2 0", "US4B2 1", "US5B2 1", "US6B2 1"));
  EXPECT_THAT(store.judgements("clef-ip", "US7000000B2"),
              UnorderedElementsAre("US1B2 1", "US5B2 1", "US6B2 1"));
}

/// The day of a cited document that is not known is the last one of its month; the day of the
/// topic's priority is the first one.
TEST(CitationRules, LaterArtIsLeftOut) {
  StoreOf store({{.publication = number("EP100A1"),
                  .priority = {2000, 6, 15},
                  .citations = {citing("EP1A1", "X", "examiner", {2000, 6, 14}),
                                citing("EP2A1", "X", "examiner", {2000, 6, 15}),
                                citing("EP3A1", "X", "examiner", {2000, 6, 0}),
                                citing("EP4A1", "X", "examiner", {2000, 5, 0}),
                                citing("EP5A1", "X", "examiner", {2000, 0, 0}),
                                citing("EP6A1", "X", "examiner"), citing("EP7A1", "X"),
                                citing("EP8A1", "E", "examiner", {2001, 1, 1}),
                                citing("EP9A1", "P,X", "examiner")}},
                 {.publication = number("EP6A1"), .published = {1999, 1, 1}},
                 {.publication = number("EP7A1"), .published = {2003, 1, 1}}});
  EXPECT_THAT(store.judgements("examiner", "EP100A1"),
              UnorderedElementsAre("EP1A1 3", "EP4A1 3", "EP6A1 3"));
  EXPECT_EQ(store.counts.later, 4U);
  EXPECT_EQ(store.counts.interfering, 2U);
  EXPECT_THAT(store.judgements("examiner,interfering", "EP100A1"),
              UnorderedElementsAre("EP1A1 3", "EP4A1 3", "EP6A1 3", "EP8A1 3", "EP9A1 3"));
  EXPECT_EQ(store.judgements("examiner,later", "EP100A1").size(), 7U);
}

TEST(CitationRules, UnknownDatesAreKeptAndCounted) {
  StoreOf store({{.publication = number("EP100A1"),
                  .priority = {2000, 6, 0},
                  .citations = {citing("EP1A1"), citing("EP2A1", "", "examiner", {2000, 5, 31}),
                                citing("EP3A1", "", "examiner", {2000, 6, 1})}},
                 {.publication = number("EP200A1"), .citations = {citing("EP1A1")}}});
  EXPECT_THAT(store.judgements("examiner", "EP100A1"), UnorderedElementsAre("EP1A1 1", "EP2A1 1"));
  EXPECT_EQ(store.counts.unknown_date, 1U);
  EXPECT_THAT(store.judgements("examiner", "EP200A1"), ElementsAre("EP1A1 1"));
  EXPECT_EQ(store.counts.topics_without_priority, 1U);
}

/// EP100 and US100 are one family, which cites members of the family of EP1 and JP1.
std::vector<CitingDocument> two_families() {
  return {{.publication = number("EP100A1"), .family = "7", .citations = {citing("EP1A1")}},
          {.publication = number("US7000100B2"),
           .family = "7",
           .citations = {citing("US7000002B2"), citing("EP100A1")}},
          {.publication = number("EP1A1"), .family = "8"},
          {.publication = number("JP2001000001A"), .family = "8"}};
}

TEST(CitationRules, LevelsOfFamilies) {
  StoreOf store(two_families());
  EXPECT_THAT(store.judgements("examiner,direct", "EP100A1"), ElementsAre("EP1A1 1"));
  EXPECT_THAT(store.judgements("examiner", "EP100A1"),
              UnorderedElementsAre("EP1A1 1", "JP2001000001A 1"));
  EXPECT_THAT(store.judgements("clef-ip", "EP100A1"),
              UnorderedElementsAre("EP1A1 1", "JP2001000001A 1", "US7000002B2 1"));
  EXPECT_EQ(store.counts.within_family, 1U);
}

/// A file may say by whom its document is cited. It says so of every member of that family.
TEST(CitationRules, WhatTheCitedDocumentSays) {
  std::vector<CitingDocument> documents = two_families();
  documents.push_back({.publication = number("FR5A1"), .cited_by = {number("US7000100B2")}});
  StoreOf store(documents);
  EXPECT_THAT(store.judgements("examiner", "EP100A1"),
              UnorderedElementsAre("EP1A1 1", "FR5A1 1", "JP2001000001A 1"));
  EXPECT_THAT(store.judgements("examiner,direct", "US7000100B2"), ElementsAre("US7000002B2 2"));
}

/// Lists of members without a number are one family if they share a member.
TEST(CitationRules, FamiliesAreJoined) {
  StoreOf store({{.publication = number("EP1A1"), .members = {number("US7000001B2")}},
                 {.publication = number("DE1A1"), .members = {number("US7000001B2")}},
                 {.publication = number("EP9A1"), .citations = {citing("DE1A1")}}});
  EXPECT_THAT(store.judgements("examiner", "EP9A1"),
              UnorderedElementsAre("DE1A1 1", "EP1A1 1", "US7000001B2 1"));
}

TEST(CitationRules, NamesAreThoseOfTheCollection) {
  StoreOf store(two_families());
  Collection collection;
  for (const char* docno : {"EP-100-A1", "JP 2001-1 A", "JP2001000001B2"}) collection.add(docno);
  EXPECT_THAT(store.judgements("examiner", "EP-100-A1", &collection),
              UnorderedElementsAre("JP 2001-1 A 1", "JP2001000001B2 1"));
  EXPECT_THAT(store.judgements("examiner,direct", "EP-100-A1", &collection), IsEmpty());
  EXPECT_EQ(store.counts.outside_collection, 1U);
}

/// 300 topics of three sections, one as large as the other two together.
std::vector<CitingDocument> sampled_documents() {
  std::vector<CitingDocument> documents;
  for (int i = 0; i < 300; ++i) {
    documents.push_back({.publication = number(fmt::format("EP{}A1", 1000 + i)),
                         .language = i % 2 == 0 ? "en" : "de",
                         .classes = {i % 4 < 2    ? "A61K"
                                     : i % 4 == 2 ? "B08B"
                                                  : "C02F"},
                         .citations = {citing("EP1A1")}});
  }
  return documents;
}

std::vector<std::string> topics_of(const StoreOf& of, const TopicSelection& selection) {
  const CitationStore store = of.open();
  TopicJudge judge(store, CitationRule::parse("examiner"));
  std::vector<std::string> topics;
  judge_topics(store, judge, nullptr, selection,
               [&](const std::string& topic, const std::vector<JudgedCitation>&) {
                 topics.push_back(topic);
               });
  return topics;
}

TEST(TopicSamples, EachStratumHasItsShare) {
  const StoreOf store(sampled_documents());
  const TopicSelection selection{.sample = 40, .by = parse_strata("ipc-section"), .seed = 7};
  std::map<int, int> sections;
  for (const std::string& topic : topics_of(store, selection)) {
    ++sections[std::max(1, (std::stoi(topic.substr(2)) - 1000) % 4)];
  }
  EXPECT_THAT(sections,
              ElementsAre(testing::Pair(1, 20), testing::Pair(2, 10), testing::Pair(3, 10)));
}

TEST(TopicSamples, TheSeedDecidesAndLargerOnesHoldSmallerOnes) {
  const StoreOf store(sampled_documents());
  const auto drawn = [&](std::size_t sample, std::uint64_t seed) {
    return topics_of(store, {.sample = sample, .seed = seed});
  };
  EXPECT_EQ(drawn(40, 7), drawn(40, 7));
  EXPECT_NE(drawn(40, 7), drawn(40, 8));
  EXPECT_THAT(drawn(80, 7), testing::IsSupersetOf(drawn(40, 7)));
  EXPECT_EQ(drawn(1000, 7).size(), 300U);
}

TEST(TopicSamples, Language) {
  const StoreOf store(sampled_documents());
  EXPECT_EQ(topics_of(store, {.language = "de"}).size(), 150U);
  EXPECT_THAT(topics_of(store, {.language = "fr"}), IsEmpty());
}

TEST(CitationQrels, AStoreIsReadAsQrels) {
  const StoreOf store(two_families());
  const Qrels qrels = load_judgements(store.path(), {.docno = DocnoPolicy::kFamily});
  EXPECT_EQ(qrels.rule(), "examiner");
  ASSERT_EQ(qrels.topics().size(), 2U);
  EXPECT_EQ(qrels.num_families(), 1U);
  EXPECT_EQ(qrels.topic(*qrels.find("EP100A1")).judgements().size(), 1U);  // one family
  EXPECT_THAT(qrels.topic(*qrels.find("EP100A1")).judgements()[0].about, HasSubstr("examiner"));
}

/// Two publications of one patent have the same citations, so tests count them once.
TEST(CitationQrels, PublicationsOfAPatentAreOneFamily) {
  const StoreOf store({{.publication = number("EP100A1"), .citations = {citing("EP1A1")}}});
  const std::vector<std::string> topics{"EP100A1", "EP100B1"};
  const Qrels qrels =
      load_judgements(store.path(), {.docno = DocnoPolicy::kFamily}, [&] { return topics; });
  EXPECT_EQ(qrels.topics().size(), 2U);
  EXPECT_EQ(qrels.num_families(), 1U);
}

/// Two members of a family that is not judged have one rank, too.
TEST(CitationQrels, CollapsedRankingsKnowTheFamiliesOfAllDocuments) {
  const StoreOf store({{.publication = number("EP100A1"), .citations = {citing("EP1A1")}},
                       {.publication = number("US7000001B2"), .family = "9"},
                       {.publication = number("JP2001000001A"), .family = "9"}});
  const std::vector<std::string> topics{"EP100A1"};
  const ScratchFolder folder;
  const auto run = folder.write("a.run",
                                "EP100A1 Q0 US7000001B2 1 3 a\nEP100A1 Q0 JP2001000001A 2 2 a\n"
                                "EP100A1 Q0 EP1B1 3 1 a\n");
  for (const bool collapses : {false, true}) {
    const QrelsOptions options{.docno = DocnoPolicy::kFamily, .collapses = collapses};
    const Qrels qrels = load_judgements(store.path(), options, [&] { return topics; });
    EXPECT_EQ(read_run_facts(qrels, run).retrieved.at(0).trec_rank, collapses ? 2U : 3U);
  }
}

TEST(CitationQrels, RulesHaveNoMeaningForQrelsFiles) {
  const ScratchFolder folder;
  const auto path = folder.write("qrels.txt", "T1 0 EP1A1 1\n");
  EXPECT_EQ(load_judgements(path, {}).rule(), "");
  EXPECT_THROW((void)load_judgements(path, {.rule = "examiner"}), Error);
  EXPECT_FALSE(is_citation_store(path));
}

// The collection of 12,242 real patents: counts of an independent script.

std::filesystem::path real_documents() {
  return std::filesystem::path(PRESCOPE_TEST_DATA) / "patent_text" / "documents.jsonl.gz";
}

class RealCollection : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(real_documents())) {
      GTEST_SKIP() << "needs " << real_documents();
    }
    store_path_ = folder_.path() / "citations.store";
    (void)import_citations(store_path_, {real_documents().string()});
    collection_ = Collection::load(real_documents());
  }

  [[nodiscard]] JudgingCounts counts_of(std::string_view rule) const {
    const CitationStore store = CitationStore::open(store_path_);
    TopicJudge judge(store, CitationRule::parse(rule), &collection_);
    judge_topics(store, judge, &collection_, {},
                 [](const std::string&, const std::vector<JudgedCitation>&) {});
    return judge.counts();
  }

  ScratchFolder folder_;
  std::filesystem::path store_path_;
  Collection collection_;
};

/// Of a script that knows the year forms of US and WO numbers. One that does not know WO0006821A1
/// and WO-9628005-A1 as WO2000006821 and WO1996028005 counts 865 and 886.
TEST_F(RealCollection, Levels) {
  EXPECT_EQ(counts_of("examiner,direct,later").judgements, 545U);
  EXPECT_EQ(counts_of("examiner,later").judgements, 868U);
  EXPECT_EQ(counts_of("examiner,family,later").judgements, 891U);
}

TEST_F(RealCollection, PairsOfOneFamily) {
  const CitationStore store = CitationStore::open(store_path_);
  std::size_t pairs = 0;
  for (const std::string& docno : collection_.docnos()) {
    for (const FamilyMember& member : family_of(store, document_number(docno).key)) {
      if (const auto* const docnos = collection_.find(member.key)) pairs += docnos->size();
    }
    --pairs;  // itself
  }
  EXPECT_EQ(pairs, 170U);
}

}  // namespace
}  // namespace prescope
