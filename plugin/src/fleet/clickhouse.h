#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "prescope/error.h"

/// Talks to ClickHouse by HTTP, the one interface that is the same in old and new releases.
namespace prescope {

/// A refusal that may pass: no connection, an answer cut short, an overloaded or read-only server.
/// The same request may be sent again.
struct FleetUnavailable : Error {
  explicit FleetUnavailable(const std::string& message) : Error(ErrorCode::kIo, message) {}
};

/// A request that a proxy in between finds too large: the same rows may be sent in smaller parts.
struct FleetTooLarge : FleetUnavailable {
  using FleetUnavailable::FleetUnavailable;
};

/// A refusal because the user lacks a right.
struct FleetDenied : Error {
  explicit FleetDenied(const std::string& message) : Error(ErrorCode::kUsage, message) {}
};

/// Rows that are not those that this program sent.
struct FleetConflict : Error {
  explicit FleetConflict(const std::string& message) : Error(ErrorCode::kUsage, message) {}
};

/// The servers that hold the same database, and who asks them.
struct FleetAddress {
  std::string text{};                  ///< as it is shown: without user and settings
  std::vector<std::string> servers{};  ///< "http://host:8123", at least one
  std::string database{};
  std::string settings{};  ///< sent with each request, "&insert_quorum=2"
  std::string user{}, password{};
  std::string ca_file{};  ///< certificates to trust; empty: those of the system
};

/// Returns whether a text names a fleet rather than a file.
[[nodiscard]] bool is_fleet_url(std::string_view text) noexcept;

/// Reads "clickhouse://[user@]host[:port][,host[:port]...]/database[?setting=value&...]", or
/// "clickhouse+https://..." for TLS; the ports are 8123 and 8443 unless given. The variables
/// PRESCOPE_CLICKHOUSE_USER, _PASSWORD, _PASSWORD_FILE (its first line) and _CA_FILE say the rest.
/// Throws Error(kUsage) for other texts, for a password in the URL, which others could see, and
/// Error(kIo) for a password file that cannot be read.
[[nodiscard]] FleetAddress parse_fleet_url(std::string_view url);

/// Returns the text in quotation marks, with all that ends a literal escaped.
[[nodiscard]] std::string sql_text(std::string_view text);

/// A connection that is kept open. Each request goes to the present server and, if that one fails
/// or refuses, to each of the others once: one server without tables, users or memory stops nobody.
/// A refusal is thrown if all servers refuse; while one of them only fails, it is a failure. On a
/// thread that is asked to stop (`start_steps`) a request fails within two seconds. Not
/// thread-safe.
class ClickHouse {
 public:
  explicit ClickHouse(FleetAddress address);
  ~ClickHouse();
  ClickHouse(ClickHouse&&) noexcept;

  [[nodiscard]] const FleetAddress& address() const noexcept { return address_; }
  /// Runs a statement and returns its whole answer, which is complete: the server sends it when the
  /// statement has ended. Throws FleetUnavailable, FleetDenied, or Error(kUsage) for another
  /// statement, user or table that the server refuses; `what()` has the server's first line.
  std::string ask(std::string_view sql);
  /// Runs "INSERT INTO ... FORMAT ..." with these bytes, and does not let ClickHouse swallow a
  /// block that it has seen before. If it throws, the rows may be stored: send them again. If it
  /// returns, something has acknowledged them: `fleet/receipt.h` proves that they are there. Throws
  /// as `ask`.
  void insert(std::string_view sql, std::string_view rows);

 private:
  struct Curl;
  std::string send(bool inserts, std::string_view body);
  std::string send_once(std::string_view settings, std::string_view body);
  const std::string& insert_settings();

  FleetAddress address_;
  std::size_t server_ = 0;                                     // among the address's
  std::vector<std::optional<std::string>> insert_settings_{};  // of each server, once asked for
  std::unique_ptr<Curl> curl_;
};

/// How long to wait after a failure: twice as long after each, up to 30 s.
class BackOff {
 public:
  std::chrono::milliseconds next() {
    return wait_ = std::min(wait_ * 2, std::chrono::milliseconds(30'000));
  }

 private:
  std::chrono::milliseconds wait_{25};
};

/// Calls `call`, again and again while it throws FleetUnavailable, of which `on_failure` is told.
/// Throws it when `patience` is over.
void patiently(std::chrono::milliseconds patience, const auto& call,
               const std::function<void(const FleetUnavailable&)>& on_failure = {}) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (BackOff back_off;;) {
    try {
      return call();
    } catch (const FleetUnavailable& error) {
      const auto left = give_up - std::chrono::steady_clock::now();
      if (left.count() <= 0) throw;
      if (on_failure) on_failure(error);
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(back_off.next(), left));
    }
  }
}

}  // namespace prescope
