#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

/// The interface between the HTTP server and the site.
namespace prescope::serve {

/// Reasons why the server did not answer a request, or ended a connection.
enum class Refusal : std::uint8_t {
  kMalformed,    ///< not an HTTP/1.1 request, or a target that cannot be decoded
  kHeader,       ///< longer than ServerLimits::header
  kTarget,       ///< longer than ServerLimits::target
  kBody,         ///< there is one that nobody takes, or it is too long or in an unknown coding
  kMethod,       ///< one that the path does not take
  kHost,         ///< none, several, or one that is not served
  kOrigin,       ///< from a page of another origin
  kToken,        ///< none or a wrong one
  kConnections,  ///< too many connections
  kStreams,      ///< too many event streams
  kSlowRequest,  ///< not there in time
  kSlowReader,   ///< did not take an answer or an event in time
  kBusy,         ///< the handler did not answer in time
  kQuestions,    ///< too many costly questions wait
};
inline constexpr std::size_t kRefusals = 14;

/// Names in the order of the enumerators: labels of metrics.
inline constexpr std::array<std::string_view, kRefusals> kRefusalNames = {
    "malformed", "header",      "target",  "body",         "method",      "host", "origin",
    "token",     "connections", "streams", "slow_request", "slow_reader", "busy", "questions"};

/// Counts of one server since it began. Any thread.
struct ServerCounters {
  std::array<std::atomic<std::uint64_t>, kRefusals> refused{};
  std::atomic<std::uint64_t> answered{0};       ///< requests, with any status of the handler
  std::atomic<std::uint64_t> failed{0};         ///< exceptions of the handler
  std::atomic<std::uint64_t> events{0};         ///< new ones, each sent to all listeners
  std::atomic<std::uint64_t> connections{0};    ///< open now
  std::atomic<std::uint64_t> event_streams{0};  ///< of these
};

inline void count(ServerCounters& counters, Refusal why) noexcept {
  counters.refused[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
}

/// A request, its path and query decoded; valid UTF-8, no control characters.
struct Request {
  std::string path;  ///< "/api/topic/EP1", begins with '/'
  std::map<std::string, std::string> query;
  bool takes_gzip = false;  ///< so does the client; handlers need not care

  friend auto operator<=>(const Request&, const Request&) = default;
};

/// A POST request with its body, decompressed.
struct PostRequest {
  Request request{};
  std::string content_type{};  ///< as it was sent; empty if it was not
  std::string body{};
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json; charset=utf-8";
  /// Shared by clients with the same answer. Handlers never return null, which is no body.
  std::shared_ptr<const std::string> body;
  // Set by the server.
  bool is_gzip = false;
  std::string_view security_policy = "default-src 'none'; frame-ancestors 'none'";  ///< of data
  std::string_view more{};  ///< further header lines, each with its line end
};

/// Returns {"error": "sentence"}; invalid UTF-8 becomes U+FFFD.
[[nodiscard]] Response error_response(unsigned status, std::string_view sentence);

/// Answers requests. The server calls it on two threads, one call at a time on each: costly
/// requests on one; all others, and `event`, on the other. Neither is the thread of the connections
/// and event streams, which a slow answer does not delay.
class Handler {
 public:
  Handler() = default;
  virtual ~Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

  /// Called once, before the first request, with the server's counters, which go on counting.
  virtual void count_with(const std::shared_ptr<const ServerCounters>& /*counters*/) {}
  /// Returns the document at "/". Called before the server listens.
  [[nodiscard]] virtual Response page() const = 0;
  /// Returns true if the answer may take long. Clients that ask the same meanwhile share it. Any
  /// thread.
  [[nodiscard]] virtual bool is_costly(const Request& request) const = 0;
  /// An exception becomes status 500 and is counted.
  virtual Response get(const Request& request) = 0;
  /// Returns the most bytes of a body that may be posted to the path; 0: none may. Any thread.
  [[nodiscard]] virtual std::size_t longest_body(std::string_view /*path*/) const { return 0; }
  /// Takes a posted body, on the thread of all but costly requests. Calls `answer` once, later or
  /// within this call, on any thread; after the server has ended that has no effect. What it throws
  /// becomes status 500.
  using Answer = std::function<void(Response response)>;
  virtual void post(PostRequest /*posted*/, Answer /*answer*/) {}
  /// Returns the newest event, a line of JSON, for all event streams; the same pointer if nothing
  /// is new, null before the first. Called once an interval, with or without listeners.
  virtual std::shared_ptr<const std::string> event() = 0;
};

}  // namespace prescope::serve
