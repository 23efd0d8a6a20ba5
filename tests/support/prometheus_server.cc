#include "support/prometheus_server.h"

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "support/loopback_http.h"

namespace prescope {

using nlohmann::json;

PrometheusServer::PrometheusServer(std::uint16_t target) {
  using namespace std::chrono_literals;
  const auto configuration = process_.folder() / "prometheus.yml";
  std::ofstream(configuration)
      << "scrape_configs:\n  - job_name: prescope\n    scrape_interval: 500ms\n"
         "    scrape_timeout: 500ms\n    static_configs:\n      - targets: ['127.0.0.1:"
      << target << "']\n";
  process_.start({"prometheus", "--config.file=" + configuration.string(),
                  "--storage.tsdb.path=" + (process_.folder() / "data").string(),
                  "--web.listen-address=127.0.0.1:0"});
  port_ = static_cast<std::uint16_t>(
      std::stoul(process_.wait_for(R"(msg="Listening on" address=127\.0\.0\.1:(\d+))")));
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
  const std::string answer = http_get(port_, "/api/v1/query?query=" + percent_encoded(expression));
  const json document = json::parse(answer, nullptr, false);
  if (document.is_discarded() || document.value("status", "") != "success") {
    throw std::runtime_error(expression + ": " + answer);
  }
  return document["data"]["result"];
}

}  // namespace prescope
