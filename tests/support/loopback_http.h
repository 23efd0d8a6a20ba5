#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace prescope {

/// Returns the body of a server's answer to GET on this machine; empty if the status is not 200.
[[nodiscard]] std::string http_get(std::uint16_t port, const std::string& target);

/// The text with everything but letters and digits percent-encoded.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Answers every request to a free port of this machine with `body()`, one at a time.
class LoopbackServer {
 public:
  LoopbackServer(std::string content_type, std::function<std::string()> body);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  void serve();
  void answer(int connection) const;

  std::string content_type_;
  std::function<std::string()> body_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace prescope
