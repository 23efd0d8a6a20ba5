#include "serve/http/http_session.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <limits>

#include "serve/http/request_target.h"
#include "serve/site/page.h"

namespace prescope::serve {

namespace {

using Error = beast::error_code;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

IpAddress local_address(const tcp::socket& socket) {
  Error none;
  const auto end = socket.local_endpoint(none);
  return none ? IpAddress{} : parse_ip(end.address().to_string()).value_or(IpAddress{});
}

}  // namespace

void SessionsShare::set_event(std::shared_ptr<const std::string> newest) {
  ++event_id;
  event = std::make_shared<const std::string>(event_text(event_id, *newest));
  ++counters->events;
  for (HttpSession* session : sessions) session->wake();
}

void SessionsShare::end_sessions() {
  ends = true;
  for (HttpSession* session : sessions) session->end();
}

HttpSession::HttpSession(tcp::socket socket, SessionsShare& share)
    : share_(share),
      stream_(std::move(socket)),
      timer_(share.context),
      buffer_(2 * share.limits.header) {
  reached_ = local_address(stream_.socket());
  Error ignored;
  stream_.socket().set_option(tcp::no_delay(true), ignored);
  share_.sessions.insert(this);
  ++share_.counters->connections;
}

HttpSession::~HttpSession() {
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
  while (!share_.ends && co_await read_request()) {
    const Next next = co_await answer_request();
    if (next == Next::kEnd) break;
  }
  co_await read_the_rest();
}

net::awaitable<void> HttpSession::turn_away() {
  co_await refuse_with({Refusal::kConnections, 503, "too many connections"});
  co_await read_the_rest();
}

/// Bytes of the next request may be there already.
net::awaitable<bool> HttpSession::read_request() {
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
  count_if_slow(error, Refusal::kSlowRequest);
  co_await refuse_malformed(error);
  co_return false;
}

/// Nothing is said to a client that has gone or was too slow.
net::awaitable<void> HttpSession::refuse_malformed(Error why) {
  const auto& of_http = http::make_error_code(http::error::end_of_stream).category();
  if (why == http::error::header_limit || why == http::error::buffer_overflow) {
    co_await refuse_with({Refusal::kHeader, 431, "the header is too long"});
  } else if (why.category() == of_http && why != http::error::end_of_stream) {
    co_await refuse_with({Refusal::kMalformed, 400, "this is no HTTP/1.1 request"});
  }
}

RequestHead HttpSession::head() const {
  const auto& request = parser_->get();
  RequestHead head{.method = view(request.method_string()), .target = view(request.target())};
  for (const auto& field : request) {
    const std::string_view value = view(field.value());
    if (field.name() == http::field::host) head.hosts.push_back(value);
    if (field.name() == http::field::origin) head.origins.push_back(value);
    if (field.name() == http::field::authorization) head.authorizations.push_back(value);
    if (field.name() != http::field::unknown) continue;
    if (beast::iequals(field.name_string(), "Sec-Fetch-Site")) head.fetch_site = value;
    if (beast::iequals(field.name_string(), "Sec-Fetch-Mode")) head.fetch_mode = value;
  }
  head.has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0;
  return head;
}

net::awaitable<HttpSession::Next> HttpSession::answer_request() {
  const RequestHead head = this->head();
  is_head_ = head.method == "HEAD";
  const auto refused = refuse(head, share_.rules, reached_, share_.limits.target);
  if (refused) {
    co_await refuse_with(*refused);
    co_return Next::kEnd;
  }
  std::optional<Request> request = decode_target(head.target);
  if (!request) {
    co_await refuse_with({Refusal::kMalformed, 400, "the path cannot be decoded"});
    co_return Next::kEnd;
  }
  const std::string& path = request->path;
  if (path == "/api/events") {
    co_await stream_events();
    co_return Next::kEnd;
  }
  if (path == "/" || path == "/favicon.ico") co_return co_await answer_own(*request);
  co_return co_await answer_by_handler(std::move(*request));
}

net::awaitable<HttpSession::Next> HttpSession::answer_own(const Request& request) {
  AnswerHead head{.keeps_alive = parser_->keep_alive()};
  ++share_.counters->answered;
  if (request.path != "/") {
    head.status = 204;
    co_return co_await send(head, nullptr);
  }
  head.content_type = "text/html; charset=utf-8";
  head.security_policy = page_content_security_policy();
  co_return co_await send(head, share_.page);
}

/// A connection that is closed with something unread is reset, and the client may never see the
/// answer.
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
