// An arm's settings, and the requests that they make.
#include "arm_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/watched.h"
#include "known_engines.h"
#include "prescope/http/observed_http.h"

namespace prescope::conformance {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Settings = std::vector<std::pair<std::string, std::string>>;

ArmConfig arm_with(const Settings& settings) {
  ArmConfig arm{ArmId("a"), {}};
  for (const auto& [key, value] : settings) {
    arm.settings.push_back({key, value, "x.toml:" + std::to_string(arm.settings.size() + 1)});
  }
  return arm;
}

std::string refusal_of(const Settings& settings) {
  try {
    static_cast<void>(http::read_arm_options(arm_with(settings)));
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

const Settings kJson{{"server", "json"},
                     {"path", "?q={{QUERY}}&n={{DEPTH}}"},
                     {"hits", "/results"},
                     {"docno", "/id"}};

Settings json_with(const Settings& more) {
  Settings all = kJson;
  for (const auto& setting : more) {
    std::erase_if(all, [&](const auto& one) { return one.first == setting.first; });
    all.push_back(setting);
  }
  return all;
}

TEST(HttpTemplate, JsonTextsAreQuotedOnce) {
  const http::RequestTemplate request{
      .path = "/search?topic={{TOPIC}}",
      .body = R"({"a":{{QUERY}},"b":"say {{QUERY}}!","n":{{DEPTH}},"o":{{OFFSET}},"\"":{{TOPIC}}})",
      .content_type = "application/json"};
  const http::Call call =
      request.fill("http://host/index",
                   {.query = "a \"b\" \\ \n\xff", .topic = "EP 1/2&x", .depth = 7, .offset = 3});
  EXPECT_EQ(call.url, "http://host/index/search?topic=EP%201%2F2%26x");
  EXPECT_EQ(
      call.body,
      "{\"a\":\"a \\\"b\\\" \\\\ \\n\xEF\xBF\xBD\",\"b\":\"say a \\\"b\\\" \\\\ \\n\xEF\xBF\xBD!\","
      "\"n\":7,\"o\":3,\"\\\"\":\"EP 1/2&x\"}");
}

TEST(HttpTemplate, FormsAreEncoded) {
  const http::RequestTemplate request{.body = "q={{QUERY}}&rows={{DEPTH}}&x={{{OFFSET}}}",
                                      .content_type = "application/x-www-form-urlencoded"};
  EXPECT_EQ(request.fill("http://host/i", {.query = "a&b=c d", .depth = 5}).body,
            "q=a%26b%3Dc%20d&rows=5&x={0}");
}

TEST(HttpTemplate, TheServerIsTheUrlWithoutTheIndex) {
  EXPECT_EQ(http::server_of("http://host:9200/patents"), "http://host:9200");
  EXPECT_EQ(http::server_of("http://host/search/v1/patents"), "http://host/search/v1");
  EXPECT_EQ(http::server_of("http://host:9200"), "http://host:9200");
}

TEST(HttpArm, ReadsEverySetting) {
  const http::ArmOptions options =
      http::read_arm_options(arm_with(json_with({{"total", "/total /meta/total"},
                                                 {"partial", "/complete=false /error"},
                                                 {"window", "50"},
                                                 {"timeout_s", "2.5"},
                                                 {"retries", "7"},
                                                 {"rate", "3"},
                                                 {"in_flight", "4"},
                                                 {"partial_answers", "serve"},
                                                 {"verify", "false"},
                                                 {"ca_file", "/dev/null"},
                                                 {"headers.X-Opaque-Id", "prescope"}})));
  EXPECT_THAT(options.shape.total, ElementsAre("/total", "/meta/total"));
  EXPECT_THAT(options.shape.partial, ElementsAre("/complete=false", "/error"));
  EXPECT_EQ(options.window, 50U);
  EXPECT_EQ(options.connection.timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(options.connection.retries, 7U);
  EXPECT_EQ(options.connection.most_a_second, 3U);
  EXPECT_EQ(options.connection.most_at_once, 4U);
  EXPECT_FALSE(options.refuses_partial);
  EXPECT_FALSE(options.connection.verifies);
  EXPECT_EQ(options.connection.ca_file, "/dev/null");
  EXPECT_THAT(options.connection.headers, ElementsAre("X-Opaque-Id: prescope"));
  EXPECT_EQ(options.request.method, "GET");
  EXPECT_EQ(http::read_arm_options(arm_with(json_with({{"body", "[{{QUERY}},{{DEPTH}}]"}})))
                .request.method,
            "POST");
}

TEST(HttpArm, RefusesWhatCannotWork) {
  const std::vector<std::pair<Settings, std::string>> cases{
      {{}, "arm 'a' has no server"},
      {{{"server", "opensaerch"}}, "unknown server 'opensaerch'; did you mean 'opensearch'?"},
      {json_with({{"hitz", "/x"}}), "unknown arm setting 'hitz'"},
      {json_with({{"hits", "results"}}), "'results' is no JSON pointer"},
      {json_with({{"docno", "/a~x"}}), "write ~0 for ~"},
      {json_with({{"partial", "complete=false"}}), "'complete' is no JSON pointer"},
      {json_with({{"path", "?q={{QUERY}}"}}), "{{DEPTH}} is not in the request"},
      {json_with({{"path", "?n={{DEPTH}}"}}), "neither {{QUERY}} nor {{TOPIC}}"},
      {json_with({{"path", "?q={{QUREY}}&n={{DEPTH}}"}}), "unknown placeholder 'QUREY'"},
      {json_with({{"query", "x"}}), "'query' has no meaning for server = json"},
      {{{"server", "json"}, {"path", "?q={{QUERY}}&n={{DEPTH}}"}}, "arm 'a' has no hits"},
      {json_with({{"window", "2.5"}}), "expected a whole number"},
      {json_with({{"timeout_s", "0"}}), "timeout_s = '0'"},
      {json_with({{"retries", "-1"}}), "retries = '-1'"},
      {json_with({{"verify", "no"}}), "unknown verify 'no'"},
      {json_with({{"headers.X Y:", "1"}}), "'X Y:' is not the name of a header"},
      {json_with({{"headers.X", "1\r\nY: 2"}}), "expected one line as the value"},
      {json_with({{"headers.X", ""}}), "expected one line as the value"},
      {json_with({{"headers.Authorization", "x"}}), "set user and password_env"},
      {json_with({{"headers.X-Api-Key", "x"}}), "set headers_env.X-Api-Key"},
      {json_with({{"headers_env.X", "PRESCOPE_TEST_NOT_SET"}}), "PRESCOPE_TEST_NOT_SET is not set"},
      {json_with({{"path", "?q={{QUERY}}&n={{DEPTH}}&apikey=x"}}), "a secret in a request"},
      {json_with({{"path", "search?q={{QUERY}}&n={{DEPTH}}"}}), "expected / or ? first"},
      {json_with({{"path", "?q={{ QUERY }}&n={{DEPTH}}"}}), "unknown placeholder ' QUERY '"},
      {json_with({{"path", "?q={{query}}&n={{DEPTH}}"}}), "unknown placeholder 'query'"},
      {json_with({{"path", "?q={{QUERY2}}&n={{DEPTH}}"}}), "unknown placeholder 'QUERY2'"},
      {json_with({{"path", "?n={{DEPTH}}&q={{QUERY"}}), "'{{QUERY' has no }}"},
      {json_with({{"body", "{\"q\":{{QUERY}},\"n\":{{DEPTH}},\"api_key\":\"x\"}"}}),
       "a secret in a request"},
      {json_with({{"path", "?q={{QUERY}}&n={{DEPTH}}&c={{CURSOR}}"}}), "{{CURSOR}} has no meaning"},
      {json_with({{"body", "{\"q\":{{QUERY}},{{DEPTH}}}"}}), "the request is not JSON"},
      {json_with({{"ca_file", "/no/such/file"}}), "/no/such/file: cannot be read"},
      {{{"server", "opensearch"}, {"query", "{\"match\":{\"t\":{{QUERY}}}"}}, "is not JSON"},
      {{{"server", "vespa"}, {"ties", "id"}}, "'ties' has no meaning for server = vespa"},
      {{{"server", "solr"}, {"body", "q={{QUERY}}&rows={{DEPTH}}"}, {"query", "q={{QUERY}}"}},
       "'query' has no meaning for a request of your own"},
      {json_with({{"token_env", "PRESCOPE_TEST_NOT_SET"}}), "PRESCOPE_TEST_NOT_SET is not set"},
      {json_with({{"token_file", "/no/such/file"}}), "cannot be read"},
      {json_with({{"user", "ada"}}), "user without a password"},
      {json_with({{"token_env", "PATH"}, {"api_key_env", "PATH"}}), "one of password, token"},
      {json_with({{"token_env", "PATH"}, {"token_file", "x"}}), "are both set"}};
  for (const auto& [settings, says] : cases) EXPECT_THAT(refusal_of(settings), HasSubstr(says));
}

TEST(HttpArm, NamesAllComplaintsAtOnce) {
  EXPECT_THAT(refusal_of(json_with({{"window", "x"}, {"rate", "y"}})),
              AllOf(HasSubstr("x.toml:5: window"), HasSubstr("x.toml:6: rate")));
}

TEST(HttpArm, FindsTheFieldsOfAQuery) {
  EXPECT_THAT(http::fields_of_query(
                  R"({"bool":{"must":{"match":{"title":{"query":{{QUERY}},"boost":2}}},
                      "should":[{"multi_match":{"query":{{QUERY}},"fields":["abstract^3","c*"]}},
                                {"match_phrase":{"claims":{{QUERY}}}},
                                {"query_string":{"query":{{QUERY}},"default_field":"text"}}],
                      "filter":{"term":{"_index":"x"}}}})"),
              ElementsAre("title", "abstract", "claims", "text"));
  EXPECT_THAT(http::fields_of_query("not json {{QUERY}}"), IsEmpty());
  EXPECT_THAT(http::fields_of_query(
                  R"({"query":{"bool":{"must":{"match":{"title":{{QUERY}}}},
                                       "filter":{"term":{"rt":1}}}},
                      "runtime_mappings":{"rt":{"type":"long"}},
                      "aggs":{"c":{"terms":{"field":"ipc","size":5}}}})"),
              ElementsAre("title"));
}

TEST(HttpIndex, RefusesUrlsThatAreNone) {
  Watched watched(Watched::Citations{{"T", "EP1"}});
  const auto refused = [&](const std::string& url, const std::string& says) {
    expect_error(ErrorCode::kUsage, HasSubstr(says),
                 [&] { return http::ObservedHttp(url, watched.experiment()).server(); });
  };
  refused("indexes/patents", "is not behind HTTP");
  refused("ftp://host/x", "is not behind HTTP");
  refused("ftp://ada:secret@host/x", "contains a user or a password");
  refused("http:///x", "names no server");
  refused("http://ada:secret@host/x", "contains a user or a password");
  refused("http://host/x?y=1", "belong in the setting path");
  try {
    http::ObservedHttp("http://ada:secret@host/x", watched.experiment());
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("secret"))) << "it would be logged";
  }
}

}  // namespace
}  // namespace prescope::conformance
