#pragma once

#include <cstdint>
#include <string>

#include "support/child_process.h"

namespace prescope {

/// Returns a folder whose files are in memory, or that of temporary files if there is less than a
/// gigabyte. A ClickHouse makes and removes so many files that it starts twice as fast there.
[[nodiscard]] std::filesystem::path folder_in_memory();

/// The real ClickHouse on a free port of this machine, with a configuration and data of its own.
/// Gone at the end, with all it wrote. Its users: "admin", who may do everything, "reader", who may
/// only read the database "prescope", and "outsider", who may not even do that; each has its name
/// as the password.
class ClickHouseServer {
 public:
  /// Starts it, with its files in `parent`, and waits until it answers. Throws std::runtime_error
  /// with its output if it does not.
  explicit ClickHouseServer(const std::filesystem::path& parent = folder_in_memory());

  void kill();   ///< kill -9; the data stays
  void start();  ///< again, on the same port

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Returns "clickhouse://admin@127.0.0.1:PORT/prescope". The constructor sets the password's
  /// variable.
  [[nodiscard]] std::string url() const;
  /// Returns the answer to a statement of admin without its last line feed. Throws
  /// std::runtime_error with what the server says.
  std::string ask(const std::string& sql) const;
  /// Makes a fleet's tables in the database "prescope".
  void make_tables() const;
  /// Makes them as `fleet init --sharded` does, but the shards are the databases "shard1" and
  /// "shard2" of this server, and nothing is replicated. They are the fleets "/far", and, to read
  /// only, "/near?database=shard1".
  void make_tables_on_shards() const;

 private:
  void choose_ports();
  /// Starts the server, and waits until it answers or ends. Returns false if a port was taken.
  [[nodiscard]] bool starts();
  void check_that_it_answers() const;

  ChildProcess process_;
  std::uint16_t port_ = 0;
};

}  // namespace prescope
