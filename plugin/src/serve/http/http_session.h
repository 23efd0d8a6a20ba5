#pragma once

// Asio's awaitable.hpp of Boost 1.74 uses std::exchange and does not include it.
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <list>
#include <mutex>
#include <set>

#include "serve/http/access.h"
#include "serve/http/http_server.h"

namespace prescope::serve {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using net::ip::tcp;

class HttpSession;

/// A request that the handler is asked, with the clients that wait for its answer.
struct Question {
  Request request;
  bool is_costly = false;
  std::vector<std::weak_ptr<HttpSession>> clients{};
};

/// Returns the response with its body compressed as gzip does.
[[nodiscard]] Response compressed(Response response);

/// The way back from a handler that answers later, which may be after the server has ended.
class AnswerSlot {
 public:
  explicit AnswerSlot(net::io_context& context) : context_(&context) {}

  /// Runs `work` on the thread of the connections, unless the server has ended.
  template <class Work>
  void post(Work work) {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) net::post(*context_, std::move(work));
  }
  void end() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;
  net::io_context* context_;
};

/// State that all connections share. Used on the thread of the connections only, except for the
/// counters and the members that mention the handler.
struct SessionsShare {
  ServerLimits limits;
  AccessRules rules;
  std::size_t most_connections, most_streams;
  Response page, compressed_page;
  std::shared_ptr<ServerCounters> counters;
  std::unique_ptr<Handler> handler;  ///< called on the threads of the questions only

  net::io_context questions{1}, costly_questions{1};  ///< each of a thread that asks the handler
  net::io_context context{1};                         ///< of the connections' thread
  std::shared_ptr<AnswerSlot> answers = std::make_shared<AnswerSlot>(context);
  std::size_t open_bodies = 0;  ///< bytes of the bodies that are being sent
  /// The costly questions that are not answered yet.
  std::map<Request, std::weak_ptr<Question>> asked{};
  std::set<HttpSession*> sessions{};
  std::map<IpAddress, std::list<HttpSession*>> idle{};  ///< by the client's address, oldest first
  bool ends = false;
  std::uint64_t event_id = 0;                  ///< of the newest
  std::shared_ptr<const std::string> event{};  ///< null if there was none yet

  /// Asks the handler. The question is dropped if nobody keeps the pointer until its turn comes.
  /// Returns null if too many costly ones wait.
  [[nodiscard]] std::shared_ptr<Question> ask(Request request,
                                              const std::shared_ptr<HttpSession>& client);
  /// Calls the handler, on one of its threads.
  [[nodiscard]] Response answer_of(const Request& request) const noexcept;
  /// Gives a posted body to the handler, on its thread. `client` takes the answer.
  void post(PostRequest posted, bool is_gzip, const std::shared_ptr<HttpSession>& client);
  void hand_out(const Question& question, const Response& response);
  /// Ends the oldest of too many idle connections of an address.
  void begin_idle(HttpSession& session);
  void end_idle(HttpSession& session) noexcept;
  /// Wakes the waiting task.
  void set_event(const std::string& newest);
  void end_sessions();
};

/// One connection, from its first request to its end. Used on the connections' thread.
/// A connection over the limit is there for monitors: it answers one request, for metrics or
/// health.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket socket, SessionsShare& share, bool is_over_limit);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  /// Answers requests until the connection ends.
  net::awaitable<void> run();
  [[nodiscard]] const IpAddress& client() const noexcept { return client_; }
  /// Closes the socket; pending operations end with an error.
  void end() noexcept;
  /// Makes an event stream check for the newest event.
  void wake() noexcept;
  /// Ends the waiting for an answer.
  void take(Response response);

 private:
  enum class Next { kRequest, kEnd };

  net::awaitable<bool> read_header();
  net::awaitable<Next> answer_request();
  net::awaitable<Next> answer_own(const Request& request);
  net::awaitable<Next> send(const Response& response, bool keeps_alive);
  [[nodiscard]] bool keeps_alive() const { return parser_->keep_alive() && !is_over_limit_; }
  [[nodiscard]] std::optional<Refused> refusal() const;
  [[nodiscard]] std::size_t longest_body() const;
  net::awaitable<Next> answer_by_handler(Request request);
  net::awaitable<Next> answer_post(Request request);
  net::awaitable<std::optional<Refused>> read_body();
  net::awaitable<void> refuse_malformed(beast::error_code why);
  net::awaitable<Next> refuse_with(Refused refused);
  net::awaitable<Next> stream_events();
  net::awaitable<bool> wait(std::chrono::milliseconds time);
  net::awaitable<bool> write(std::array<net::const_buffer, 2> parts,
                             std::chrono::milliseconds patience);
  net::awaitable<bool> write_event(std::string_view text) {
    return write({net::buffer(text)}, share_.limits.event_time);
  }
  net::awaitable<void> read_the_rest();
  void end_if_client_leaves();

  SessionsShare& share_;
  beast::tcp_stream stream_;
  net::steady_timer timer_;  // for waits other than those for the socket
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<Response> response_;  // the handler's
  IpAddress reached_{}, client_{};
  const bool is_over_limit_;
  bool is_head_ = false, is_first_ = true, listens_ = false, has_left_ = false;
};

}  // namespace prescope::serve
