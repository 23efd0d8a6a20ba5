#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace prescope {

/// A proxy in front of a server of this machine that can break what passes. HTTP, POST.
class FaultProxy {
 public:
  struct Answer {
    unsigned status = 0;  ///< 0: closes the connection without an answer
    std::string body{};
  };
  /// Returns what is answered instead of asking the server; std::nullopt passes the request on.
  /// Gets the request's target and body. Called on a thread of the proxy, one request at a time.
  using Fault =
      std::function<std::optional<Answer>(std::string_view target, std::string_view body)>;

  explicit FaultProxy(std::uint16_t server);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Breaks requests from now on; an empty function passes all on.
  void set(Fault fault);

 private:
  void run();
  void serve(boost::asio::ip::tcp::socket client);

  const std::uint16_t server_;
  boost::asio::io_context context_{};
  boost::asio::ip::tcp::acceptor acceptor_;
  const std::uint16_t port_;
  std::mutex mutex_;
  Fault fault_;  // guarded by `mutex_`
  std::jthread thread_;
};

}  // namespace prescope
