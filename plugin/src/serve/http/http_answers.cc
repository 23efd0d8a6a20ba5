#include "serve/http/http_session.h"

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

// What a session sends.
namespace prescope::serve {
namespace {

using Error = beast::error_code;

constexpr std::string_view kChallenge = "WWW-Authenticate: Bearer realm=\"prescope\"\r\n";
constexpr std::string_view kAllow = "Allow: GET, HEAD\r\n";
constexpr std::string_view kLater = "Retry-After: 5\r\n";
constexpr std::string_view kUnbuffered = "X-Accel-Buffering: no\r\n";  // by proxies
constexpr unsigned kUnavailable = 503;

std::string_view more_of(unsigned status) {
  switch (status) {
    case 401:
      return kChallenge;
    case 405:
      return kAllow;
    case kUnavailable:
      return kLater;
    default:
      return {};
  }
}

}  // namespace

/// A session with an event stream, counted. The kernel is to keep little for a client that does not
/// read.
class HttpSession::Listening {
 public:
  explicit Listening(HttpSession& session) : session_(session) {
    constexpr int kSendBuffer = 1 << 17;
    Error ignored;
    session.stream_.socket().set_option(net::socket_base::send_buffer_size(kSendBuffer), ignored);
    session.listens_ = true;
    ++session.share_.counters->event_streams;
  }
  ~Listening() {
    session_.listens_ = false;
    --session_.share_.counters->event_streams;
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  HttpSession& session_;
};

void HttpSession::count_if_slow(Error error, Refusal slow) noexcept {
  if (error == beast::error::timeout) count(*share_.counters, slow);
}

net::awaitable<HttpSession::Next> HttpSession::answer_by_handler(Request request) {
  const auto question = std::make_shared<Question>();
  question->request = std::move(request);
  question->answer = [session = weak_from_this(), &context = share_.context](Response response) {
    net::post(context, [session, response = std::move(response)]() mutable {
      if (const auto waits = session.lock()) waits->take(std::move(response));
    });
  };
  response_.reset();
  timer_.expires_after(share_.limits.handler_time);
  share_.handler->ask(question);
  Error ignored;
  co_await timer_.async_wait(net::redirect_error(net::use_awaitable, ignored));
  if (!response_) share_.handler->give_up(*question);
  if (share_.ends) co_return Next::kEnd;
  if (!response_) {
    co_await refuse_with({Refusal::kBusy, kUnavailable, "the answer takes too long"});
    co_return Next::kEnd;
  }
  const AnswerHead head{.status = response_->status,
                        .content_type = response_->content_type,
                        .keeps_alive = parser_->keep_alive()};
  co_return co_await send(head, response_->body);
}

void HttpSession::take(Response response) {
  response_ = std::move(response);
  timer_.cancel();
}

net::awaitable<void> HttpSession::refuse_with(Refused refused) {
  count(*share_.counters, refused.why);
  const Response error = error_response(refused.status, refused.sentence);
  const AnswerHead head{.status = refused.status,
                        .content_type = error.content_type,
                        .more = more_of(refused.status)};
  co_await send(head, error.body);
}

/// `body` may be null.
net::awaitable<HttpSession::Next> HttpSession::send(AnswerHead head,
                                                    std::shared_ptr<const std::string> body) {
  if (body != nullptr) head.length = body->size();
  const std::string text = to_text(head);
  const bool has_body = body != nullptr && !is_head_;
  const std::array<net::const_buffer, 2> parts = {
      net::buffer(text), has_body ? net::buffer(*body) : net::const_buffer()};
  Error error;
  stream_.expires_after(share_.limits.answer_time);
  co_await net::async_write(stream_, parts, net::redirect_error(net::use_awaitable, error));
  count_if_slow(error, Refusal::kSlowReader);
  co_return error || !head.keeps_alive ? Next::kEnd : Next::kRequest;
}

/// What the client has not taken yet when an event comes is not kept for it: it gets the newest one
/// when it has taken the one before.
net::awaitable<void> HttpSession::stream_events() {
  if (share_.counters->event_streams >= share_.most_streams) {
    co_await refuse_with({Refusal::kStreams, kUnavailable, "too many event streams"});
    co_return;
  }
  const AnswerHead head{.content_type = "text/event-stream", .more = kUnbuffered};
  if (is_head_) {
    co_await send(head, nullptr);
    co_return;
  }
  const Listening listening(*this);
  const std::string begin = to_text(head).append(kEventsBegin);
  bool is_there = co_await write(begin);
  std::uint64_t told = 0;
  while (is_there && !share_.ends) {
    if (share_.event_id != told) {
      told = share_.event_id;
      const auto event = share_.event;
      is_there = co_await write(*event);
    } else if (co_await is_quiet()) {
      is_there = co_await write(kHeartbeat);
    }
  }
}

/// False where there may be something new.
net::awaitable<bool> HttpSession::is_quiet() {
  Error error;
  timer_.expires_after(share_.limits.heartbeat);
  co_await timer_.async_wait(net::redirect_error(net::use_awaitable, error));
  co_return !error;
}

/// A part of an event stream; false where the client has gone or is too slow.
net::awaitable<bool> HttpSession::write(std::string_view text) {
  Error error;
  stream_.expires_after(share_.limits.event_time);
  co_await net::async_write(stream_, net::buffer(text.data(), text.size()),
                            net::redirect_error(net::use_awaitable, error));
  count_if_slow(error, Refusal::kSlowReader);
  co_return !error;
}

}  // namespace prescope::serve
