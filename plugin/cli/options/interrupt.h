#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

namespace prescope::cli {

/// While it lives, SIGINT and SIGTERM end the waiting instead of the program. When the waiting has
/// ended, they end the program again. At most one at a time.
class Interrupt {
 public:
  Interrupt() {
    signals_.async_wait([this](const boost::system::error_code&, int) { has_come_ = true; });
  }

  /// Returns when one of the two has come, at once if it has come already.
  void wait() {
    context_.run();
    signals_.clear();
  }
  /// Waits for one of the two, for at most this time. Returns whether one has come.
  bool wait_for(std::chrono::milliseconds time) {
    context_.poll();
    if (!has_come_) context_.run_for(time);
    return has_come_;
  }

 private:
  boost::asio::io_context context_;
  boost::asio::signal_set signals_{context_, SIGINT, SIGTERM};
  bool has_come_ = false;
};

}  // namespace prescope::cli
