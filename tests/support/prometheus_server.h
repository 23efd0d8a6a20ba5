#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "support/child_process.h"

namespace prescope {

/// The real Prometheus on a free port of this machine, with a configuration and a data folder of
/// its own: scrapes one server twice a second. Gone at the end, with all it wrote.
class PrometheusServer {
 public:
  /// Scrapes the server at `url`, such as "http://127.0.0.1:8080/". Waits until it has done so at
  /// least twice, which takes 5 seconds. Throws std::runtime_error with its output if it does not
  /// start.
  explicit PrometheusServer(const std::string& url);

  /// The label `instance` of all that was scraped: "127.0.0.1:8080".
  [[nodiscard]] const std::string& target() const noexcept { return target_; }
  /// Returns `data.result` of the HTTP API's answer to an instant query. Throws std::runtime_error
  /// with the expression if the query fails.
  [[nodiscard]] nlohmann::json query(const std::string& expression) const;

 private:
  [[nodiscard]] bool has_scraped() const;

  const std::string target_;
  ChildProcess process_;
  std::string url_;
};

}  // namespace prescope
