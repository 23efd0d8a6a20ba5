#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace prescope::benchmarks {

/// Clients of a server's event stream, which read as fast as events come; all on one thread.
class EventListeners {
 public:
  /// Connects each client and waits until each has received an event. Throws std::runtime_error if
  /// one has none after ten seconds.
  EventListeners(const std::string& url, int clients);
  ~EventListeners();
  EventListeners(const EventListeners&) = delete;
  EventListeners& operator=(const EventListeners&) = delete;

  /// Events that the one that had the fewest has had.
  [[nodiscard]] std::uint64_t fewest_events() const;

 private:
  struct Client;
  void read_all(const std::stop_token& stop);

  std::vector<Client> clients_;
  std::jthread reader_;
};

}  // namespace prescope::benchmarks
