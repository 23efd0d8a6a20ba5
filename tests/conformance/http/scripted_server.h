#pragma once

#include <boost/asio.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace prescope::conformance {

/// A server of HTTP that answers what a test says, one request after the other.
class ScriptedServer {
 public:
  struct Answer {
    std::string body{};
    std::string status = "200 OK";
    std::string headers{};  ///< "Name: value\r\n"
  };
  /// Gets "METHOD /path" and the body of a request.
  using Script = std::function<Answer(const std::string& line, const std::string& body)>;

  explicit ScriptedServer(Script script)
      : script_(std::move(script)),
        acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}),
        thread_([this] { serve(); }) {}
  ~ScriptedServer() {
    ends_ = true;
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket last(io);  // wakes the thread
    boost::system::error_code ignored;
    last.connect(acceptor_.local_endpoint(), ignored);
    thread_.join();
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  /// Returns the URL of an index.
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/index";
  }
  /// Returns the number of requests so far with this text in their line.
  [[nodiscard]] std::size_t requests(const std::string& with) const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const std::string& line : lines_) count += line.find(with) != line.npos ? 1 : 0;
    return count;
  }

 private:
  void serve() {
    while (!ends_) {
      boost::asio::ip::tcp::socket socket(io_);
      boost::system::error_code failed;
      acceptor_.accept(socket, failed);
      if (!failed && !ends_) answer(socket);
    }
  }

  void answer(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code failed;
    std::string request;
    auto buffer = boost::asio::dynamic_buffer(request);
    const std::size_t head = boost::asio::read_until(socket, buffer, "\r\n\r\n", failed);
    if (failed) return;
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t length = request.find(kLength);
    const std::size_t body =
        length < head ? std::stoul(request.substr(length + kLength.size())) : 0;
    if (request.size() < head + body) {
      boost::asio::read(socket, buffer, boost::asio::transfer_exactly(head + body - request.size()),
                        failed);
    }
    const std::string line = request.substr(0, request.find(" HTTP/"));
    {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    }
    const Answer answer = script_(line, request.substr(head));
    const std::string text =
        "HTTP/1.1 " + answer.status + "\r\nConnection: close\r\n" + answer.headers +
        "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n" + answer.body;
    boost::asio::write(socket, boost::asio::buffer(text), failed);
  }

  Script script_;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::thread thread_;
};

}  // namespace prescope::conformance
