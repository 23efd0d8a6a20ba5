#include "actions/posts.h"

#include <fstream>

#include "base/errors.h"
#include "base/folder_lock.h"
#include "base/libcurl.h"
#include "base/threads.h"

namespace prescope {

namespace {

constexpr std::string_view kPlainWeb = "http://", kTlsWeb = "https://";

/// Returns "https://host", because the rest of a webhook's URL is often a secret.
std::string shown_url(const std::string& url) {
  const std::size_t begin = url.find("//") + 2;
  std::string_view host = std::string_view(url).substr(begin);
  host = host.substr(0, host.find_first_of("/?#"));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  return url.substr(0, begin) + std::string(host);
}

std::size_t ignore_answer(char* /*bytes*/, std::size_t size, std::size_t count, void* /*to*/) {
  return size * count;
}

int ends_at_stop(void* /*unused*/, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return is_asked_to_stop() ? 1 : 0;
}

std::string content_of_event(const std::filesystem::path& folder) {
  std::ifstream in(folder / "event.json", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

/// Sends one request at a time, each on a connection of its own.
class Posts::Client {
 public:
  explicit Client(std::string url) : url_(std::move(url)), curl_(libcurl("a webhook")) {}

  struct Answer {
    long status = 0;
    std::string failure{};  // empty: there was an answer
  };

  [[nodiscard]] Answer post(const std::string& event, const std::string& body,
                            std::chrono::seconds patience) const {
    constexpr long kConnectMs = 5000;
    CURL* const handle = curl_.easy_init();
    if (handle == nullptr) return {.failure = "libcurl has no memory"};
    curl_slist* fields = nullptr;
    for (const std::string& line : {std::string("Content-Type: application/json"),
                                    "Idempotency-Key: " + event, std::string("Expect:")}) {
      fields = curl_.slist_append(fields, line.c_str());
    }
    const auto set = [&](CURLoption option, auto value) {
      curl_.easy_setopt(handle, option, value);
    };
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_HTTPHEADER, fields);
    set(CURLOPT_POSTFIELDS, body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    set(CURLOPT_TIMEOUT, static_cast<long>(patience.count()));
    set(CURLOPT_WRITEFUNCTION, ignore_answer);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, ends_at_stop);
    Answer answer;
    const CURLcode done = curl_.easy_perform(handle);
    if (done == CURLE_OK) curl_.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.status);
    if (done != CURLE_OK) answer.failure = curl_.easy_strerror(done);
    curl_.slist_free_all(fields);
    curl_.easy_cleanup(handle);
    return answer;
  }

  [[nodiscard]] std::string shown() const { return shown_url(url_); }

 private:
  const std::string url_;
  const Libcurl& curl_;
};

bool is_web_url(std::string_view url) noexcept {
  const std::string_view scheme = url.starts_with(kTlsWeb) ? kTlsWeb : kPlainWeb;
  return url.starts_with(scheme) && url.size() > scheme.size();
}

Posts::Posts(const std::filesystem::path& journal, const std::string& url, ActionWarning warn)
    : journal_(journal), client_(std::make_unique<Client>(url)), warn_(std::move(warn)) {}
Posts::~Posts() = default;

void Posts::look() {
  constexpr std::chrono::seconds kPatience{30};
  for (const std::string& event : journal_.open(Journal::Work::kPost)) {
    if (is_asked_to_stop()) return;
    if (tries_[event].is_time()) post(event, kPatience);
  }
}

void Posts::finish() {
  constexpr std::chrono::seconds kPatience{5};
  for (const std::string& event : journal_.open(Journal::Work::kPost)) {
    if (tries_[event].tries() == 0) post(event, kPatience);
  }
}

void Posts::post(const std::string& event, std::chrono::seconds patience) {
  constexpr auto kPost = Journal::Work::kPost;
  constexpr long kGood = 200, kRedirected = 300;
  const FolderLock lock(journal_.place(event));
  if (lock.is_held_by_other() || journal_.ended(event, kPost)) return;
  Retry& retry = tries_[event];
  if (journal_.age(event, kPost) > journal_.limit(event, kPost)) {
    journal_.end(event, kPost, "given up");
    return warn_(fmt::format("action {}: {} has not taken it in 24 hours, and it is given up",
                             event, client_->shown()));
  }
  const Client::Answer answer =
      client_->post(event, content_of_event(journal_.place(event)), patience);
  if (answer.failure.empty() && answer.status >= kGood && answer.status < kRedirected) {
    journal_.end(event, kPost, fmt::format("{}", answer.status));
    if (retry.tries() > 0) warn_(fmt::format("action {}: it is posted now", event));
    return;
  }
  if (is_asked_to_stop()) return;  // tried again by the next process
  if (retry.tries() == 0) {
    warn_(fmt::format(
        "action {}: it cannot be posted to {}, and is tried again for 24 hours: {}", event,
        client_->shown(),
        answer.failure.empty() ? fmt::format("status {}", answer.status) : answer.failure));
  }
  retry.again_later();
}

}  // namespace prescope
