// Answers that look whole and are not: by what they say of themselves, or by what a further page
// says. No such answer may become a ranking that is scored as if it were whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "conformance/watched.h"
#include "prescope/http/observed_http.h"
#include "support/fake_server.h"

namespace prescope::conformance {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Answer = FakeServer::Answer;
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Hits EP<first>, EP<first + 1>, ... with the value that their cursor needs.
json hits(int first, int count) {
  json list = json::array();
  for (int i = first; i < first + count; ++i) {
    list.push_back({{"_id", "EP" + std::to_string(i)}, {"sort", {1.0, i}}});
  }
  return list;
}

/// A whole answer of a search, which a test then damages.
json search_answer(json list, json total) {
  return {{"took", 1},
          {"timed_out", false},
          {"_shards", {{"total", 5}, {"successful", 5}, {"skipped", 0}, {"failed", 0}}},
          {"hits", {{"total", std::move(total)}, {"hits", std::move(list)}}}};
}

json total_of(int value, const std::string& relation = "eq") {
  return {{"value", value}, {"relation", relation}};
}

class Contradictions : public ::testing::Test {
 protected:
  /// Searches as the arm of a server with this script. Returns why there is no ranking; empty if
  /// there is one.
  std::string search(const FakeServer& server, const Settings& settings, std::uint32_t depth,
                     std::span<const Docno> exclude = {}) {
    ArmConfig arm{ArmId("a"), {}};
    for (const auto& [key, value] : settings) arm.settings.push_back({key, value, ""});
    http::ObservedHttp index(server.url("/index"), watched_.experiment());
    const auto searcher = index.searcher(arm);
    try {
      const QueryScope scope(watched_.experiment(), TopicId("T"));
      answer_ = searcher.search({.text = "x", .depth = depth, .exclude = exclude});
      notes_ = searcher.notes();
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  /// The arm of a search engine that answers each `_search` with this.
  std::string search_once(const json& answer, const Settings& more = {}) {
    const FakeServer server([&](const std::string& line, const std::string&) {
      return line.find("_search") == line.npos ? Answer{"{}", "404 Not Found"}
                                               : Answer{answer.dump()};
    });
    Settings settings{{"server", "opensearch"}, {"retries", "0"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return search(server, settings, 10);
  }

  Watched watched_{Watched::Citations{{"T", "EP1"}}};
  http::Answer answer_;
  std::vector<std::string> notes_;
};

TEST_F(Contradictions, AnAnswerOfSomeShardsIsPartial) {
  ASSERT_EQ(search_once(search_answer(hits(1, 10), total_of(10))), "");
  const std::vector<std::pair<const char*, json>> patches{
      {"shards that are not assigned count as neither", {{"_shards", {{"successful", 3}}}}},
      {"a shard failed", {{"_shards", {{"failed", 1}}}}},
      {"another cluster was skipped", {{"_clusters", {{"total", 2}, {"skipped", 1}}}}},
      {"another cluster is partial", {{"_clusters", {{"total", 2}, {"partial", 1}}}}},
      {"terminated early", {{"terminated_early", true}}},
      {"out of time", {{"timed_out", true}}},
      {"an error beside hits", {{"error", {{"type", "x"}}}}}};
  for (const auto& [what, patch] : patches) {
    json answer = search_answer(hits(1, 10), total_of(10));
    answer.merge_patch(patch);
    EXPECT_THAT(search_once(answer), HasSubstr("the answer is partial")) << what;
    EXPECT_EQ(search_once(answer, {{"partial_answers", "serve"}}), "") << what;
    EXPECT_EQ(answer_.flags, RankingFlags::kPartial) << what;
    EXPECT_THAT(notes_, ElementsAre(HasSubstr("were partial"))) << what;
  }
}

TEST_F(Contradictions, AnAnswerWithoutHitsIsNoEmptyRanking) {
  EXPECT_EQ(search_once(search_answer(json::array(), total_of(0))), "");
  json no_shards = search_answer(json::array(), total_of(0));
  no_shards["_shards"] = {{"total", 0}, {"successful", 0}, {"failed", 0}};
  EXPECT_THAT(search_once(no_shards), HasSubstr("an error instead of hits"));
  EXPECT_THAT(search_once(search_answer(json::array(), total_of(7))),
              HasSubstr("7 documents match, and gave no hit"));
  EXPECT_THAT(search_once(search_answer(nullptr, total_of(0))), HasSubstr("/hits/hits"));
  EXPECT_THAT(search_once(search_answer("none", total_of(0))), HasSubstr("is a string"));
}

TEST_F(Contradictions, ATotalThatCannotBeReadIsRefused) {
  for (const json& total : {json("10"), json(10.5), json(-2), json{{"value", "10"}}}) {
    EXPECT_THAT(search_once(search_answer(hits(1, 10), total)),
                HasSubstr("expected a whole number"))
        << total;
  }
  EXPECT_EQ(search_once(search_answer(hits(1, 10), 10.0)), "");
  EXPECT_EQ(search_once(search_answer(hits(1, 10), -1)), "") << "nobody counted";
}

TEST_F(Contradictions, WhatAnAnswerDoesNotSayIsNamed) {
  EXPECT_EQ(search_once({{"hits", {{"hits", hits(1, 4)}}}}), "");
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("do not say whether every shard answered"),
                                  HasSubstr("gave no total at /hits/total/value"),
                                  HasSubstr("fewer hits than were asked for")));
}

TEST_F(Contradictions, OnlyStatus200IsAnAnswer) {
  const std::string whole = search_answer(hits(1, 10), total_of(10)).dump();
  for (const char* const status : {"206 Partial Content", "204 No Content", "302 Found"}) {
    const FakeServer server([&](auto&&, auto&&) { return Answer{whole, status}; });
    EXPECT_THAT(search(server, {{"server", "elasticsearch"}, {"retries", "0"}}, 10),
                HasSubstr("HTTP status"));
  }
}

/// Returns the script of a server with points in time: `page(n)` is its n-th page, from 0.
FakeServer::Script paged(std::function<json(int)> page, const json& opened = {{"pit_id", "p"}}) {
  auto next = std::make_shared<int>(0);
  return [=](const std::string& line, const std::string&) -> Answer {
    if (line.starts_with("DELETE")) return {"{}"};
    if (line.find("point_in_time") != line.npos) return {opened.dump()};
    if (line.find("_search") != line.npos) return {page((*next)++).dump()};
    return {"{}", "404 Not Found"};
  };
}

const Settings kPages{{"server", "opensearch"}, {"retries", "0"}, {"window", "4"}};

TEST_F(Contradictions, PagesBelongTogether) {
  const FakeServer good(paged([](int n) { return search_answer(hits(4 * n, 4), total_of(40)); }));
  EXPECT_EQ(search(good, kPages, 10), "");
  EXPECT_THAT(answer_.docnos, SizeIs(10));
  EXPECT_EQ(good.requests("DELETE"), 1U);

  const FakeServer same(paged([](int) { return search_answer(hits(0, 4), total_of(40)); }));
  EXPECT_THAT(search(same, kPages, 10), HasSubstr("only documents of earlier pages"));
  const FakeServer stays(paged([](int n) {
    json list = hits(4 * n, 4);
    list[3]["sort"] = {1.0, 7};
    return search_answer(list, total_of(40));
  }));
  EXPECT_THAT(search(stays, kPages, 10), HasSubstr("gave no cursor"));
  const FakeServer without(paged([](int n) {
    json list = hits(4 * n, 4);
    for (json& hit : list) hit.erase("sort");
    return search_answer(list, total_of(40));
  }));
  EXPECT_THAT(search(without, kPages, 10), HasSubstr("gave no cursor"));
  const FakeServer moved(
      paged([](int n) { return search_answer(n < 2 ? hits(4 * n, 4) : hits(7, 1), total_of(9)); }));
  EXPECT_EQ(search(moved, kPages, 10), "");
  EXPECT_THAT(notes_, Contains(HasSubstr("on a later page that an earlier one had")));
  const FakeServer shrinks(paged(
      [](int n) { return search_answer(hits(4 * n, n == 0 ? 4 : 0), total_of(n == 0 ? 40 : 4)); }));
  EXPECT_THAT(search(shrinks, kPages, 10), HasSubstr("40 documents match, and gave 4 of 10 hits"));
}

TEST_F(Contradictions, APointInTimeMayLackShards) {
  const auto whole = [](int n) { return search_answer(hits(4 * n, 4), total_of(40)); };
  const json opened{{"pit_id", "p"}, {"_shards", {{"total", 5}, {"successful", 1}, {"failed", 4}}}};
  const FakeServer server(paged(whole, opened));
  EXPECT_THAT(search(server, kPages, 10), HasSubstr("the point in time lacks shards"));
  EXPECT_EQ(server.requests("allow_partial_pit_creation=false"), 1U);
  const FakeServer none(paged(whole, json::object()));
  EXPECT_THAT(search(none, kPages, 10), HasSubstr("opened no point in time"));
}

TEST_F(Contradictions, ALeastTotalProvesNoEnd) {
  EXPECT_EQ(search_once(search_answer(hits(1, 4), total_of(4, "gte"))), "");
  const json plain{{"results", {{{"id", "EP1"}}, {{"id", "EP2"}}}}};
  const FakeServer server([&](auto&&, auto&&) { return Answer{plain.dump()}; });
  ArmConfig arm{ArmId("a"),
                {{"server", "json", ""},
                 {"path", "?{{QUERY}}{{DEPTH}}", ""},
                 {"hits", "/results", ""},
                 {"docno", "/id", ""}}};
  http::ObservedHttp index(server.url("/index"), watched_.experiment());
  const auto searcher = index.searcher(arm);
  for (int i = 0; i < 3; ++i) {
    const QueryScope scope(watched_.experiment(), TopicId("T"));
    EXPECT_THAT(searcher.search({.text = "x", .depth = 50}).docnos, SizeIs(2));
  }
  EXPECT_THAT(searcher.notes(), ElementsAre(HasSubstr("at most 2, in 3 of 3 searches")));
}

// Retries of a busy server and of its partial answers are one budget.
TEST_F(Contradictions, RetriesAreOneBudget) {
  json partial = search_answer(hits(1, 10), total_of(10));
  partial["timed_out"] = true;
  auto count = std::make_shared<int>(0);
  const FakeServer server([&](const std::string& line, const std::string&) -> Answer {
    if (line.find("_search") == line.npos) return {"{}", "404 Not Found"};
    return (*count)++ % 2 == 0 ? Answer{"", "503 Busy"} : Answer{partial.dump()};
  });
  EXPECT_NE(search(server, {{"server", "opensearch"}, {"retries", "3"}}, 10), "");
  EXPECT_EQ(server.requests("_search"), 4U);
}

TEST_F(Contradictions, TheLatencyIsTheServersAndOfOneSearch) {
  const std::string whole = search_answer(hits(1, 40), total_of(40)).dump();
  const FakeServer server([&](const std::string& line, const std::string&) {
    return line.find("_search") == line.npos ? Answer{"{}", "404 Not Found"} : Answer{whole};
  });
  // A request about the index comes just before, so that the search is held back for a second.
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(search(server, {{"server", "opensearch"}, {"rate", "1"}}, 40), "");
  const auto all = std::chrono::steady_clock::now() - began;
  EXPECT_LT(watched_.seen().back().facts.latency + std::chrono::milliseconds(300), all);

  // Each hit has the key of the excluded patent, so that the engine is asked once more.
  json copies = json::array();
  for (int i = 0; i < 12; ++i) copies.push_back({{"_id", "EP7"}});
  for (int i = 20; i < 40; ++i) copies.push_back({{"_id", "EP" + std::to_string(i)}});
  const FakeServer excluding([&](const std::string& line, const std::string& body) -> Answer {
    if (line.find("_search") == line.npos) return {"{}", "404 Not Found"};
    const std::size_t size = json::parse(body).at("size");
    json list(copies.begin(), copies.begin() + std::min(size, copies.size()));
    return {search_answer(list, total_of(32)).dump()};
  });
  const std::vector<Docno> exclude{Docno("EP7")};
  EXPECT_EQ(search(excluding, {{"server", "opensearch"}}, 10, exclude), "");
  EXPECT_THAT(answer_.docnos, SizeIs(10));
  EXPECT_EQ(answer_.docnos.front(), "EP20");
  EXPECT_EQ(answer_.flags, RankingFlags::kRetried) << "its latency is that of two searches";
}

TEST_F(Contradictions, TheServerIsTheOneThatTheArmNames) {
  const auto about = [](const char* version) {
    return [=](const std::string& line, const std::string&) {
      return line == "GET /" ? Answer{version} : Answer{"{}", "404 Not Found"};
    };
  };
  const auto refusal = [&](const char* version, const std::string& named) {
    const FakeServer server(about(version));
    try {
      return search(server, {{"server", named}, {"retries", "0"}}, 1);
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refusal(R"({"version":{"number":"8.1.0"}})", "opensearch"),
              HasSubstr("set server = elasticsearch"));
  EXPECT_THAT(
      refusal(R"({"version":{"number":"2.1.0","distribution":"opensearch"}})", "elasticsearch"),
      HasSubstr("set server = opensearch"));
  for (const char* const odd :
       {"[]", "{}", R"({"version":5})", R"({"version":{"number":5,"distribution":null}})",
        R"({"version":{"number":"0.8.0","distribution":"quickwit"}})"}) {
    EXPECT_THAT(refusal(odd, "opensearch"), HasSubstr("HTTP status 404")) << odd;
  }
}

TEST_F(Contradictions, NoMessageShowsASecret) {
  ASSERT_EQ(::setenv("PRESCOPE_TEST_SECRET", "pa55\"word\r\n", 1), 0);
  const FakeServer echo([](auto&&, auto&&) {
    return Answer{R"(you sent Basic Ym9iOng= and pa55"word and pa55\"word)", "401 Unauthorized"};
  });
  const std::string why =
      search(echo, {{"server", "elasticsearch"}, {"token_env", "PRESCOPE_TEST_SECRET"}}, 10);
  EXPECT_THAT(why, HasSubstr("you sent Basic *** and *** and ***"));
  EXPECT_THAT(why, Not(HasSubstr("pa55")));
}

}  // namespace
}  // namespace prescope::conformance
