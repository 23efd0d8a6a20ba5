#include "support/lucene_front/lucene_front.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <vector>

#include "support/http_client.h"

namespace prescope::testing {

namespace {

/// Both are empty if Java or a jar was not found.
constexpr std::string_view kJava = PRESCOPE_JAVA;
constexpr std::string_view kClassPath = PRESCOPE_LUCENE_CLASS_PATH;

}  // namespace

std::string LuceneFront::why_not() {
  if (!kJava.empty()) return "";
  return "Java 17, Lucene 8 or gson was not found when the build was configured (packages "
         "openjdk-17-jdk-headless, liblucene8-java, libgoogle-gson-java)";
}

LuceneFront::LuceneFront(const std::filesystem::path& patents, std::optional<std::size_t> limit) {
  if (const std::string reason = why_not(); !reason.empty()) throw std::runtime_error(reason);
  // It starts sooner with the quick compiler, and needs no second thread to collect garbage.
  std::vector<std::string> command = {std::string(kJava),
                                      "-XX:TieredStopAtLevel=1",
                                      "-XX:+UseSerialGC",
                                      "-Xmx512m",
                                      "-cp",
                                      std::string(kClassPath),
                                      "LuceneFront",
                                      patents.string()};
  if (limit) command.push_back(std::to_string(*limit));
  process_.start(command);
  url_ = process_.wait_for(R"(listening at (http://127\.0\.0\.1:\d+) )");
}

void LuceneFront::set_fault(const std::string& name, std::size_t times) const {
  const HttpAnswer answer =
      answer_to(url_, fmt::format("POST /faults?name={}&times={} HTTP/1.1\r\nHost: localhost\r\n"
                                  "Content-Length: 0\r\n\r\n",
                                  name, times));
  if (answer.status != 200) throw std::runtime_error(answer.body);
}

nlohmann::json LuceneFront::counters() const {
  return nlohmann::json::parse(get(url_, "/counters").body);
}

}  // namespace prescope::testing
