// One line of the protocol: what it means, and why it is refused.
#include "collect/posted_ranking.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utc_time.h"
#include "prescope/error.h"

namespace prescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A line with an id, a topic and docnos, and these keys before them.
std::string line_with(std::string_view more) {
  return fmt::format(R"({{"id":"r1","topic":"EP1",{}"docnos":["EP2","US3"]}})", more);
}

std::string refusal_of(std::string_view line) {
  PostedRankingReader reader;
  try {
    static_cast<void>(reader.read(line));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput) << line;
    return error.what();
  }
  return "accepted";
}

TEST(PostedRanking, ReadsEveryKey) {
  PostedRankingReader reader;
  const PostedRanking& read = *reader.read(
      R"({"id":"r1","visit":"v1","topic":"EP1","query":"fuel cell","arm":"bm25",)"
      R"("time":"2026-11-28T15:00:00.250Z","latency_ms":12.5,"first_rank":11,"depth":100,)"
      R"("total":1234,"total_is_lower_bound":true,"flags":["partial","sorted"],"shadow":true,)"
      R"("compared":["bm25","tfidf"],"docnos":["EP2","US3"]})");
  EXPECT_EQ(read.id, "r1");
  EXPECT_EQ(read.visit, "v1");
  EXPECT_EQ(read.topic, "EP1");
  EXPECT_EQ(read.query, "fuel cell");
  EXPECT_EQ(read.arm, "bm25");
  EXPECT_EQ(read.served, parse_utc_time("2026-11-28T15:00:00.250Z"));
  EXPECT_EQ(read.latency, std::chrono::microseconds(12'500));
  EXPECT_EQ(read.first_rank, 11U);
  EXPECT_EQ(read.depth, 100U);
  EXPECT_EQ(read.total, 1234U);
  EXPECT_EQ(read.flags, RankingFlags::kPartial | RankingFlags::kSorted);
  EXPECT_EQ(read.shadow, true);
  EXPECT_THAT(*read.compared, ElementsAre("bm25", "tfidf"));
  EXPECT_THAT(read.docnos, ElementsAre("EP2", "US3"));
}

TEST(PostedRanking, WhatIsNotSaidIsUnknownAndNothingStaysFromTheLineBefore) {
  PostedRankingReader reader;
  static_cast<void>(reader.read(line_with(
      R"("visit":"v","arm":"a","latency_ms":1,"depth":5,"total":9,"shadow":true,"compared":[],)")));
  const PostedRanking& read =
      *reader.read(R"({"id":"r2","topic":"EP1","arm":null,"latency_ms":null,"docnos":[]})");
  EXPECT_EQ(read.visit, "r2") << "a ranking without a visit is one of its own";
  EXPECT_THAT(read.arm, IsEmpty());
  EXPECT_EQ(read.latency, std::nullopt);
  EXPECT_EQ(read.served, std::nullopt);
  EXPECT_EQ(read.depth, std::nullopt);
  EXPECT_EQ(read.total, std::nullopt);
  EXPECT_EQ(read.shadow, std::nullopt);
  EXPECT_EQ(read.compared, std::nullopt);
  EXPECT_EQ(read.first_rank, 1U);
  EXPECT_EQ(read.flags, RankingFlags::kNone);
  EXPECT_THAT(read.docnos, IsEmpty());
}

TEST(PostedRanking, TimesHaveAZone) {
  const UtcTime three = parse_utc_time("2026-11-28T15:00:00Z");
  for (const char* const text :
       {"2026-11-28T15:00:00Z", "2026-11-28T15:00:00z", "2026-11-28 15:00:00Z",
        "2026-11-28T16:00:00+01:00", "2026-11-28T09:30:00-05:30", "2026-11-29T00:00:00+09:00",
        "2026-11-28T15:00:00.0009999Z"}) {
    EXPECT_EQ(parse_zoned_time(text), three) << text;
  }
  EXPECT_EQ(parse_zoned_time("2026-11-28T15:00:00.123456789Z"),
            three + std::chrono::milliseconds(123));
  PostedRankingReader reader;
  EXPECT_EQ(reader.read(line_with("\"time\":1795878000000,"))->served, three)
      << "date -d 2026-11-28T15:00:00Z +%s is 1795878000";
  for (const char* const text :
       {"", "yesterday", "2026-11-28", "2026-11-28T15:00:00", "2026-11-28T15:00:00+1",
        "2026-11-28T15:00:00+0100", "2026-11-28T15:00:00+25:00", "2026-11-28T15:00:00.Z",
        "2026-11-31T15:00:00Z", "2026-11-28T25:00:00Z", "28.11.2026 15:00:00Z",
        "2026-11-28T15:00:00ZZ", "2026-11-28T15:00Z"}) {
    EXPECT_THROW(static_cast<void>(parse_zoned_time(text)), Error) << text;
  }
}

// The time that some languages have for "not set".
TEST(PostedRanking, RefusesTimesOfOtherCenturies) {
  EXPECT_THAT(refusal_of(line_with(R"("time":"0001-01-01T00:00:00Z",)")), HasSubstr("from 2000"));
}

TEST(PostedRanking, SecondsAreNotTakenForMilliseconds) {
  EXPECT_THAT(refusal_of(line_with("\"time\":1795878000,")), HasSubstr("13 digits"));
  EXPECT_THAT(refusal_of(line_with("\"time\":1795878000000000,")), HasSubstr("13 digits"));
  EXPECT_THAT(refusal_of(line_with("\"time\":1795878000000.5,")), HasSubstr("13 digits"));
}

struct Bad {
  const char* line;
  const char* why;
};

TEST(PostedRanking, RefusesWhatItCannotUnderstand) {
  for (const auto& [line, why] : std::initializer_list<Bad>{
           {"", "not JSON"},
           {"{", "not JSON"},
           {"[]", "not a JSON object"},
           {"17", "not a JSON object"},
           {R"({"id":"a"} {"id":"b"})", "not JSON"},
           {"\xff{}", "not JSON"},
           {R"({"topic":"EP1","docnos":[]})", "no id"},
           {R"({"id":null,"topic":"EP1","docnos":[]})", "no id"},
           {R"({"id":"","topic":"EP1","docnos":[]})", "id is empty"},
           {R"({"id":7,"topic":"EP1","docnos":[]})", "id is a number; expected a string"},
           {R"({"id":"a\u0000b","topic":"EP1","docnos":[]})", "NUL"},
           {R"({"id":"a","id":"b","topic":"EP1","docnos":[]})", "id is there twice"},
           {R"({"id":"a","docnos":[]})", "neither topic nor query"},
           {R"({"id":"a","topic":"EP1"})", "no docnos"},
           {R"({"id":"a","topic":"EP1","docnos":null})", "no docnos"},
           {R"({"id":"a","topic":"EP1","docnos":"EP2"})", "docnos is a string"},
           {R"({"id":"a","topic":"EP1","docnos":["EP2",3]})", "docnos[1] is a number"},
           {R"({"id":"a","topic":"EP1","docnos":["EP2",""]})", "docnos[1] is empty"},
           {R"({"id":"a","topic":"EP1","docno":["EP2"]})", "did you mean 'docnos'"},
           {R"({"id":"a","topic":"EP1","docnos":[],"latency":3})", "did you mean 'latency_ms'"},
           {R"({"id":"a","topic":"EP1","docnos":[],"latency_ms":-1})", "latency_ms is -1"},
           {R"({"id":"a","topic":"EP1","docnos":[],"latency_ms":"12"})", "latency_ms is a string"},
           {R"({"id":"a","topic":"EP1","docnos":[],"latency_ms":1e300})", "latency_ms is 1e"},
           {R"({"id":"a","topic":"EP1","docnos":[],"first_rank":0})", "first_rank is 0"},
           {R"({"id":"a","topic":"EP1","docnos":[],"first_rank":1.5})", "first_rank is 1.5"},
           {R"({"id":"a","topic":"EP1","docnos":[],"first_rank":4294967296})", "first_rank is 4"},
           {R"({"id":"a","topic":"EP1","docnos":[],"depth":0})", "depth is 0"},
           {R"({"id":"a","topic":"EP1","docnos":[],"depth":true})", "depth is a truth value"},
           {R"({"id":"a","topic":"EP1","docnos":[],"total":-3})", "total is -3"},
           {R"({"id":"a","topic":"EP1","docnos":[],"flags":["partail"]})", "mean 'partial'"},
           {R"({"id":"a","topic":"EP1","docnos":[],"shadow":"yes"})", "shadow is a string"},
           {R"({"id":"a","topic":"EP1","docnos":[],"compared":"bm25"})", "compared is a string"}}) {
    EXPECT_THAT(refusal_of(line), HasSubstr(why)) << line;
  }
  EXPECT_THAT(
      refusal_of(fmt::format(R"({{"id":"{}","topic":"EP1","docnos":[]}})", std::string(101, 'x'))),
      HasSubstr("101 bytes"));
}

TEST(PostedRanking, RefusesFactsThatContradictEachOther) {
  EXPECT_THAT(refusal_of(line_with("\"depth\":1,")), HasSubstr("2 docnos, and depth is 1"));
  EXPECT_THAT(refusal_of(line_with("\"total\":1,")), HasSubstr("total is 1"));
  EXPECT_THAT(refusal_of(line_with("\"first_rank\":10,\"total\":10,")), HasSubstr("rank 11"));
  EXPECT_THAT(refusal_of(line_with("\"flags\":[\"failed\"],")), HasSubstr("failed with 2 docnos"));
  EXPECT_THAT(refusal_of(line_with("\"first_rank\":4294967295,")), HasSubstr("below 2^32"));
  EXPECT_EQ(refusal_of(line_with("\"depth\":2,\"total\":2,")), "accepted");
  EXPECT_EQ(refusal_of(line_with("\"total\":1,\"total_is_lower_bound\":true,")), "accepted");
}

// An answer that timed out with hits is partial; without any, there is none.
TEST(PostedRanking, TellsFailuresFromPartialAndEmptyAnswers) {
  PostedRankingReader reader;
  const auto flags_of = [&](std::string_view rest) {
    return reader.read(fmt::format(R"({{"id":"a","topic":"EP1",{}}})", rest))->flags;
  };
  EXPECT_EQ(flags_of(R"("docnos":["EP2"],"flags":["timed_out"])"), RankingFlags::kPartial);
  EXPECT_EQ(flags_of(R"("docnos":["EP2"],"flags":["timed_out","sorted"])"),
            RankingFlags::kPartial | RankingFlags::kSorted);
  EXPECT_EQ(flags_of(R"("docnos":[],"flags":["timed_out"])"), RankingFlags::kTimedOut);
  EXPECT_EQ(flags_of(R"("flags":["failed"])"), RankingFlags::kFailed);
  EXPECT_EQ(flags_of(R"("docnos":[])"), RankingFlags::kNone);
  EXPECT_EQ(flags_of(R"("docnos":[],"total":0)"), RankingFlags::kNone);
  EXPECT_EQ(flags_of(R"("docnos":[],"total":57)"), RankingFlags::kFailed)
      << "documents match, and none was served";
  EXPECT_EQ(flags_of(R"("docnos":[],"total":57,"first_rank":101)"), RankingFlags::kNone)
      << "a page behind the last hit";
}

/// A document as the UBI plugin of OpenSearch writes it.
std::string ubi_document(std::string_view hits, std::string_view attributes = "{}") {
  return fmt::format(
      R"({{"application":"patents","query_id":"q7","query_response_id":"r7","client_id":"c",)"
      R"("user_query":"fuel cell","timestamp":"2026-11-28T15:00:00.000Z",)"
      R"("query_attributes":{},"query":"{{}}",{}}})",
      attributes, hits);
}

TEST(PostedRanking, ReadsUbiDocumentsInBothSpellings) {
  for (const char* const name : {"query_response_hit_ids", "query_response_object_ids"}) {
    PostedRankingReader reader;
    const PostedRanking& read =
        *reader.read(ubi_document(fmt::format(R"("{}":["EP2","US3"])", name), R"({"arm":"bm25"})"));
    EXPECT_EQ(read.id, "r7");
    EXPECT_EQ(read.visit, "q7");
    EXPECT_EQ(read.query, "fuel cell");
    EXPECT_EQ(read.arm, "bm25");
    EXPECT_EQ(read.served, parse_utc_time("2026-11-28T15:00:00Z"));
    EXPECT_THAT(read.docnos, ElementsAre("EP2", "US3")) << name;
    EXPECT_EQ(read.latency, std::nullopt) << "UBI does not say it";
    EXPECT_EQ(read.total, std::nullopt);
    EXPECT_EQ(read.depth, std::nullopt);
  }
  EXPECT_THAT(refusal_of(ubi_document(R"("more":1)")), HasSubstr("no docnos"));
  PostedRankingReader elsewhere(
      {.arm = "query_attributes.ab.config", .topic = "query_attributes.number"});
  const PostedRanking& read = *elsewhere.read(
      ubi_document(R"("query_response_hit_ids":[])", R"({"ab":{"config":"b"},"number":"EP1"})"));
  EXPECT_EQ(read.arm, "b");
  EXPECT_EQ(read.topic, "EP1");
}

TEST(PostedRanking, ActionsOfBulkRequestsSayNothing) {
  PostedRankingReader reader;
  EXPECT_EQ(reader.read(R"({"index":{"_index":"ubi_queries"}})"), nullptr);
  EXPECT_EQ(reader.read(R"({"create":{}})"), nullptr);
  EXPECT_THAT(refusal_of(R"({"delete":{"_id":"1"}})"), HasSubstr("unknown key 'delete'"));
}

}  // namespace
}  // namespace prescope
