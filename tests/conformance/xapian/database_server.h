#pragma once

#include <filesystem>

#include "support/child_process.h"

#include <xapian.h>

namespace prescope::conformance {

/// A `xapian-tcpsrv` process for one database, on a free port of the loopback interface; stopped at
/// the end, or with this process.
class DatabaseServer {
 public:
  /// Returns when it answers.
  explicit DatabaseServer(const std::filesystem::path& database);
  ~DatabaseServer() { stop(); }  // also a paused one

  [[nodiscard]] unsigned port() const noexcept { return port_; }
  [[nodiscard]] Xapian::Database open() const;
  /// Cuts every connection.
  void stop();
  /// Lets the server wait at its next step, until `resume`.
  void pause() const;
  void resume() const;

 private:
  unsigned port_ = 0;
  ChildProcess process_;
};

}  // namespace prescope::conformance
