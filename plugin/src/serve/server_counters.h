#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace prescope::serve {

/// Why the server did not answer a request, or ended a connection.
enum class Refusal : std::uint8_t {
  kMalformed,    ///< no HTTP/1.1 request, or a target that cannot be decoded
  kHeader,       ///< longer than ServerLimits::header
  kTarget,       ///< longer than ServerLimits::target
  kBody,         ///< there is one
  kMethod,       ///< neither GET nor HEAD
  kHost,         ///< none, several, or none of the names that are served
  kOrigin,       ///< the page of another origin asks
  kToken,        ///< none or a wrong one
  kConnections,  ///< too many connections
  kStreams,      ///< too many event streams
  kSlowRequest,  ///< not there in time
  kSlowReader,   ///< did not take an answer or an event in time
  kBusy,         ///< the handler did not answer in time
};
inline constexpr std::size_t kRefusals = 13;

/// "malformed", "slow_reader" ..., in the order of the enumerators: labels of metrics.
[[nodiscard]] std::span<const std::string_view, kRefusals> refusal_names() noexcept;

/// Of one server, since it began. Any thread.
struct ServerCounters {
  std::array<std::atomic<std::uint64_t>, kRefusals> refused{};
  std::atomic<std::uint64_t> answered{0};       ///< requests, whatever the handler's status
  std::atomic<std::uint64_t> failed{0};         ///< exceptions of the handler
  std::atomic<std::uint64_t> events{0};         ///< new ones, each sent to all who listen
  std::atomic<std::uint64_t> connections{0};    ///< open now
  std::atomic<std::uint64_t> event_streams{0};  ///< of these
};

[[nodiscard]] inline std::uint64_t refused(const ServerCounters& counters, Refusal why) noexcept {
  return counters.refused[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
}
inline void count(ServerCounters& counters, Refusal why) noexcept {
  counters.refused[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace prescope::serve
