#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/experiment_options.h"

/// A running experiment in a browser, as JSON, and as metrics: `docs/http.md`.
namespace prescope {

class Experiment;

struct DashboardOptions {
  /// An IP address. Any but a loopback address needs a token.
  std::string address = "127.0.0.1";
  /// 0: one that is free, which `on_listening` and `Dashboard::url` tell.
  std::uint16_t port = 0;
  /// What clients must send as "Authorization: Bearer TOKEN"; 16 to 4096 visible ASCII characters.
  /// Empty: none.
  std::string token{};
  /// Names that a request's Host may have beside the address itself and localhost, such as that of
  /// a proxy; without a port.
  std::vector<std::string> hosts{};
  std::size_t connections = 512;    ///< at the same time, [1, 65536]; further ones are refused
  std::size_t event_streams = 400;  ///< of these, at most so many, [1, connections]
  /// How often clients are told what is new, [250, 60000] ms.
  std::chrono::milliseconds interval{1000};
  /// Called once, on the thread that starts it, with "http://127.0.0.1:8080/".
  std::function<void(const std::string& url)> on_listening{};
  /// Called, on the same thread, with a sentence for the operator, such as that the address can be
  /// reached from elsewhere. Empty: standard error.
  std::function<void(std::string_view warning)> on_warning{};
};

/// Serves an experiment over HTTP/1.1, GET only, on threads of its own that share no lock with the
/// query path. Must not outlive the experiment. Thread-safe.
class Dashboard {
 public:
  /// Throws Error: kUsage naming every bad option at once, kIo where it cannot listen or the
  /// system has no thread for it.
  Dashboard(Experiment& experiment, DashboardOptions options = {});
  /// Ends all connections, waits for its threads.
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  [[nodiscard]] const std::string& url() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// For ExperimentOptions::services: a dashboard that begins and ends with its experiment.
[[nodiscard]] AttachService dashboard(DashboardOptions options = {});

}  // namespace prescope
