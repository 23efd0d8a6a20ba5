#include "support/prometheus_server.h"

#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "support/http_client.h"

namespace prescope {

using nlohmann::json;

namespace {

/// The text with everything but letters and digits percent-encoded.
std::string percent_encoded(const std::string& text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    encoded += std::isalnum(byte) != 0 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

std::string address_in(const std::string& url) {
  const std::size_t begin = url.find("://") + 3;
  return url.substr(begin, url.find('/', begin) - begin);
}

}  // namespace

PrometheusServer::PrometheusServer(const std::string& url) : target_(address_in(url)) {
  using namespace std::chrono_literals;
  const auto configuration = process_.folder() / "prometheus.yml";
  std::ofstream(configuration)
      << "scrape_configs:\n  - job_name: prescope\n    scrape_interval: 500ms\n"
         "    scrape_timeout: 500ms\n    static_configs:\n      - targets: ['"
      << target_ << "']\n";
  process_.start({"prometheus", "--config.file=" + configuration.string(),
                  "--storage.tsdb.path=" + (process_.folder() / "data").string(),
                  "--web.listen-address=127.0.0.1:0"});
  url_ = "http://" + process_.wait_for(R"(msg="Listening on" address=(127\.0\.0\.1:\d+))");
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!has_scraped()) {
    if (std::chrono::steady_clock::now() > end) {
      throw std::runtime_error("Prometheus does not scrape:\n" + process_.said());
    }
    std::this_thread::sleep_for(50ms);
  }
}

bool PrometheusServer::has_scraped() const {
  try {
    const json scrapes = query("min(count_over_time(up[5m]) * up)");
    return !scrapes.empty() && std::stod(scrapes[0]["value"][1].get<std::string>()) >= 3;
  } catch (const std::runtime_error&) {
    return false;
  }
}

json PrometheusServer::query(const std::string& expression) const {
  // HTTP/1.0 has no chunks.
  const std::string answer =
      answer_to(url_, fmt::format("GET /api/v1/query?query={} HTTP/1.0\r\n\r\n",
                                  percent_encoded(expression)))
          .body;
  const json document = json::parse(answer, nullptr, false);
  if (document.is_discarded() || document.value("status", "") != "success") {
    throw std::runtime_error(expression + ": " + answer);
  }
  return document["data"]["result"];
}

}  // namespace prescope
