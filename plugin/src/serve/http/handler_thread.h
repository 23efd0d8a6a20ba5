#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "serve/http/handler.h"

namespace prescope::serve {

/// A request on its way to the handler.
struct Question {
  Request request;
  /// Called on the handler's thread, once.
  std::function<void(Response)> answer;
};

/// The one thread on which a handler is called: for requests in the order in which they came, and
/// for its event each interval, before any request that waits.
class HandlerThread {
 public:
  using Tell = std::function<void(std::shared_ptr<const std::string> event)>;

  /// `tell` is called on the thread with each event that is new.
  HandlerThread(std::unique_ptr<Handler> handler, std::chrono::milliseconds interval, Tell tell,
                std::shared_ptr<ServerCounters> counters);
  ~HandlerThread() { stop(); }
  HandlerThread(const HandlerThread&) = delete;
  HandlerThread& operator=(const HandlerThread&) = delete;

  /// A question that is gone when its turn comes is not answered. How many may wait is the caller's
  /// to bound. Any thread.
  void ask(std::weak_ptr<Question> question);
  /// Ends the thread when the call that runs has ended; what waits is not answered.
  void stop();

 private:
  void run(const std::stop_token& stop);
  void look_for_event() noexcept;
  void answer(Question& question) noexcept;
  [[nodiscard]] Response response_to(const Request& request) noexcept;

  std::unique_ptr<Handler> handler_;
  std::chrono::milliseconds interval_;
  Tell tell_;
  std::shared_ptr<ServerCounters> counters_;
  std::shared_ptr<const std::string> last_event_;

  boost::asio::io_context questions_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> waits_{
      questions_.get_executor()};
  std::jthread thread_;
};

}  // namespace prescope::serve
