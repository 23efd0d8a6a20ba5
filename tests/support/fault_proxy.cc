#include "support/fault_proxy.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace prescope {

namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;

tcp::endpoint local(std::uint16_t port) { return {boost::asio::ip::address_v4::loopback(), port}; }

Response answer_of_server(std::uint16_t port, const Request& request) {
  boost::asio::io_context context;
  tcp::socket server(context);
  server.connect(local(port));
  Request copy = request;
  copy.keep_alive(false);
  http::write(server, copy);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMostBytes);
  http::read(server, buffer, parser);
  return parser.release();
}

}  // namespace

FaultProxy::FaultProxy(std::uint16_t server)
    : server_(server),
      acceptor_(context_, local(0)),
      port_(acceptor_.local_endpoint().port()),
      thread_([this] { run(); }) {}

FaultProxy::~FaultProxy() {
  thread_.request_stop();
  boost::system::error_code ignored;
  boost::asio::io_context context;
  tcp::socket(context).connect(local(port_), ignored);  // wakes `accept`
}

void FaultProxy::set(Fault fault) {
  const std::lock_guard lock(mutex_);
  fault_ = std::move(fault);
}

void FaultProxy::run() {
  while (!thread_.get_stop_token().stop_requested()) {
    tcp::socket client(context_);
    boost::system::error_code failed;
    acceptor_.accept(client, failed);
    if (failed || thread_.get_stop_token().stop_requested()) continue;
    try {
      serve(std::move(client));
    } catch (const std::exception&) {  // either side closed its connection
    }
  }
}

/// One request for each connection.
void FaultProxy::serve(tcp::socket client) {
  boost::beast::flat_buffer buffer;
  http::request_parser<http::string_body> parser;
  parser.body_limit(kMostBytes);
  http::read(client, buffer, parser);
  const Request request = parser.release();
  std::optional<Answer> broken;
  {
    const std::lock_guard lock(mutex_);
    const auto target = request.target();
    if (fault_) broken = fault_({target.data(), target.size()}, request.body());
  }
  if (broken && broken->status == 0) return;
  Response response;
  if (broken) {
    response.result(broken->status);
    response.body() = std::move(broken->body);
  } else {
    response = answer_of_server(server_, request);
  }
  Response out(response.result(), 11);
  out.body() = std::move(response.body());
  out.keep_alive(false);
  out.prepare_payload();
  http::write(client, out);
}

}  // namespace prescope
