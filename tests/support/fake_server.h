#pragma once

#include <atomic>
#include <boost/asio.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace prescope {

/// A server of HTTP that answers what a test says, one request after the other. Any thread.
class FakeServer {
 public:
  struct Request {
    std::string line{};  ///< "METHOD /path"
    std::string head{};  ///< the line and the fields
    std::string body{};

    /// Returns the value of a field; empty if it is not there.
    [[nodiscard]] std::string field(const std::string& name) const {
      const std::size_t at = head.find("\r\n" + name + ": ");
      if (at == std::string::npos) return {};
      const std::size_t begin = at + name.size() + 4;
      return head.substr(begin, head.find("\r\n", begin) - begin);
    }
  };
  struct Answer {
    std::string body{};
    std::string status = "200 OK";  ///< empty: the connection is closed without an answer
    std::string headers{};          ///< "Name: value\r\n"
  };
  /// Gets the line and the body of a request.
  using Script = std::function<Answer(const std::string& line, const std::string& body)>;

  explicit FakeServer(Script script)
      : script_(std::move(script)),
        acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}),
        thread_([this] { serve(); }) {}
  ~FakeServer() {
    ends_ = true;
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket last(io);  // wakes the thread
    boost::system::error_code ignored;
    last.connect(acceptor_.local_endpoint(), ignored);
    thread_.join();
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  [[nodiscard]] std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + path;
  }
  /// Returns all requests so far, in their order.
  [[nodiscard]] std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  /// Returns the number of requests so far with this text in their line.
  [[nodiscard]] std::size_t requests(const std::string& with) const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const Request& one : requests_) count += one.line.find(with) != with.npos ? 1 : 0;
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
    std::string bytes;
    auto buffer = boost::asio::dynamic_buffer(bytes);
    const std::size_t head = boost::asio::read_until(socket, buffer, "\r\n\r\n", failed);
    if (failed) return;
    Request request{.line = bytes.substr(0, bytes.find(" HTTP/")), .head = bytes.substr(0, head)};
    const std::string length = request.field("Content-Length");
    const std::size_t end = head + (length.empty() ? 0 : std::stoul(length));
    if (bytes.size() < end) {
      boost::asio::read(socket, buffer, boost::asio::transfer_exactly(end - bytes.size()), failed);
    }
    request.body = bytes.substr(head);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const Answer answer = script_(request.line, request.body);
    if (answer.status.empty()) return;
    const std::string text =
        "HTTP/1.1 " + answer.status + "\r\nConnection: close\r\n" + answer.headers +
        "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n" + answer.body;
    boost::asio::write(socket, boost::asio::buffer(text), failed);
  }

  Script script_;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::thread thread_;
};

}  // namespace prescope
