#pragma once

#include <atomic>
#include <boost/asio.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace prescope {

/// A receiver of webhooks on this machine, which answers what a test says.
class HookServer {
 public:
  struct Post {
    std::string head{};  ///< the line of the request and its fields
    std::string body{};

    /// Returns the value of a field; empty if it is not there.
    [[nodiscard]] std::string field(const std::string& name) const {
      const std::size_t at = head.find("\r\n" + name + ": ");
      if (at == std::string::npos) return {};
      const std::size_t begin = at + name.size() + 4;
      return head.substr(begin, head.find("\r\n", begin) - begin);
    }
  };
  /// Returns the status of the answer to the n-th request, from 0; 0: the connection is closed
  /// without an answer.
  using Script = std::function<int(std::size_t number)>;

  explicit HookServer(Script script)
      : script_(std::move(script)),
        acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}),
        thread_([this] { serve(); }) {}
  ~HookServer() {
    ends_ = true;
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket last(io);  // wakes the thread
    boost::system::error_code ignored;
    last.connect(acceptor_.local_endpoint(), ignored);
    thread_.join();
  }
  HookServer(const HookServer&) = delete;
  HookServer& operator=(const HookServer&) = delete;

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) +
           "/hooks/secret";
  }
  /// Returns all requests so far, in their order.
  [[nodiscard]] std::vector<Post> posts() const {
    const std::lock_guard lock(mutex_);
    return posts_;
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
    Post post{.head = request.substr(0, head)};
    const std::size_t length = std::stoul(post.field("Content-Length"));
    if (request.size() < head + length) {
      boost::asio::read(socket, buffer,
                        boost::asio::transfer_exactly(head + length - request.size()), failed);
    }
    post.body = request.substr(head);
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = posts_.size();
      posts_.push_back(post);
    }
    const int status = script_(number);
    if (status == 0) return;
    const std::string text = "HTTP/1.1 " + std::to_string(status) +
                             " -\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    boost::asio::write(socket, boost::asio::buffer(text), failed);
  }

  Script script_;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::vector<Post> posts_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::thread thread_;
};

}  // namespace prescope
