#include "prescope/resolved_qrels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Qrels qrels_of(const std::vector<std::pair<const char*, const char*>>& lines,
               const QrelsOptions& options = {}) {
  std::vector<Qrels::Line> judged;
  for (const auto& [topic, docno] : lines) judged.push_back({TopicId{topic}, Docno{docno}, 1});
  return Qrels::from_lines(judged, options);
}

// t1 judges a, b, c (judgements 0, 1, 2); t2 judges b, d (0, 1). Keys: a 0, b 1, c 2, d 3.
Qrels two_topics() {
  return qrels_of({{"t2", "d"}, {"t1", "c"}, {"t1", "a"}, {"t2", "b"}, {"t1", "b"}});
}

std::vector<std::string> keys_of(const JudgedDocnos& judged) {
  std::vector<std::string> keys;
  for (std::uint32_t i = 0; i < judged.num_keys(); ++i) keys.push_back(judged.key(i));
  return keys;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> entries_of(const ResolvedQrels& resolved,
                                                                std::uint32_t topic) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (const ResolvedQrels::Entry& entry : resolved.topic(TopicIndex{topic}).entries) {
    entries.emplace_back(entry.docid.value(), entry.judgement.value());
  }
  return entries;
}

std::optional<std::uint32_t> judgement_at(const ResolvedQrels& resolved, std::uint32_t topic,
                                          std::uint32_t docid) {
  const auto* const entry = resolved.topic(TopicIndex{topic}).find(DocId{docid});
  return entry == nullptr ? std::nullopt : std::optional(entry->judgement.value());
}

TEST(JudgedDocnos, HoldsEachKeyOnceAscending) {
  EXPECT_THAT(keys_of(JudgedDocnos(two_topics())), ElementsAre("a", "b", "c", "d"));
}

TEST(JudgedDocnos, LaterVersionsKeepTheNumbersAndShareTheKeys) {
  const JudgedDocnos first(two_topics());
  const JudgementChanges changes{
      .judged = {{TopicId("t1"), Docno("ab")}, {TopicId("t2"), Docno("A")}},
      .withdrawn = {{TopicId("t2"), Docno("d")}}};
  const JudgedDocnos second(first.qrels().with(changes), first);
  EXPECT_THAT(keys_of(second), ElementsAre("a", "b", "c", "d", "A", "ab")) << "d keeps its number";
  EXPECT_EQ(second.version(), 1U);
  EXPECT_EQ(&second.key(2), &first.key(2));
  EXPECT_EQ(first.find("ab"), JudgedDocnos::kNotJudged) << "earlier versions stay as they are";

  const JudgedDocnos third(second.qrels().with({.judged = {{TopicId("t2"), Docno("d")}}}), second);
  EXPECT_EQ(third.num_keys(), 6U) << "d is judged again, with its old number";
}

TEST(JudgedDocnos, FindsItsKeysAndNoOthers) {
  const JudgedDocnos judged(two_topics());
  for (std::uint32_t i = 0; i < judged.num_keys(); ++i) {
    EXPECT_EQ(judged.find(judged.key(i)), i);
  }
  for (const char* other : {"", "e", "A", "aa", "a "}) {
    EXPECT_EQ(judged.find(other), JudgedDocnos::kNotJudged) << other;
  }
}

TEST(JudgedDocnos, FindsEveryOneOfManyKeys) {
  std::vector<Qrels::Line> lines;
  for (int i = 0; i < 20000; ++i) {
    lines.push_back({TopicId{"t"}, Docno{"EP" + std::to_string(i)}, 1});
  }
  const JudgedDocnos judged(Qrels::from_lines(lines));
  ASSERT_EQ(judged.num_keys(), 20000U);
  for (std::uint32_t i = 0; i < 20000; ++i) ASSERT_EQ(judged.find(judged.key(i)), i);
  for (int i = 20000; i < 40000; ++i) {
    ASSERT_EQ(judged.find("EP" + std::to_string(i)), JudgedDocnos::kNotJudged);
  }
}

TEST(JudgedDocnos, CarriesThePolicyOfItsQrels) {
  const JudgedDocnos judged(qrels_of({{"t", "EP-0971326-B1"}}, {.docno = DocnoPolicy::kPatent}));
  DocnoBuffer buffer;
  EXPECT_EQ(judged.find(judged.docnos().key("EP0971326A3", buffer)), 0U);
}

TEST(ResolvedQrels, TopicsHaveTheirDocidsAscending) {
  const JudgedDocnos judged(two_topics());
  const ResolvedQrels resolved(judged, {{3, DocId{5}}, {1, DocId{900}}, {0, DocId{20}}}, 7, 1000);
  EXPECT_THAT(entries_of(resolved, 0), ElementsAre(std::pair(20, 0), std::pair(900, 1)));
  EXPECT_THAT(entries_of(resolved, 1), ElementsAre(std::pair(5, 1), std::pair(900, 0)));
  EXPECT_EQ(resolved.num_topics(), 2U);
  EXPECT_EQ(resolved.generation(), 7U);
  EXPECT_EQ(resolved.collection_size(), 1000U);
}

TEST(ResolvedQrels, TakesOneDocumentAtSeveralDocidsAndIgnoresRepeats) {
  const JudgedDocnos judged(two_topics());
  const ResolvedQrels resolved(judged, {{0, DocId{9}}, {0, DocId{3}}, {0, DocId{9}}, {0, DocId{9}}},
                               1, 10);
  EXPECT_THAT(entries_of(resolved, 0), ElementsAre(std::pair(3, 0), std::pair(9, 0)));
  EXPECT_THAT(resolved.resolutions(),
              ElementsAre(Resolution{0, DocId{3}}, Resolution{0, DocId{9}}));
}

TEST(ResolvedQrels, KeepsDocidsOfSmallAndLargeTopicsApart) {
  constexpr std::uint32_t kSizes[] = {20, 12, 13, 1, 30};
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < 5; ++t) {
    for (std::uint32_t i = 0; i < kSizes[t]; ++i) {
      lines.push_back({TopicId{std::to_string(t)}, Docno{std::to_string(100 * t + 10 + i)}});
    }
  }
  const JudgedDocnos judged(Qrels::from_lines(lines));
  std::vector<Resolution> resolutions;
  for (std::uint32_t key = 0; key < judged.num_keys(); ++key) {
    resolutions.push_back({key, DocId(static_cast<std::uint32_t>(std::stoi(judged.key(key))))});
  }
  const ResolvedQrels resolved(judged, resolutions, 1, 1000);
  for (std::uint32_t t = 0; t < 5; ++t) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (std::uint32_t i = 0; i < kSizes[t]; ++i) expected.emplace_back(100 * t + 10 + i, i);
    EXPECT_EQ(entries_of(resolved, t), expected);
    EXPECT_EQ(resolved.topic(TopicIndex(t)).judgements, kSizes[t]);
    EXPECT_EQ(resolved.topic(TopicIndex(t)).missing, 0U);
  }
}

TEST(ResolvedQrels, TwoJudgementsOfADocidKeepTheFirst) {
  const JudgedDocnos judged(two_topics());
  const ResolvedQrels resolved(judged, {{2, DocId{4}}, {1, DocId{4}}}, 1, 10);
  EXPECT_THAT(entries_of(resolved, 0), ElementsAre(std::pair(4, 1)));
  EXPECT_THAT(entries_of(resolved, 1), ElementsAre(std::pair(4, 0)));
  EXPECT_EQ(resolved.topic(TopicIndex{0}).missing, 1U) << "a; both b and c are carried by docid 4";
}

TEST(ResolvedQrels, CountsAndNamesTheMissingDocumentsOfEachTopic) {
  const JudgedDocnos judged(two_topics());
  const ResolvedQrels resolved(judged, {{0, DocId{1}}}, 1, 10);
  EXPECT_EQ(resolved.topic(TopicIndex{0}).judgements, 3U);
  EXPECT_EQ(resolved.topic(TopicIndex{0}).missing, 2U);  // b, c
  EXPECT_EQ(resolved.topic(TopicIndex{1}).missing, 2U);  // b, d
  EXPECT_THAT(resolved.missing_keys(), ElementsAre(1, 2, 3));
}

TEST(ResolvedQrels, AWithdrawnDocumentIsNeitherMatchedNorMissing) {
  const JudgedDocnos first(two_topics());
  const JudgementChanges changes{
      .withdrawn = {{TopicId("t1"), Docno("a")}, {TopicId("t2"), Docno("d")}}};
  const JudgedDocnos second(first.qrels().with(changes), first);
  const ResolvedQrels resolved(second, {{0, DocId{1}}, {1, DocId{2}}}, 1, 10);
  EXPECT_THAT(entries_of(resolved, 0), ElementsAre(std::pair(2, 0))) << "b is judgement 0 now";
  EXPECT_THAT(entries_of(resolved, 1), ElementsAre(std::pair(2, 0)));
  EXPECT_THAT(resolved.missing_keys(), ElementsAre(2)) << "c; d is not judged";
  EXPECT_EQ(resolved.relevant_missing(), 1U);
}

TEST(ResolvedQrels, EmptyIndexMissesEveryDocument) {
  const JudgedDocnos judged(two_topics());
  const ResolvedQrels resolved(judged, {}, 1, 0);
  for (const std::uint32_t topic : {0U, 1U}) {
    EXPECT_THAT(entries_of(resolved, topic), IsEmpty());
    for (const std::uint32_t docid : {0U, 1U, 63U, 64U, UINT32_MAX}) {
      EXPECT_EQ(judgement_at(resolved, topic, docid), std::nullopt);
    }
  }
  EXPECT_THAT(resolved.missing_keys(), ElementsAre(0, 1, 2, 3));
}

TEST(ResolvedQrels, FindsTheEntryOfADocidAndOfNoOther) {
  const JudgedDocnos judged(two_topics());
  const ResolvedQrels resolved(judged, {{0, DocId{4096 + 63}}, {1, DocId{UINT32_MAX}}}, 1, 10);
  EXPECT_EQ(judgement_at(resolved, 0, 4096 + 63), 0U);
  EXPECT_EQ(judgement_at(resolved, 0, UINT32_MAX), 1U);
  EXPECT_EQ(judgement_at(resolved, 0, 63), std::nullopt) << "the same bit";
  EXPECT_EQ(judgement_at(resolved, 0, 4095), std::nullopt);
  EXPECT_EQ(judgement_at(resolved, 1, 4096 + 63), std::nullopt) << "a is not judged in t2";
  EXPECT_EQ(judgement_at(resolved, 1, UINT32_MAX), 0U);
}

}  // namespace
}  // namespace prescope
