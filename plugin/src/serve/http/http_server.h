#pragma once

#include "prescope/dashboard.h"
#include "serve/http/handler.h"

namespace prescope::serve {

/// Limits for one client. All above 0.
struct ServerLimits {
  std::size_t header = 8192;                     ///< bytes of a request up to its empty line
  std::size_t target = 2048;                     ///< bytes of its path and query
  std::chrono::milliseconds request_time{5000};  ///< time from a request's first byte to its last
  std::chrono::milliseconds body_time{30'000};   ///< to send a body
  std::chrono::milliseconds idle_time{30'000};   ///< between two requests
  std::chrono::milliseconds handler_time{30'000};
  std::size_t bodies = std::size_t{256} << 20U;  ///< bytes of all bodies that are being sent
  std::size_t idle_of_address = 128;  ///< idle connections; a further one ends the oldest
  std::size_t waiting_questions = 4;  ///< costly ones behind the one that is being answered
  std::chrono::milliseconds answer_time{30'000};  ///< to take an answer
  std::chrono::milliseconds event_time{10'000};   ///< to take an event
  std::chrono::milliseconds heartbeat{15'000};  ///< interval of heartbeats on an idle event stream
};

/// Throws Error(kUsage) naming every bad option at once.
void check(const DashboardOptions& options);
/// Returns true if other machines or users can reach it. For checked options.
[[nodiscard]] bool is_exposed(const DashboardOptions& options);

/// HTTP/1.1, GET, HEAD and POST where the handler takes bodies, on three threads: one for all
/// connections, which never waits, and two on which the handler is called, with a lower priority
/// than the host's threads. It answers "/",
/// "/favicon.ico" and "/api/events" itself, with the handler's page and events; everything else is
/// the handler's. Thread-safe.
class HttpServer {
 public:
  /// Listens. Throws Error: kUsage naming every bad option at once, kIo if it cannot listen.
  HttpServer(std::unique_ptr<Handler> handler, const DashboardOptions& options,
             const ServerLimits& limits = {});
  /// Ends all connections and the handler, after the running call has ended.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// "http://127.0.0.1:8080/"
  [[nodiscard]] const std::string& url() const noexcept;
  [[nodiscard]] const ServerCounters& counters() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace prescope::serve
