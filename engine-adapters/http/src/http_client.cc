#include "http_client.h"

#include <curl/curl.h>

#include <charconv>
#include <condition_variable>
#include <new>
#include <thread>
#include <utility>

#include "prescope/error.h"

namespace prescope::http {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestBody = std::size_t{256} << 20U;

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* to) noexcept {
  auto& body = *static_cast<std::string*>(to);
  if (body.size() + size * count > kLongestBody) return 0;  // ends the transfer as a failure
  try {
    body.append(bytes, size * count);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return size * count;
}

/// A list of libcurl.
struct Headers {
  curl_slist* list = nullptr;
  ~Headers() { curl_slist_free_all(list); }
  void add(const std::string& header) {
    curl_slist* const longer = curl_slist_append(list, header.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    list = longer;
  }
};

void set_options(CURL* handle, const Connection& connection, const Call& call,
                 const Headers& headers, Reply& reply) {
  curl_easy_reset(handle);
  const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(handle, option, value); };
  set(CURLOPT_URL, call.url.c_str());
  set(CURLOPT_CUSTOMREQUEST, call.method.c_str());
  if (!call.body.empty()) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
    set(CURLOPT_POSTFIELDS, call.body.c_str());
  }
  set(CURLOPT_HTTPHEADER, headers.list);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_ACCEPT_ENCODING, "");
  set(CURLOPT_WRITEFUNCTION, take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&reply.body));
  if (!connection.user_password.empty()) {
    set(CURLOPT_USERPWD, connection.user_password.c_str());
  }
  if (!connection.ca_file.empty()) set(CURLOPT_CAINFO, connection.ca_file.c_str());
  if (!connection.verifies) {
    set(CURLOPT_SSL_VERIFYPEER, 0L);
    set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void read_end(CURL* handle, CURLcode code, Reply& reply) {
  if (code == CURLE_OK) {
    long status = 0;
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    reply.end = Reply::End::kAnswered;
    reply.status = static_cast<int>(status);
    if (seconds > 0) reply.retry_after = std::chrono::seconds(seconds);
    return;
  }
  const bool is_late = code == CURLE_OPERATION_TIMEDOUT, is_long = code == CURLE_WRITE_ERROR;
  reply.end = is_late   ? Reply::End::kTimedOut
              : is_long ? Reply::End::kTooLong
                        : Reply::End::kFailed;
  reply.why = curl_easy_strerror(code);
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  if (text.empty()) return {};
  const std::unique_ptr<char, decltype(&curl_free)> encoded(
      curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size())), curl_free);
  if (encoded == nullptr) throw std::bad_alloc();
  return encoded.get();
}

/// Delays requests until there is room for them.
struct HttpClient::Limits {
  std::mutex mutex{};
  std::condition_variable ended{};
  std::uint32_t running = 0;
  Clock::time_point next{};  // when the next request may begin

  void begin(const Connection& of) {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return of.most_at_once == 0 || running < of.most_at_once; });
    ++running;
    if (of.most_a_second == 0) return;
    const Clock::time_point begins = std::max(next, Clock::now());
    next = begins + std::chrono::nanoseconds(1'000'000'000 / of.most_a_second);
    lock.unlock();
    std::this_thread::sleep_until(begins);
  }
  void end() {
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_one();
  }
};

HttpClient::HttpClient(Connection connection)
    : connection_(std::move(connection)), limits_(std::make_unique<Limits>()) {
  static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (kStarted != CURLE_OK) throw Error(ErrorCode::kEngine, curl_easy_strerror(kStarted));
}

HttpClient::~HttpClient() {
  for (void* const handle : idle_) curl_easy_cleanup(handle);
}

Reply HttpClient::send(const Call& call, std::chrono::milliseconds timeout) {
  Headers headers;
  for (const std::string& header : connection_.headers) headers.add(header);
  if (!call.content_type.empty()) headers.add("Content-Type: " + call.content_type);
  headers.add("Expect:");  // else a long query waits for a second before it is sent
  Reply reply;
  const Clock::time_point asked = Clock::now();
  limits_->begin(connection_);
  reply.held_back = Clock::now() - asked;
  void* handle = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      handle = idle_.back();
      idle_.pop_back();
    }
  }
  if (handle == nullptr) handle = curl_easy_init();
  if (handle != nullptr) {
    set_options(handle, connection_, call, headers, reply);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
    read_end(handle, curl_easy_perform(handle), reply);
    const std::lock_guard lock(mutex_);
    idle_.push_back(handle);
  }
  limits_->end();
  return reply;
}

}  // namespace prescope::http
