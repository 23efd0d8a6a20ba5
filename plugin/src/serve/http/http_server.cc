#include "serve/http/http_server.h"

#include <fcntl.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <exception>

#include "base/errors.h"
#include "base/threads.h"
#include "serve/http/http_session.h"

namespace prescope::serve {

namespace {

/// Returns "[::1]" for an IPv6 address.
std::string url_host(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

/// Added to the niceness of the threads that answer; the host's searches come first.
constexpr int kNiceness = 5, kCostlyNiceness = 15;

/// Child processes of the host do not inherit the socket.
void keep_from_children(int socket) { ::fcntl(socket, F_SETFD, FD_CLOEXEC); }

tcp::acceptor listen_at(net::io_context& context, const DashboardOptions& options) {
  const tcp::endpoint at(net::ip::make_address(options.address), options.port);
  try {
    tcp::acceptor acceptor(context, at);
    keep_from_children(acceptor.native_handle());
    return acceptor;
  } catch (const boost::system::system_error& error) {
    throw io_error(
        "cannot listen at {}:{}: {}; expected an address of this machine and a port that is free "
        "(0: any free one)",
        url_host(options.address), options.port, error.code().message());
  }
}

void announce(const DashboardOptions& options, const std::string& url) {
  if (is_exposed(options)) {
    const std::string warning = fmt::format(
        "{} can be reached from other machines, unencrypted: whoever sees the traffic sees the "
        "token; put a proxy with TLS before it, or listen at 127.0.0.1",
        url);
    if (options.on_warning) {
      options.on_warning(warning);
    } else {
      std::fputs(fmt::format("prescope: {}\n", warning).c_str(), stderr);
    }
  }
  if (options.on_listening) options.on_listening(url);
}

}  // namespace

struct HttpServer::State {
  State(std::unique_ptr<Handler> handler, const DashboardOptions& options,
        const ServerLimits& limits)
      : share{.limits = limits,
              .rules = AccessRules(options, limits.target),
              .most_connections = options.connections,
              .most_streams = options.event_streams,
              .page = handler->page(),
              .compressed_page = compressed(handler->page()),
              .counters = std::make_shared<ServerCounters>(),
              .handler = std::move(handler)},
        acceptor(listen_at(share.context, options)),
        pause(share.context),
        interval(options.interval),
        url(fmt::format("http://{}:{}/", url_host(options.address),
                        acceptor.local_endpoint().port())) {}
  /// The threads are the last members, so that they end before what they use.
  ~State() {
    share.answers->end();
    net::post(share.context, [this] {
      acceptor.close();
      pause.cancel();
      share.end_sessions();
    });
    answering.request_stop();
    computing.request_stop();
    share.questions.stop();
    share.costly_questions.stop();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void begin() {
    share.handler->count_with(share.counters);
    answering = start_thread("prescope-answer",
                             [this](const std::stop_token& stop) { answer_until(stop); });
    computing = start_thread("prescope-costly",
                             [this](const std::stop_token& stop) { answer_costly_until(stop); });
    net::co_spawn(
        share.context, [this] { return accept_all(); }, counting_failures());
    serving = start_thread("prescope-http", [this] {
      while (!succeeds([this] { share.context.run(); })) continue;
    });
  }

  /// Returns false, and counts it, if the function throws.
  template <class Work>
  bool succeeds(const Work& work) noexcept {
    try {
      work();
      return true;
    } catch (...) {
      ++share.counters->failed;
      return false;
    }
  }

  /// Answers requests in order of arrival, and polls for an event each interval, before any waiting
  /// request.
  void answer_until(const std::stop_token& stop) {
    give_way(kNiceness);
    const auto waits = net::make_work_guard(share.questions);
    auto next_event = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
      if (std::chrono::steady_clock::now() >= next_event) {
        succeeds([this] { look_for_event(); });
        next_event = std::chrono::steady_clock::now() + interval;
      }
      succeeds([&] { share.questions.run_one_until(next_event); });
    }
  }

  void answer_costly_until(const std::stop_token& stop) {
    give_way(kCostlyNiceness);
    const auto waits = net::make_work_guard(share.costly_questions);
    while (!stop.stop_requested()) {
      succeeds([this] { share.costly_questions.run(); });
    }
  }

  void look_for_event() {
    std::shared_ptr<const std::string> event = share.handler->event();
    if (event == nullptr || event == last_event) return;
    last_event = event;
    net::post(share.context, [this, event] { share.set_event(*event); });
  }

  [[nodiscard]] std::function<void(std::exception_ptr)> counting_failures() {
    return [this](const std::exception_ptr& failure) {
      if (failure) ++share.counters->failed;
    };
  }

  net::awaitable<void> accept_all() {
    constexpr std::chrono::milliseconds kPause{100};
    while (!share.ends) {
      beast::error_code error;
      tcp::socket socket(share.context);
      co_await acceptor.async_accept(socket, net::redirect_error(net::use_awaitable, error));
      if (!error) {
        succeeds([&] { begin_session(std::move(socket)); });
      } else if (!share.ends) {
        // Most likely there are no free descriptors; waits until some become free.
        pause.expires_after(kPause);
        co_await pause.async_wait(net::redirect_error(net::use_awaitable, error));
      }
    }
  }

  /// Keeps a few of the connections over the limit, for monitors; closes the others.
  void begin_session(tcp::socket socket) {
    constexpr std::size_t kReserve = 64;
    keep_from_children(socket.native_handle());
    if (share.sessions.size() >= share.most_connections + kReserve) {
      return count(*share.counters, Refusal::kConnections);
    }
    const bool is_over_limit = share.sessions.size() >= share.most_connections;
    const auto session = std::make_shared<HttpSession>(std::move(socket), share, is_over_limit);
    net::co_spawn(
        share.context, [session] { return session->run(); }, counting_failures());
  }

  SessionsShare share;
  tcp::acceptor acceptor;
  net::steady_timer pause;
  std::chrono::milliseconds interval;
  std::string url;
  std::shared_ptr<const std::string> last_event;  // of the handler's thread
  std::jthread answering, computing, serving;
};

HttpServer::HttpServer(std::unique_ptr<Handler> handler, const DashboardOptions& options,
                       const ServerLimits& limits) {
  check(options);
  state_ = std::make_unique<State>(std::move(handler), options, limits);
  announce(options, state_->url);
  state_->begin();
}

HttpServer::~HttpServer() = default;

const std::string& HttpServer::url() const noexcept { return state_->url; }
const ServerCounters& HttpServer::counters() const noexcept { return *state_->share.counters; }

}  // namespace prescope::serve
