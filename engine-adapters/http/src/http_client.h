#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prescope::http {

/// How a server is reached.
struct Connection {
  std::vector<std::string> headers{};  ///< "Name: value", with secrets
  std::vector<std::string> secrets{};  ///< texts that no message may show
  std::string user_password{};         ///< "user:password" of basic authentication; empty: none
  std::string ca_file{};               ///< empty: the system's certificates
  bool verifies = true;                ///< false: any certificate will do
  std::chrono::milliseconds timeout{10'000};
  std::uint32_t retries = 3;        ///< of a request that may be answered later
  std::uint32_t most_at_once = 0;   ///< requests in flight; 0: any number
  std::uint32_t most_a_second = 0;  ///< requests; 0: any number
};

/// A request as it is sent.
struct Call {
  std::string method{};
  std::string url{};
  std::string body{};
  std::string content_type{};
};

/// The end of a call. It has answered, or has not been answered to the end.
struct Reply {
  enum class End { kAnswered, kTimedOut, kFailed, kTooLong };
  End end = End::kFailed;
  int status = 0;
  std::string body{};
  std::string why{};  ///< of a failure
  std::optional<std::chrono::seconds> retry_after{};
  std::chrono::nanoseconds held_back{};  ///< time before the request was sent, for the limits

  [[nodiscard]] bool is_good() const noexcept { return end == End::kAnswered && status == 200; }
  /// Returns whether the same request may be answered later.
  [[nodiscard]] bool may_pass() const noexcept {
    if (end != End::kAnswered) return end == End::kFailed;
    return status == 429 || status == 502 || status == 503 || status == 504;
  }
};

/// Returns the text as it is written in a URL or a form.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Sends requests over connections that stay open. Thread-safe.
class HttpClient {
 public:
  explicit HttpClient(Connection connection);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  [[nodiscard]] const Connection& connection() const noexcept { return connection_; }
  /// Sends the request once, when the limits allow it, and waits for at most `timeout`.
  [[nodiscard]] Reply send(const Call& call, std::chrono::milliseconds timeout);
  [[nodiscard]] Reply send(const Call& call) { return send(call, connection_.timeout); }

 private:
  struct Limits;
  Connection connection_;
  std::unique_ptr<Limits> limits_;
  std::mutex mutex_;
  std::vector<void*> idle_;  // handles of libcurl, with their connections
};

}  // namespace prescope::http
