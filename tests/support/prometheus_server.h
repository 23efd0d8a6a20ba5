#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "support/child_process.h"

namespace prescope {

/// The real Prometheus on a free port of this machine, with a configuration and a data folder of
/// its own: scrapes 127.0.0.1:`target` twice a second. Gone at the end, with all it wrote.
class PrometheusServer {
 public:
  /// Waits until it has scraped at least twice, which takes 5 seconds. Throws std::runtime_error
  /// with its output if it does not start.
  explicit PrometheusServer(std::uint16_t target);

  /// Returns `data.result` of the HTTP API's answer to an instant query. Throws std::runtime_error
  /// with the expression if the query fails.
  [[nodiscard]] nlohmann::json query(const std::string& expression) const;

 private:
  [[nodiscard]] bool has_scraped() const;

  ChildProcess process_;
  std::uint16_t port_ = 0;
};

}  // namespace prescope
