// Searches of every kind of server: the same ranking, pages, cursors, and what goes along.
#include <chrono>
#include <cstdlib>

#include "conformance/http/search_front.h"

namespace prescope::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EveryServer : public SearchFront, public ::testing::WithParamInterface<std::string> {};

TEST_P(EveryServer, ServesTheRankingAndIsObserved) {
  const auto searched = searcher(arm_of(GetParam()));
  const http::Answer answer = search(searched);
  EXPECT_THAT(answer.docnos, ElementsAreArray(from(60, 10)));
  EXPECT_EQ(answer.total, 60U);
  EXPECT_EQ(answer.flags, RankingFlags::kNone);
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(1, 6));
  const Seen seen = watched_.seen().front();
  EXPECT_EQ(seen.facts.depth, 10U);
  EXPECT_GT(seen.facts.latency.count(), 0);
  EXPECT_THAT(searched.notes(), IsEmpty());
}

TEST_P(EveryServer, ServesALaterPage) {
  const http::Answer answer = search(searcher(arm_of(GetParam())), 5, 56);
  EXPECT_THAT(answer.docnos, ElementsAreArray(from(5, 5)));
  EXPECT_THAT(watched_.seen().front().ranks(), ElementsAre(58));
}

TEST_P(EveryServer, ARankingThatEndsIsWhole) {
  const http::Answer answer = search(searcher(arm_of(GetParam())), 100);
  EXPECT_THAT(answer.docnos, ElementsAreArray(from(60, 60)));
  EXPECT_EQ(answer.flags, RankingFlags::kNone);
}

TEST_P(EveryServer, AQueryMayContainAnything) {
  const auto searched = searcher(arm_of(GetParam()));
  const QueryScope scope(watched_.experiment(), TopicId("T"));
  const std::string odd = "valve \"}{ \\ & = % + ü {{DEPTH}} \n\t\x01 end";
  EXPECT_EQ(searched.search({.text = odd, .depth = 3}).docnos.size(), 3U);
}

TEST_P(EveryServer, PagesBeyondTheWindowAreTheSameRanking) {
  for (const std::uint32_t depth : {7U, 8U, 9U, 60U, 61U}) {
    const http::Answer answer = search(searcher(arm_of(GetParam()), {{"window", "4"}}), depth);
    EXPECT_THAT(answer.docnos, ElementsAreArray(from(60, static_cast<int>(std::min(depth, 60U)))));
    EXPECT_EQ(answer.flags, RankingFlags::kNone) << depth;
  }
  const http::Answer page = search(searcher(arm_of(GetParam()), {{"window", "4"}}), 5, 7);
  EXPECT_THAT(page.docnos, ElementsAreArray(from(54, 5)));
}

TEST_P(EveryServer, ExcludedDocumentsAreLeftOut) {
  const auto searched = searcher(arm_of(GetParam()));
  const std::vector<Docno> exclude{Docno("EP60"), Docno("EP58"), Docno("EP1000")};
  const QueryScope scope(watched_.experiment(), TopicId("T"));
  const http::Answer answer = searched.search({.text = "valve", .depth = 4, .exclude = exclude});
  EXPECT_THAT(answer.docnos, ElementsAre("EP59", "EP57", "EP56", "EP55"));
  EXPECT_THAT(watched_.only_ranks(), ElementsAre(4));
}

INSTANTIATE_TEST_SUITE_P(Servers, EveryServer,
                         ::testing::Values("opensearch", "elasticsearch", "solr", "vespa", "json"),
                         [](const auto& of) { return of.param; });

class HttpSearch : public SearchFront {};

TEST_F(HttpSearch, SaysWhatCursorsDoToEqualScores) {
  const auto searched = searcher(arm_of("opensearch"), {{"window", "4"}});
  search(searched, 4);
  EXPECT_THAT(searched.notes(), IsEmpty());
  search(searched, 5);
  EXPECT_THAT(searched.notes(), ElementsAre(HasSubstr("orders equal scores by _id")));
  const auto by_field = searcher(arm_of("elasticsearch"), {{"window", "4"}});
  search(by_field, 5);
  EXPECT_THAT(by_field.notes(), ElementsAre(HasSubstr("orders equal scores by _shard_doc")));
}

TEST_F(HttpSearch, ReadsDocnosFromAField) {
  const http::Answer answer = search(searcher(arm_of("opensearch"), {{"docno_field", "docno"}}), 2);
  EXPECT_THAT(answer.docnos, ElementsAre("EP60", "EP59"));
}

TEST_F(HttpSearch, CountsDocumentsAndNamesTheServer) {
  for (const std::string server : {"opensearch", "solr", "vespa"}) {
    static_cast<void>(searcher(arm_of(server)));
    EXPECT_EQ(observed_->num_documents(), 60U) << server;
  }
  static_cast<void>(searcher(arm_of("json")));
  EXPECT_EQ(observed_->num_documents(), 0U) << "nobody knows";
  static_cast<void>(searcher(arm_of("opensearch")));
  EXPECT_EQ(observed_->server(), "opensearch 2.11.1");
}

// A misspelt field is no error for these servers: the query just finds nothing.
TEST_F(HttpSearch, RefusesFieldsThatTheIndexDoesNotHave) {
  FrontArm arm = arm_of("opensearch");
  arm.settings = {{"query",
                   R"({"bool":{"should":[{"match":{"titel":{{QUERY}}}},)"
                   R"({"multi_match":{"query":{{QUERY}},"fields":["absract^2","text"]}}]}})"}};
  expect_error(ErrorCode::kUsage,
               ::testing::AllOf(HasSubstr("x.toml:2: the index has no field 'titel'"),
                                HasSubstr("did you mean 'title'"), HasSubstr("no field 'absract'")),
               [&] { return searcher(arm); });
}

TEST_F(HttpSearch, SaysThatNothingWasEverFound) {
  FrontArm arm = arm_of("opensearch");
  arm.settings = {{"query", R"({"match":{"title":{{QUERY}}}})"}};
  const auto searched = searcher(arm);
  EXPECT_THAT(search(searched).docnos, IsEmpty());
  EXPECT_THAT(searched.notes(), ElementsAre(HasSubstr("none of 1 searches found a document")));
  EXPECT_EQ(counted().failed_queries, 0U);
}

// A service that gives ten hits whatever it is asked for, and no total.
TEST_F(HttpSearch, SaysThatEachRankingEndsAlike) {
  FrontArm arm = arm_of("json");
  arm.settings = {{"path", "?q={{QUERY}}&n=10&wanted={{DEPTH}}"},
                  {"hits", "/results"},
                  {"docno", "/patent/number"}};
  const auto searched = searcher(arm);
  for (int i = 0; i < 3; ++i) search(searched, 50);
  EXPECT_THAT(searched.notes(), ElementsAre(HasSubstr("at most 10, in 3 of 3 searches")));
  arm.settings.push_back({"total", "/meta/matches"});
  expect_error(ErrorCode::kEngine, "60 documents match, and gave 10 of 50 hits", [&] {
    return search(searcher(arm, {{"retries", "0"}}), 50);
  });
}

// Without an offset, a later page would be the first one again.
TEST_F(HttpSearch, RefusesALaterPageThatTheRequestCannotAskFor) {
  FrontArm arm = arm_of("json");
  arm.settings.front() = {"path", "?q={{QUERY}}&n={{DEPTH}}"};
  EXPECT_THAT(search(searcher(arm), 5).docnos, ElementsAreArray(from(60, 5)));
  expect_error(ErrorCode::kEngine, "5 hits from rank 3 on are wanted",
               [&] { return search(searcher(arm), 5, 3); });
  expect_error(ErrorCode::kEngine, "no {{OFFSET}}", [&] {
    return search(searcher(arm, {{"window", "4"}}), 5);
  });
}

// The configuration of a server may replace what the request asks for.
TEST_F(HttpSearch, RefusesAnAnswerThatBeginsElsewhere) {
  const FrontArm arm{"solr", "/solr/bm25", {{"body", "q={{QUERY}}&rows={{DEPTH}}&start=5"}}};
  expect_error(ErrorCode::kEngine, "begins at rank 6, and rank 1 was asked for",
               [&] { return search(searcher(arm)); });
}

TEST_F(HttpSearch, SendsSecretsFromVariablesAndFiles) {
  const ScratchFolder folder;
  ASSERT_EQ(::setenv("PRESCOPE_TEST_SECRET", "s3:cret", 1), 0);
  const std::string file = folder.write("secret", "from a file\r\nsecond line\n");
  const auto sent = [&](const Settings& more) {
    search(searcher(arm_of("opensearch"), more), 1);
    return front_->counters().at("authorization").get<std::string>();
  };
  EXPECT_EQ(sent({}), "");
  EXPECT_EQ(sent({{"token_env", "PRESCOPE_TEST_SECRET"}}), "Bearer s3:cret");
  EXPECT_EQ(sent({{"api_key_file", file}}), "ApiKey from a file");
  // "ada:s3:cret" in Base64
  EXPECT_EQ(sent({{"user", "ada"}, {"password_env", "PRESCOPE_TEST_SECRET"}}),
            "Basic YWRhOnMzOmNyZXQ=");
}

TEST_F(HttpSearch, KeepsToItsRate) {
  const auto searched = searcher(arm_of("solr"), {{"rate", "20"}});
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) search(searched, 1);
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(200));
}

TEST_F(HttpSearch, DepthAndFirstRankBeginWithOne) {
  const auto searched = searcher(arm_of("solr"));
  expect_error(ErrorCode::kUsage, "at least 1 of each", [&] { return search(searched, 0); });
  expect_error(ErrorCode::kUsage, "at least 1 of each", [&] { return search(searched, 5, 0); });
  EXPECT_EQ(counted().failed_queries, 2U);
}

}  // namespace
}  // namespace prescope::conformance
