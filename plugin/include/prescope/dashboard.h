#pragma once

#include "prescope/experiment_options.h"

/// A running experiment in a browser, as JSON, and as metrics: `docs/http.md`.
namespace prescope {

class Experiment;

struct DashboardOptions {
  /// An IP address. Any but a loopback address needs a token.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0 takes a free one, told by `on_listening` and `Dashboard::url`
  /// Clients must send "Authorization: Bearer TOKEN"; 16 to 4096 visible ASCII characters, or
  /// empty for none.
  std::string token{};
  /// Further names that a request's Host may have, such as a proxy's, without a port.
  std::vector<std::string> hosts{};
  std::size_t connections = 512;    ///< at the same time, [1, 65536]; further ones are refused
  std::size_t event_streams = 400;  ///< of these, at most so many, [1, connections]
  std::chrono::milliseconds interval{1000};  ///< between events, [250, 60000] ms
  /// Called once, on the thread that starts it, with "http://127.0.0.1:8080/".
  std::function<void(const std::string& url)> on_listening{};
  /// Called on the same thread with a sentence for the operator. Empty: standard error.
  std::function<void(std::string_view warning)> on_warning{};
};

/// Serves an experiment over HTTP/1.1, GET only, on threads of its own that share no lock with the
/// query path. Must not outlive the experiment. Thread-safe.
class Dashboard {
 public:
  /// Throws Error: kUsage naming every bad option at once, kIo if it cannot listen or start a
  /// thread.
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
