#include "benchmarks/event_listeners.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace prescope::benchmarks {

struct EventListeners::Client {
  int socket = -1;
  std::unique_ptr<std::atomic<std::uint64_t>> events =
      std::make_unique<std::atomic<std::uint64_t>>(0);
  bool line_begins = false;
};

namespace {

int connected(const std::string& url) {
  const auto port = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
  const sockaddr_in at{.sin_family = AF_INET,
                       .sin_port = htons(port),
                       .sin_addr = {htonl(INADDR_LOOPBACK)},
                       .sin_zero = {}};
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  constexpr std::string_view kRequest = "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
      ::send(socket, kRequest.data(), kRequest.size(), MSG_NOSIGNAL) < 0) {
    throw std::runtime_error("cannot listen to " + url);
  }
  return socket;
}

}  // namespace

EventListeners::EventListeners(const std::string& url, int clients)
    : clients_(static_cast<std::size_t>(clients)) {
  for (Client& client : clients_) client.socket = connected(url);
  reader_ = std::jthread([this](const std::stop_token& stop) { read_all(stop); });
  for (int i = 0; i < 1000 && fewest_events() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (fewest_events() == 0) throw std::runtime_error("a listener heard nothing");
}

EventListeners::~EventListeners() {
  reader_.request_stop();
  reader_.join();
  for (const Client& client : clients_) ::close(client.socket);
}

std::uint64_t EventListeners::fewest_events() const {
  std::uint64_t fewest = UINT64_MAX;
  for (const Client& client : clients_) fewest = std::min(fewest, client.events->load());
  return fewest;
}

/// An event ends with an empty line, as does the header before the first.
void EventListeners::read_all(const std::stop_token& stop) {
  constexpr int kPatience = 50;
  std::vector<pollfd> ready;
  for (const Client& client : clients_) ready.push_back({client.socket, POLLIN, 0});
  std::array<char, 1U << 16U> buffer{};
  while (!stop.stop_requested()) {
    ::poll(ready.data(), ready.size(), kPatience);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if ((ready[i].revents & POLLIN) == 0) continue;
      const ssize_t got = ::recv(ready[i].fd, buffer.data(), buffer.size(), 0);
      for (ssize_t at = 0; at < got; ++at) {
        const bool is_end = buffer[static_cast<std::size_t>(at)] == '\n';
        if (is_end && clients_[i].line_begins) ++*clients_[i].events;
        clients_[i].line_begins = is_end;
      }
    }
  }
}

}  // namespace prescope::benchmarks
