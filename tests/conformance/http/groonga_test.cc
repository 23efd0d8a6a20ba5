// Groonga as an engine that prescope does not know by name: a request and places in its answer are
// all that it needs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "conformance/watched.h"
#include "prescope/http/observed_http.h"
#include "support/child_process.h"
#include "support/http_client.h"

namespace prescope::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A server with 30 patents: EPi has the word "valve" i times.
class GroongaServer {
 public:
  GroongaServer() : url_(fmt::format("http://127.0.0.1:{}", port_)) {
    process_.start({"groonga", "-s", "--protocol", "http", "--bind-address", "127.0.0.1", "--port",
                    std::to_string(port_), "-n", (process_.folder() / "db").string()});
    for (int i = 0; i < 300 && !process_.has_ended() && !is_there(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ask("table_create?name=Patents&flags=TABLE_HASH_KEY&key_type=ShortText");
    ask("column_create?table=Patents&name=words&flags=COLUMN_SCALAR&type=Text");
    ask("table_create?name=Terms&flags=TABLE_PAT_KEY&key_type=ShortText"
        "&default_tokenizer=TokenBigram&normalizer=NormalizerAuto");
    ask("column_create?table=Terms&name=index&flags=COLUMN_INDEX%7CWITH_POSITION"
        "&type=Patents&source=words");
    std::string patents = "[";
    for (int i = 1; i <= 30; ++i) {
      std::string words;
      for (int w = 0; w < i; ++w) words += "valve ";
      patents += fmt::format(R"({}{{"_key":"EP{}","words":"{}"}})", i == 1 ? "" : ",", i, words);
    }
    patents += "]";
    const HttpAnswer loaded =
        answer_to(url_, fmt::format("POST /d/load?table=Patents HTTP/1.1\r\nHost: localhost\r\n"
                                    "Connection: close\r\nContent-Type: application/json\r\n"
                                    "Content-Length: {}\r\n\r\n{}",
                                    patents.size(), patents));
    EXPECT_THAT(loaded.body, HasSubstr(",30]")) << process_.said();
  }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  [[nodiscard]] bool is_there() const {
    try {
      return get(url_, "/d/status").status == 200;
    } catch (const std::system_error&) {
      return false;
    }
  }
  void ask(const std::string& command) const {
    const HttpAnswer answer = get(url_, "/d/" + command);
    EXPECT_EQ(answer.status, 200U) << command << answer.body;
  }

  std::uint16_t port_ = free_port();
  std::string url_;
  ChildProcess process_;
};

TEST(HttpGroonga, IsAnArmBySettingsAlone) {
  if (std::system("command -v groonga > /dev/null") != 0) {
    GTEST_SKIP() << "groonga is not installed (docs/dependencies/install.sh test)";
  }
  const GroongaServer server;
  Watched watched(Watched::Citations{{"T", "EP30"}, {"T", "EP3"}});
  const auto arm = [&](const std::string& path) {
    return ArmConfig{ArmId("a"),
                     {{"server", "json", ""},
                      {"path", path, ""},
                      {"hits", "/body/records", ""},
                      {"docno", "/0", ""},  // a hit is a list: [key, score]
                      {"total", "/body/n_hits", ""},
                      {"failed", "/header/error", ""},
                      {"window", "12", ""},
                      {"retries", "0", ""}}};
  };
  const std::string path =
      "/d/select?table=Patents&match_columns=words&query={{QUERY}}&limit={{DEPTH}}"
      "&offset={{OFFSET}}&output_columns=_key,_score&sort_keys=-_score,_key&command_version=3";
  http::ObservedHttp index(server.url(), watched.experiment());
  const auto search = [&](const http::HttpSearcher& searcher, std::string_view text) {
    const QueryScope scope(watched.experiment(), TopicId("T"));
    return searcher.search({.text = text, .depth = 40});
  };
  const auto searcher = index.searcher(arm(path));
  const http::Answer answer = search(searcher, "valve");
  ASSERT_EQ(answer.docnos.size(), 30U) << "three pages";
  EXPECT_EQ(answer.docnos.front(), "EP30");
  EXPECT_EQ(answer.total, 30U);
  EXPECT_THAT(watched.only_ranks(), ElementsAre(1, 28));
  EXPECT_THAT(search(searcher, "wheel").docnos, IsEmpty());
  expect_error(ErrorCode::kEngine, "Syntax error", [&] { return search(searcher, "(bad"); });
}

}  // namespace
}  // namespace prescope::conformance
