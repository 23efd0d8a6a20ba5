// Whole answers of engines: what is read of them, and every way in which they can be less than
// whole.
#include "facts/engine_answer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collect/otlp_logs.h"
#include "collect/posted_ranking.h"
#include "prescope/error.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Reads a line of an answer, with `more` keys.
class Answered {
 public:
  explicit Answered(std::string_view answer, std::string_view more = "")
      : read_(reader_.read(
            fmt::format(R"({{"id":"r","topic":"EP1",{}"answer":{}}})", more, answer))) {}

  const PostedRanking& operator*() const { return *read_; }
  const PostedRanking* operator->() const { return read_; }

 private:
  PostedRankingReader reader_;
  const PostedRanking* read_;
};

std::string why_not(std::string_view answer, std::string_view more = "") {
  try {
    static_cast<void>(Answered(answer, more));
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

/// As OpenSearch and Elasticsearch answer `_search`.
std::string search_answer(std::string_view total, std::string_view hits,
                          std::string_view state = R"("timed_out":false)",
                          std::string_view shards = R"("failed":0)") {
  return fmt::format(R"({{"took":12,{},"_shards":{{"total":5,"successful":5,"skipped":0,{}}},)"
                     R"("hits":{{"total":{},"max_score":3.2,"hits":[{}]}}}})",
                     state, shards, total, hits);
}
constexpr std::string_view kTwoHits =
    R"({"_index":"p","_id":"EP2","_score":3.2},{"_index":"p","_id":"US3","_score":1.0})";

TEST(EngineAnswer, ReadsASearchOfOpenSearchAndElasticsearch) {
  const Answered read(search_answer(R"({"value":57,"relation":"eq"})", kTwoHits));
  EXPECT_THAT(read->docnos, ElementsAre("EP2", "US3"));
  EXPECT_EQ(read->total, 57U);
  EXPECT_EQ(read->latency, std::chrono::milliseconds(12));
  EXPECT_EQ(read->flags, RankingFlags::kNone);
  EXPECT_EQ(Answered(search_answer("57", kTwoHits))->total, 57U) << "Elasticsearch 6";
  EXPECT_EQ(Answered(search_answer("57", kTwoHits), "\"latency_ms\":20,")->latency,
            std::chrono::milliseconds(20))
      << "what the line says counts";
}

TEST(EngineAnswer, TellsPartialFailedAndEmptySearches) {
  const std::string_view kTotal = R"({"value":57,"relation":"eq"})";
  const auto flags = [&](std::string_view hits, std::string_view state, std::string_view shards) {
    return Answered(search_answer(kTotal, hits, state, shards))->flags;
  };
  EXPECT_EQ(flags(kTwoHits, R"("timed_out":true)", R"("failed":0)"), RankingFlags::kPartial);
  EXPECT_EQ(flags("", R"("timed_out":true)", R"("failed":0)"), RankingFlags::kTimedOut);
  EXPECT_EQ(flags(kTwoHits, R"("timed_out":false)", R"("failed":2)"), RankingFlags::kPartial);
  EXPECT_EQ(flags(kTwoHits, R"("timed_out":false,"terminated_early":true)", R"("failed":0)"),
            RankingFlags::kPartial);
  EXPECT_EQ(flags("", R"("timed_out":false)", R"("failed":0)"), RankingFlags::kFailed)
      << "57 documents match, and none came";
  EXPECT_EQ(Answered(search_answer(R"({"value":0,"relation":"eq"})", ""))->flags,
            RankingFlags::kNone);
  EXPECT_EQ(
      Answered(R"({"error":{"type":"search_phase_execution_exception"},"status":503})")->flags,
      RankingFlags::kFailed);
}

TEST(EngineAnswer, FewerHitsThanMatchArePartial) {
  const std::string two = search_answer(R"({"value":57,"relation":"eq"})", kTwoHits);
  EXPECT_EQ(Answered(two, "\"depth\":10,")->flags, RankingFlags::kPartial);
  EXPECT_EQ(Answered(two, "\"depth\":2,")->flags, RankingFlags::kNone);
  EXPECT_EQ(Answered(two, "\"depth\":10,\"flags\":[\"collapsed\"],")->flags,
            RankingFlags::kCollapsed);
  const std::string of_some =
      search_answer("2", kTwoHits, R"("timed_out":false)", R"("failed":0,"x":0)");
  EXPECT_EQ(Answered(of_some)->flags, RankingFlags::kNone);
}

// Shards that are not assigned count as neither successful nor failed.
TEST(EngineAnswer, AnAnswerOfSomeShardsOrClustersIsPartial) {
  const auto flags = [](std::string_view state) {
    return Answered(fmt::format(R"({{"took":1,"timed_out":false,{},"hits":{{"total":2,)"
                                R"("hits":[{}]}}}})",
                                state, kTwoHits))
        ->flags;
  };
  EXPECT_EQ(flags(R"("_shards":{"total":5,"successful":5,"failed":0})"), RankingFlags::kNone);
  EXPECT_EQ(flags(R"("_shards":{"total":5,"successful":4,"failed":0})"), RankingFlags::kPartial);
  EXPECT_EQ(flags(R"("_clusters":{"total":3,"successful":2,"skipped":1})"), RankingFlags::kPartial);
}

TEST(EngineAnswer, ALyingTotalIsRefusedUnlessItIsTheLeast) {
  EXPECT_THAT(why_not(search_answer(R"({"value":1,"relation":"eq"})", kTwoHits)),
              HasSubstr("total is 1"));
  EXPECT_EQ(why_not(search_answer(R"({"value":1,"relation":"gte"})", kTwoHits)), "read");
}

TEST(EngineAnswer, ReadsDocnosFromAField) {
  const std::string hits =
      R"({"_id":"1","fields":{"docno":["EP2"]}},{"_id":"2","_source":{"docno":"US3"}})";
  EXPECT_THAT(Answered(search_answer("2", hits), R"("docno_field":"docno",)")->docnos,
              ElementsAre("EP2", "US3"));
  EXPECT_THAT(why_not(search_answer("2", kTwoHits), R"("docno_field":"docno",)"),
              HasSubstr("hit 1 of the answer has no docno"));
}

/// As Solr answers `select`.
std::string select_answer(std::string_view header, std::string_view response) {
  return fmt::format(R"({{"responseHeader":{{"status":0,"QTime":7{}}},"response":{{{}}}}})", header,
                     response);
}

TEST(EngineAnswer, ReadsASelectOfSolr) {
  const std::string docs = R"("numFound":57,"start":10,"numFoundExact":true,)"
                           R"("docs":[{"id":"EP2"},{"id":"US3"}])";
  const Answered read(select_answer("", docs));
  EXPECT_THAT(read->docnos, ElementsAre("EP2", "US3"));
  EXPECT_EQ(read->first_rank, 11U);
  EXPECT_EQ(read->total, 57U);
  EXPECT_EQ(read->latency, std::chrono::milliseconds(7));
  EXPECT_EQ(Answered(select_answer(R"(,"partialResults":true)", docs))->flags,
            RankingFlags::kPartial);
  // SOLR-15144: partial results without a document, though many match.
  EXPECT_EQ(
      Answered(select_answer(R"(,"partialResults":true)", R"("numFound":57,"start":0,"docs":[])"))
          ->flags,
      RankingFlags::kPartial | RankingFlags::kFailed);
  EXPECT_THAT(why_not(select_answer("", R"("numFound":1,"start":0,"docs":[{"name":"x"}])")),
              HasSubstr("a text at /id"));
  EXPECT_EQ(Answered(R"({"responseHeader":{"status":503},"error":{"msg":"no servers","code":503}})")
                ->flags,
            RankingFlags::kFailed);
}

/// As Vespa answers `search`.
std::string vespa_answer(std::string_view coverage, std::string_view rest) {
  return fmt::format(
      R"({{"root":{{"id":"toplevel","fields":{{"totalCount":57}},"coverage":{{"full":{}}}{}}}}})",
      coverage, rest);
}

TEST(EngineAnswer, ReadsASearchOfVespa) {
  const std::string hits = R"(,"children":[{"id":"id:patents:patent::EP2","relevance":1},)"
                           R"({"id":"index:c/0/9","fields":{"documentid":"id:p:t:g=x:US:3"}}])";
  const Answered read(vespa_answer("true", hits));
  EXPECT_THAT(read->docnos, ElementsAre("EP2", "US:3"));
  EXPECT_EQ(read->total, 57U);
  EXPECT_EQ(read->latency, std::nullopt);
  EXPECT_EQ(Answered(vespa_answer("false", hits))->flags, RankingFlags::kPartial);
  EXPECT_EQ(
      Answered(vespa_answer("true", R"(,"errors":[{"code":12,"summary":"Timed out"}])"))->flags,
      RankingFlags::kFailed);
  EXPECT_THAT(why_not(vespa_answer("true", R"(,"children":[{"id":"index:c/0/9"}])")),
              HasSubstr("id:NAMESPACE:TYPE::DOCNO"));
}

// A latency of years ended the store's sums.
TEST(EngineAnswer, RefusesTimesAndNamesThatALineMayNotHave) {
  EXPECT_THAT(why_not(R"({"took":20000000000000,"hits":{"total":0,"hits":[]}})"),
              HasSubstr("/took of the answer is 20000000000000"));
  EXPECT_THAT(why_not(R"({"hits":{"hits":[{"_id":"EP2"},{"_id":""}]}})"),
              HasSubstr("hit 2 of the answer has a docno of 0 bytes"));
  EXPECT_THAT(why_not(R"({"hits":{"hits":[{"_id":"a\u0000b"}]}})"), HasSubstr("without NUL"));
}

TEST(EngineAnswer, RefusesWhatIsNoAnswer) {
  EXPECT_THAT(why_not("{}"), HasSubstr("none of hits.hits"));
  EXPECT_THAT(why_not(R"("<html>")"), HasSubstr("answer is a string"));
  EXPECT_THAT(why_not(R"({"hits":{}})"), HasSubstr("/hits/hits"));
  EXPECT_THAT(why_not(R"({"response":{}})"), HasSubstr("/response/docs"));
  EXPECT_THAT(why_not(search_answer("2", kTwoHits), R"("docnos":[],)"), HasSubstr("both docnos"));
}

TEST(OtlpLogs, GiveTheirBodiesAndTimes) {
  EXPECT_EQ(lines_of_otlp(R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[
        {"timeUnixNano":"1795878000250000000","body":{"stringValue":"{\"id\":\"r1\"}"}},
        {"timeUnixNano":"1795878000250000000",
         "body":{"stringValue":"{\"id\":\"r2\",\"time\":\"2026-11-28T15:00:00Z\"}"}},
        {"body":{"kvlistValue":{"values":[
          {"key":"id","value":{"stringValue":"r3"}},
          {"key":"depth","value":{"intValue":"100"}},
          {"key":"docnos","value":{"arrayValue":{"values":[{"stringValue":"EP2"}]}}}]}}},
        {"body":{"stringValue":"GET /search 200"}}]}]}]})"),
            "{\"id\":\"r1\",\"time\":1795878000250}\n"
            "{\"id\":\"r2\",\"time\":\"2026-11-28T15:00:00Z\"}\n"
            "{\"depth\":100,\"docnos\":[\"EP2\"],\"id\":\"r3\"}\n"
            "\"GET /search 200\"\n");
  EXPECT_THAT(lines_of_otlp(R"({"resourceLogs":[]})"), IsEmpty());
  for (const char* const bad : {"", "[]", "{}", R"({"resourceLogs":[{"scopeLogs":3}]})"}) {
    EXPECT_THROW(static_cast<void>(lines_of_otlp(bad)), Error) << bad;
  }
}

}  // namespace
}  // namespace prescope
