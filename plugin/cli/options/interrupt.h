#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

namespace prescope::cli {

/// While it lives, SIGINT and SIGTERM end the waiting instead of the program. When the waiting has
/// ended, they end the program again. At most one at a time.
class Interrupt {
 public:
  /// Returns when one of the two has come, at once if it has come already.
  void wait() {
    signals_.async_wait([](const boost::system::error_code&, int) {});
    context_.run();
    signals_.clear();
  }

 private:
  boost::asio::io_context context_;
  boost::asio::signal_set signals_{context_, SIGINT, SIGTERM};
};

}  // namespace prescope::cli
