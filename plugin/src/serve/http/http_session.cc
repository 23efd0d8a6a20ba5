#include "serve/http/http_session.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/status.hpp>

#include "serve/http/request_target.h"

namespace prescope::serve {

namespace {

using Error = beast::error_code;

constexpr unsigned kTooMany = 429, kUnavailable = 503;
/// Begins an event stream with the retry interval.
constexpr std::string_view kEventsBegin = "retry: 2000\n\n";
constexpr std::string_view kHeartbeat = ": still here\n\n";

/// Returns further header lines of an error.
std::string_view more_of(unsigned status) {
  return status == 401            ? "WWW-Authenticate: Bearer realm=\"prescope\"\r\n"
         : status == 405          ? "Allow: GET, HEAD\r\n"
         : status == 415          ? "Accept-Encoding: gzip\r\n"
         : status == kUnavailable ? "Retry-After: 5\r\n"
         : status == kTooMany     ? "Retry-After: 1\r\n"
                                  : "";
}

/// Returns the header, from the status line to the empty line. No answer may be stored, sniffed,
/// framed, or read by pages of other origins.
std::string head_of(const Response& response, bool keeps_alive) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", response.status,
                                 http::obsolete_reason(http::int_to_status(response.status)));
  if (!response.content_type.empty()) {
    text += fmt::format("Content-Type: {}\r\n", response.content_type);
  }
  if (response.body) text += fmt::format("Content-Length: {}\r\n", response.body->size());
  text += fmt::format(
      "Connection: {}\r\n"
      "Cache-Control: no-store\r\n"
      "Content-Security-Policy: {}\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n",
      keeps_alive ? "keep-alive" : "close", response.security_policy);
  if (response.is_gzip) text += "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n";
  return text.append(response.more).append("\r\n");
}

IpAddress address_of(const tcp::endpoint& end, Error failed) {
  return failed ? IpAddress{} : to_v6(end.address());
}

/// Codings that the client refuses have the weight 0.
bool takes_gzip(std::string_view accept_encoding) {
  for (const auto& [coding, parameters] : http::ext_list(accept_encoding)) {
    if (!beast::iequals(coding, "gzip")) continue;
    return std::ranges::none_of(parameters, [](const auto& parameter) {
      return beast::iequals(parameter.first, "q") &&
             parameter.second.find_first_not_of("0.") == std::string_view::npos;
    });
  }
  return false;
}

}  // namespace

HttpSession::HttpSession(tcp::socket socket, SessionsShare& share, bool is_over_limit)
    : share_(share),
      stream_(std::move(socket)),
      timer_(share.context),
      buffer_(2 * share.limits.header),
      is_over_limit_(is_over_limit) {
  Error ignored;
  reached_ = address_of(stream_.socket().local_endpoint(ignored), ignored);
  client_ = address_of(stream_.socket().remote_endpoint(ignored), ignored);
  stream_.socket().set_option(tcp::no_delay(true), ignored);
  share_.sessions.insert(this);
  ++share_.counters->connections;
}

HttpSession::~HttpSession() {
  if (listens_) --share_.counters->event_streams;
  share_.end_idle(*this);
  share_.sessions.erase(this);
  --share_.counters->connections;
}

void HttpSession::wake() noexcept {
  if (listens_) timer_.cancel();
}

void HttpSession::end() noexcept {
  stream_.close();
  timer_.cancel();
}

net::awaitable<void> HttpSession::run() {
  while (!share_.ends) {
    share_.begin_idle(*this);
    const bool is_there = co_await read_header();
    share_.end_idle(*this);
    if (!is_there) break;
    const Next next = co_await answer_request();
    if (next == Next::kEnd) break;
  }
  co_await read_the_rest();
}

/// Bytes of the next request may be there already.
net::awaitable<bool> HttpSession::read_header() {
  Error error;
  if (!is_first_ && buffer_.size() == 0) {
    stream_.expires_after(share_.limits.idle_time);
    constexpr std::size_t kFirstRead = 1024;
    const std::size_t bytes = co_await stream_.async_read_some(
        buffer_.prepare(kFirstRead), net::redirect_error(net::use_awaitable, error));
    if (error) co_return false;
    buffer_.commit(bytes);
  }
  is_first_ = is_head_ = false;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(share_.limits.header));
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // none is read
  stream_.expires_after(share_.limits.request_time);
  co_await http::async_read_header(stream_, buffer_, *parser_,
                                   net::redirect_error(net::use_awaitable, error));
  if (!error) co_return true;
  if (error == beast::error::timeout) count(*share_.counters, Refusal::kSlowRequest);
  co_await refuse_malformed(error);
  co_return false;
}

/// A client that has gone or was too slow gets no answer.
net::awaitable<void> HttpSession::refuse_malformed(Error why) {
  const auto& of_http = http::make_error_code(http::error::end_of_stream).category();
  if (why == http::error::header_limit || why == http::error::buffer_overflow) {
    co_await refuse_with({Refusal::kHeader, 431, "the header is too long"});
  } else if (why.category() == of_http && why != http::error::end_of_stream) {
    co_await refuse_with({Refusal::kMalformed, 400, "this is no request of HTTP/1.0 or HTTP/1.1"});
  }
}

/// The length of a body in another coding than chunked is unknown.
std::optional<Refused> HttpSession::refusal() const {
  const auto& header = parser_->get().base();
  const std::size_t codings = header.count(http::field::transfer_encoding);
  if (codings > 1 ||
      (codings == 1 && !beast::iequals(header[http::field::transfer_encoding], "chunked"))) {
    return Refused{Refusal::kMalformed, 400, "no Transfer-Encoding but chunked is known here"};
  }
  const std::uint64_t bytes = parser_->content_length().value_or(0);
  return share_.rules.refuse(
      header,
      {.is_there = parser_->chunked() || bytes > 0, .bytes = bytes, .longest = longest_body()},
      reached_);
}

std::size_t HttpSession::longest_body() const {
  const std::string_view target = parser_->get().target();
  return share_.handler->longest_body(target.substr(0, target.find('?')));
}

net::awaitable<HttpSession::Next> HttpSession::answer_request() {
  const auto& header = parser_->get().base();
  is_head_ = header.method() == http::verb::head;
  const std::optional<Refused> refused = refusal();
  if (refused) co_return co_await refuse_with(*refused);
  std::optional<Request> request = decode_target(header.target());
  if (!request) {
    co_return co_await refuse_with(
        {Refusal::kMalformed, 400,
         "the path or the query cannot be read; expected a path from / on without the segments "
         "'.' and '..', escaped UTF-8 without control characters, and each parameter once"});
  }
  request->takes_gzip = takes_gzip(header[http::field::accept_encoding]);
  const std::string& path = request->path;
  if (is_over_limit_ && path != "/metrics" && path != "/healthz") {
    co_return co_await refuse_with({Refusal::kConnections, kUnavailable, "too many connections"});
  }
  if (path == "/api/events") co_return co_await stream_events();
  if (path == "/" || path == "/favicon.ico") co_return co_await answer_own(*request);
  if (header.method() == http::verb::post) co_return co_await answer_post(std::move(*request));
  co_return co_await answer_by_handler(std::move(*request));
}

/// Reads the body that the header announced. A client may wait to be asked for it.
net::awaitable<std::optional<Refused>> HttpSession::read_body() {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const std::size_t longest = longest_body();
  constexpr std::size_t kUsual = std::size_t{1} << 20U;  // if the length is not known
  const std::size_t expected = parser_->content_length().value_or(std::min(longest, kUsual));
  if (share_.open_bodies + expected > share_.limits.bodies) {
    co_return Refused{Refusal::kQuestions, kTooMany, "others are sending bodies; send it again"};
  }
  constexpr unsigned kHttp11 = 11;
  if (parser_->get().version() >= kHttp11 &&
      beast::iequals(parser_->get()[http::field::expect], "100-continue") &&
      !co_await write({net::buffer(kContinue), net::const_buffer()}, share_.limits.answer_time)) {
    co_return Refused{Refusal::kSlowReader, 408, "the body was not sent"};
  }
  Error error;
  share_.open_bodies += expected;
  parser_->body_limit(longest);
  stream_.expires_after(share_.limits.body_time);
  co_await http::async_read(stream_, buffer_, *parser_,
                            net::redirect_error(net::use_awaitable, error));
  share_.open_bodies -= expected;
  if (!error) co_return std::nullopt;
  if (error == http::error::body_limit) {
    co_return Refused{Refusal::kBody, 413, "the body is too long; send fewer lines at a time"};
  }
  if (error == beast::error::timeout) {  // the stream is closed, and takes no answer
    co_return Refused{Refusal::kSlowRequest, 408, "the body took too long"};
  }
  co_return Refused{Refusal::kMalformed, 400, "the body ended early, or its chunks cannot be read"};
}

net::awaitable<HttpSession::Next> HttpSession::answer_post(Request request) {
  const std::string coding(parser_->get()[http::field::content_encoding]);
  const bool is_gzip = beast::iequals(coding, "gzip");
  if (!is_gzip && !coding.empty() && !beast::iequals(coding, "identity")) {
    co_return co_await refuse_with(
        {Refusal::kBody, 415, "no Content-Encoding but gzip is known here"});
  }
  const std::optional<Refused> refused = co_await read_body();
  if (refused) co_return co_await refuse_with(*refused);
  response_.reset();
  share_.post({.request = std::move(request),
               .content_type = std::string(parser_->get()[http::field::content_type]),
               .body = std::move(parser_->get().body())},
              is_gzip, shared_from_this());
  co_await wait(share_.limits.handler_time);
  if (share_.ends) co_return Next::kEnd;
  if (!response_) {
    co_return co_await refuse_with({Refusal::kBusy, kUnavailable, "the answer takes too long"});
  }
  co_return co_await send(*response_, keeps_alive());
}

net::awaitable<HttpSession::Next> HttpSession::answer_own(const Request& request) {
  ++share_.counters->answered;
  const Response nothing{.status = 204, .content_type = {}, .body = nullptr};
  const Response& page = request.takes_gzip ? share_.compressed_page : share_.page;
  co_return co_await send(request.path == "/" ? page : nothing, keeps_alive());
}

net::awaitable<HttpSession::Next> HttpSession::answer_by_handler(Request request) {
  response_.reset();
  std::shared_ptr<Question> question = share_.ask(std::move(request), shared_from_this());
  if (!question) {
    co_return co_await refuse_with(
        {Refusal::kQuestions, kTooMany, "others are being answered; ask again"});
  }
  if (question->is_costly) end_if_client_leaves();
  co_await wait(share_.limits.handler_time);
  Error ignored;
  if (question->is_costly) stream_.socket().cancel(ignored);
  question.reset();
  if (share_.ends || has_left_) co_return Next::kEnd;
  if (!response_) {
    co_return co_await refuse_with({Refusal::kBusy, kUnavailable, "the answer takes too long"});
  }
  co_return co_await send(*response_, keeps_alive());
}

/// A client that closes its side while a costly question waits counts as gone.
void HttpSession::end_if_client_leaves() {
  stream_.socket().async_wait(tcp::socket::wait_read, [waits = weak_from_this()](Error error) {
    const auto session = waits.lock();
    if (!session || error) return;  // the answer came first
    char next = 0;                  // the first byte of a further request
    session->stream_.socket().receive(net::buffer(&next, 1), tcp::socket::message_peek, error);
    session->has_left_ = error.failed();
    if (session->has_left_) session->timer_.cancel();
  });
}

void HttpSession::take(Response response) {
  response_ = std::move(response);
  timer_.cancel();
}

net::awaitable<HttpSession::Next> HttpSession::refuse_with(Refused refused) {
  count(*share_.counters, refused.why);
  Response error = error_response(refused.status, refused.sentence);
  error.more = more_of(refused.status);
  co_return co_await send(error, false);
}

net::awaitable<HttpSession::Next> HttpSession::send(const Response& response, bool keeps_alive) {
  const std::string head = head_of(response, keeps_alive);
  const bool has_body = response.body != nullptr && !is_head_;
  const std::array<net::const_buffer, 2> parts = {
      net::buffer(head), has_body ? net::buffer(*response.body) : net::const_buffer()};
  const bool is_taken = co_await write(parts, share_.limits.answer_time);
  co_return is_taken&& keeps_alive ? Next::kRequest : Next::kEnd;
}

/// A slow client misses events: after each one it receives the newest.
net::awaitable<HttpSession::Next> HttpSession::stream_events() {
  if (share_.counters->event_streams >= share_.most_streams) {
    co_return co_await refuse_with({Refusal::kStreams, kUnavailable, "too many event streams"});
  }
  const Response head{
      .content_type = "text/event-stream", .body = nullptr, .more = "X-Accel-Buffering: no\r\n"};
  if (is_head_) co_return co_await send(head, false);
  listens_ = true;
  ++share_.counters->event_streams;
  // The kernel keeps little for a client that does not read.
  constexpr int kSendBuffer = 1 << 17;
  Error ignored;
  stream_.socket().set_option(net::socket_base::send_buffer_size(kSendBuffer), ignored);
  const std::string begin = head_of(head, false).append(kEventsBegin);
  bool is_there = co_await write_event(begin);
  std::shared_ptr<const std::string> told;
  while (is_there && !share_.ends) {
    if (share_.event != told) {
      told = share_.event;
      is_there = co_await write_event(*told);
    } else if (co_await wait(share_.limits.heartbeat)) {
      is_there = co_await write_event(kHeartbeat);
    }
  }
  co_return Next::kEnd;
}

/// Returns false if the session was woken before.
net::awaitable<bool> HttpSession::wait(std::chrono::milliseconds time) {
  Error error;
  timer_.expires_after(time);
  co_await timer_.async_wait(net::redirect_error(net::use_awaitable, error));
  co_return !error;
}

/// Returns false if the client has gone or is too slow.
net::awaitable<bool> HttpSession::write(std::array<net::const_buffer, 2> parts,
                                        std::chrono::milliseconds patience) {
  Error error;
  stream_.expires_after(patience);
  co_await net::async_write(stream_, parts, net::redirect_error(net::use_awaitable, error));
  if (error == beast::error::timeout) count(*share_.counters, Refusal::kSlowReader);
  co_return !error;
}

/// A connection that is closed with unread input is reset, and the client may never see the answer.
net::awaitable<void> HttpSession::read_the_rest() {
  constexpr std::chrono::seconds kPatience{1};
  constexpr std::size_t kMost = std::size_t{1} << 20U, kPiece = 4096;
  Error error;
  stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  stream_.expires_after(kPatience);
  for (std::size_t read = 0; !error && !share_.ends && read < kMost;) {
    buffer_.clear();
    read += co_await stream_.async_read_some(buffer_.prepare(kPiece),
                                             net::redirect_error(net::use_awaitable, error));
  }
}

}  // namespace prescope::serve
