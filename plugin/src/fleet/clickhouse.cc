#include "fleet/clickhouse.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/errors.h"
#include "base/libcurl.h"
#include "base/text_file.h"
#include "base/threads.h"

namespace prescope {

namespace {

constexpr std::string_view kPlain = "clickhouse://", kTls = "clickhouse+https://";

[[noreturn]] void refuse_url(std::string_view url, std::string_view why) {
  throw usage_error(
      "'{}': {}; expected clickhouse://host:8123/database, or "
      "clickhouse+https://host1,host2/database",
      url, why);
}

bool consists_of(std::string_view text, std::string_view others) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || others.find(c) != std::string_view::npos;
  });
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string password() {
  const std::string file = variable("PRESCOPE_CLICKHOUSE_PASSWORD_FILE");
  if (file.empty()) return variable("PRESCOPE_CLICKHOUSE_PASSWORD");
  std::ifstream in(file);
  std::string line;
  if (!in || (!std::getline(in, line) && in.bad())) {
    throw io_error("PRESCOPE_CLICKHOUSE_PASSWORD_FILE: {}: cannot be read: {}", file,
                   std::strerror(errno));
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

/// Returns the part before the first `mark`, and removes both from `text`; all if there is none.
std::string_view take_until(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string checked_settings(std::string_view url, std::string_view settings) {
  std::string checked;
  while (!settings.empty()) {
    const std::string_view one = take_until(settings, '&');
    if (!consists_of(one, "_=.") || std::ranges::count(one, '=') != 1) {
      refuse_url(url, fmt::format("'{}' is not a setting, such as insert_quorum=2", one));
    }
    checked += fmt::format("&{}", one);
  }
  return checked;
}

/// Codes that mean that the request is wrong, or not allowed: sending it again would not help.
constexpr std::array kLasting = {16, 46, 47, 50, 53, 62, 192, 193, 194, 195, 452, 492, 516};

/// Codes that mean that there is no such table or database.
constexpr std::array kUnknown = {60, 81};

/// Codes that mean that the user lacks a right.
constexpr std::array kDenied = {164, 291, 392, 497};

std::optional<int> code_of(std::string_view answer) {
  constexpr std::string_view kBefore = "Code: ";
  const std::size_t begin = answer.find(kBefore);
  int code = 0;
  if (begin == std::string_view::npos) return std::nullopt;
  const char* const digits = answer.data() + begin + kBefore.size();
  const auto read = std::from_chars(digits, answer.data() + answer.size(), code);
  return read.ec == std::errc() ? std::optional(code) : std::nullopt;
}

std::string first_line(std::string_view answer) {
  constexpr std::size_t kLongest = 400;
  return std::string(answer.substr(0, std::min(answer.find('\n'), kLongest)));
}

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* answer) noexcept {
  try {
    static_cast<std::string*>(answer)->append(bytes, size * count);
  } catch (const std::bad_alloc&) {
    return 0;  // which ends the transfer as a failure
  }
  return size * count;
}

}  // namespace

bool is_fleet_url(std::string_view text) noexcept {
  return text.starts_with(kPlain) || text.starts_with(kTls);
}

FleetAddress parse_fleet_url(std::string_view url) {
  if (!is_fleet_url(url)) refuse_url(url, "is not the URL of a fleet");
  const bool is_tls = url.starts_with(kTls);
  std::string_view rest = url.substr(is_tls ? kTls.size() : kPlain.size());
  FleetAddress address{.user = variable("PRESCOPE_CLICKHOUSE_USER"),
                       .password = password(),
                       .ca_file = variable("PRESCOPE_CLICKHOUSE_CA_FILE")};
  std::string_view hosts = take_until(rest, '/');
  if (hosts.find('@') != std::string_view::npos) address.user = take_until(hosts, '@');
  if (address.user.find(':') != std::string::npos) {
    // The URL is not repeated, because messages are logged.
    throw usage_error(
        "a password in the URL can be seen by others; put it into PRESCOPE_CLICKHOUSE_PASSWORD or "
        "a file that PRESCOPE_CLICKHOUSE_PASSWORD_FILE names");
  }
  address.text = fmt::format("{}{}/", is_tls ? kTls : kPlain, hosts);
  while (!hosts.empty()) {
    std::string host(take_until(hosts, ','));
    if (!consists_of(host, ".-:[]_")) refuse_url(url, fmt::format("'{}' is not a host", host));
    const std::size_t colon = host.rfind(':');
    if (colon == std::string::npos || host.ends_with(']')) host += is_tls ? ":8443" : ":8123";
    address.servers.push_back((is_tls ? "https://" : "http://") + host);
  }
  if (address.servers.empty()) refuse_url(url, "names no host");
  address.database = take_until(rest, '?');
  if (!consists_of(address.database, "_")) {
    refuse_url(url, "a database's name has letters, digits and '_' only");
  }
  address.text += address.database;
  address.settings = checked_settings(url, rest);
  return address;
}

std::string sql_text(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') literal += '\\';
    literal += c == '\0' ? std::string("\\0") : std::string(1, c);
  }
  return literal + '\'';
}

namespace {

using Clock = std::chrono::steady_clock;

/// Ends a request that has taken a second when its thread is asked to stop. libcurl calls it at
/// least once a second.
int is_given_up(void* began, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto taken = Clock::now() - *static_cast<const Clock::time_point*>(began);
  return is_asked_to_stop() && taken > std::chrono::seconds(1) ? 1 : 0;
}

}  // namespace

struct ClickHouse::Curl {
  Curl() {
    handle = library.easy_init();
    if (handle == nullptr) throw io_error("libcurl cannot be used");
  }
  ~Curl() {
    library.slist_free_all(headers);
    library.easy_cleanup(handle);
  }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  void add_header(const std::string& line) {
    headers = library.slist_append(headers, line.c_str());
  }
  template <class Value>
  void set(CURLoption option, Value value) const {
    library.easy_setopt(handle, option, value);
  }

  const Libcurl& library = libcurl("a fleet");
  CURL* handle = nullptr;
  curl_slist* headers = nullptr;
};

ClickHouse::ClickHouse(FleetAddress address)
    : address_(std::move(address)),
      insert_settings_(address_.servers.size()),
      curl_(std::make_unique<Curl>()) {
  constexpr long kConnectMs = 5000, kIdleSeconds = 120;
  curl_->set(CURLOPT_NOSIGNAL, 1L);
  curl_->set(CURLOPT_NOPROXY, "*");  // passwords go to the servers that were named only
  curl_->set(CURLOPT_PROTOCOLS_STR, "http,https");
  curl_->set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  // However slow a link is, what moves over it arrives.
  curl_->set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_->set(CURLOPT_LOW_SPEED_TIME, kIdleSeconds);
  curl_->set(CURLOPT_WRITEFUNCTION, append);
  curl_->set(CURLOPT_NOPROGRESS, 0L);
  curl_->set(CURLOPT_XFERINFOFUNCTION, is_given_up);
  if (!address_.ca_file.empty()) curl_->set(CURLOPT_CAINFO, address_.ca_file.c_str());
  if (!address_.user.empty()) {
    curl_->add_header("X-ClickHouse-User: " + address_.user);
    curl_->add_header("X-ClickHouse-Key: " + address_.password);
  }
  curl_->add_header("Expect:");
  curl_->add_header("Content-Type: application/octet-stream");
  curl_->set(CURLOPT_HTTPHEADER, curl_->headers);
}
ClickHouse::~ClickHouse() = default;
ClickHouse::ClickHouse(ClickHouse&&) noexcept = default;

std::string ClickHouse::ask(std::string_view sql) { return send(false, sql); }

void ClickHouse::insert(std::string_view sql, std::string_view rows) {
  std::string body = fmt::format("{}\n", sql);
  body += rows;
  const std::string answer = send(true, body);
  if (!answer.empty()) throw FleetUnavailable(first_line(answer));
}

/// Returns the settings of an insert that the present server knows and the URL does not set. Their
/// defaults differ between releases.
const std::string& ClickHouse::insert_settings() {
  // A table that is spread over shards must have passed the rows on before it acknowledges them. A
  // repeated block may be the only one that is left. Rows must not wait in the server's memory.
  // Sequential consistency needs quorum inserts one after the other.
  constexpr std::array<std::pair<std::string_view, int>, 4> kWanted{
      {{"insert_distributed_sync", 1},
       {"insert_deduplicate", 0},
       {"async_insert", 0},
       {"insert_quorum_parallel", 0}}};
  std::optional<std::string>& settings = insert_settings_[server_];
  if (settings) return *settings;
  std::string names;
  for (const auto& [name, value] : kWanted) names += fmt::format(", '{}'", name);
  const std::string answer = send_once(
      "", fmt::format("SELECT name FROM system.settings WHERE name IN ({})", names.substr(2)));
  const std::vector<std::string> known = split(answer, '\n');
  settings.emplace();
  for (const auto& [name, value] : kWanted) {
    const bool is_known = std::ranges::find(known, name) != known.end();
    const bool is_given = address_.settings.find(fmt::format("&{}=", name)) != std::string::npos;
    if (is_known && !is_given) *settings += fmt::format("&{}={}", name, value);
  }
  return *settings;
}

std::string ClickHouse::send(bool inserts, std::string_view body) {
  std::exception_ptr failure, refusal;
  for (std::size_t tried = 0; tried < address_.servers.size(); ++tried) {
    try {
      return send_once(inserts ? insert_settings() : "", body);
    } catch (const FleetUnavailable&) {
      failure = std::current_exception();
      if (is_asked_to_stop()) break;
    } catch (const Error&) {
      refusal = std::current_exception();
    }
    server_ = (server_ + 1) % address_.servers.size();
  }
  std::rethrow_exception(failure ? failure : refusal);
}

std::string ClickHouse::send_once(std::string_view settings, std::string_view body) {
  const std::string& server = address_.servers[server_];
  std::string answer;
  char reason[CURL_ERROR_SIZE] = "";
  const std::string url =
      fmt::format("{}/?wait_end_of_query=1{}{}", server, address_.settings, settings);
  curl_->set(CURLOPT_URL, url.c_str());
  curl_->set(CURLOPT_POSTFIELDS, body.data());
  curl_->set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_->set(CURLOPT_WRITEDATA, &answer);
  Clock::time_point began = Clock::now();
  curl_->set(CURLOPT_XFERINFODATA, &began);
  curl_->set(CURLOPT_ERRORBUFFER, reason);
  const CURLcode done = curl_->library.easy_perform(curl_->handle);
  curl_->set(CURLOPT_ERRORBUFFER, nullptr);
  if (done != CURLE_OK) {
    const char* said = *reason != '\0' ? reason : curl_->library.easy_strerror(done);
    if (done == CURLE_ABORTED_BY_CALLBACK) said = "no answer before the end";
    throw FleetUnavailable(fmt::format("{}: {}", server, said));
  }
  long status = 0;
  curl_->library.easy_getinfo(curl_->handle, CURLINFO_RESPONSE_CODE, &status);
  if (status == 200) return answer;
  const std::string message = fmt::format("{}: status {}: {}", server, status, first_line(answer));
  const std::optional<int> code = code_of(answer);
  const auto is_one_of = [&](const auto& codes) {
    return code && std::ranges::find(codes, *code) != codes.end();
  };
  if (is_one_of(kDenied)) throw FleetDenied(message);
  if (is_one_of(kUnknown)) {
    throw usage_error(
        "{0}: the tables of prescope are not all there; 'prescope fleet init {0}' makes them: {1}",
        address_.text, message);
  }
  constexpr long kTooLarge = 413, kTimedOut = 408, kTooMany = 429;
  if (status == kTooLarge) throw FleetTooLarge(message);
  const bool is_refused =
      status >= 400 && status < 500 && status != kTimedOut && status != kTooMany;
  if (code ? is_one_of(kLasting) : is_refused) throw usage_error("{}", message);
  throw FleetUnavailable(message);
}

}  // namespace prescope
