#pragma once

#include <sys/types.h>

#include <filesystem>

#include <xapian.h>

namespace prescope::conformance {

/// A `xapian-tcpsrv` process for one database, on a free port of the loopback interface; stopped at
/// the end, or with this process.
class DatabaseServer {
 public:
  /// Returns when it answers.
  explicit DatabaseServer(const std::filesystem::path& database);
  ~DatabaseServer();
  DatabaseServer(const DatabaseServer&) = delete;
  DatabaseServer& operator=(const DatabaseServer&) = delete;

  [[nodiscard]] unsigned port() const noexcept { return port_; }
  [[nodiscard]] Xapian::Database open() const;
  /// Cuts every connection.
  void stop();
  /// Lets the server wait at its next step, until `resume`.
  void pause() const;
  void resume() const;

 private:
  unsigned port_ = 0;
  pid_t process_ = -1;
};

}  // namespace prescope::conformance
