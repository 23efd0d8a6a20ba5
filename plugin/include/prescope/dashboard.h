#pragma once

#include "prescope/experiment_options.h"

#pragma GCC visibility push(default)
/// Shows a running experiment in a browser, as JSON and as metrics; see `docs/http.md`.
namespace prescope {

class Experiment;

struct DashboardOptions {
  /// The IP address to listen on. All but loopback addresses need a token.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any free port, see `url`
  /// Clients must send "Authorization: Bearer TOKEN" unless this is empty; 16 to 4096 visible ASCII
  /// characters.
  std::string token{};
  /// Further names, without a port, that a request's Host may have, such as a proxy's.
  std::vector<std::string> hosts{};
  std::size_t connections = 512;             ///< open at once, [1, 65536]; more are refused
  std::size_t event_streams = 400;           ///< most event streams, [1, connections]
  std::chrono::milliseconds interval{1000};  ///< between events, [250, 60000] ms
  /// Called once, on the thread that starts it, with "http://127.0.0.1:8080/".
  std::function<void(const std::string& url)> on_listening{};
  /// Called on the same thread with a sentence for the operator, which goes to standard error if
  /// this is empty.
  std::function<void(std::string_view warning)> on_warning{};
};

/// Serves an experiment over HTTP/1.1, GET only, on threads of its own that share no lock with the
/// query path. Must not outlive the experiment. Thread-safe.
class Dashboard {
 public:
  /// Throws Error: kUsage naming every bad option at once, kIo if it cannot listen or start a
  /// thread.
  Dashboard(Experiment& experiment, DashboardOptions options = {});
  /// Ends all connections and waits for its threads.
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  [[nodiscard]] const std::string& url() const noexcept;

 private:
  struct [[gnu::visibility("hidden")]] State;
  std::unique_ptr<State> state_;
};

/// Returns a dashboard for ExperimentOptions::services, which begins and ends with its experiment.
[[nodiscard]] AttachService dashboard(DashboardOptions options = {});

}  // namespace prescope
#pragma GCC visibility pop
