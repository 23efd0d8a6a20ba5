#include "page_search.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "prescope/error.h"

namespace prescope::http {

namespace {

using std::chrono::milliseconds;

constexpr RankingFlags kNoRanking = RankingFlags::kFailed | RankingFlags::kTimedOut;
constexpr std::chrono::seconds kLongestWait{60};

/// Says why an answer with these flags is not taken. `said` has the flags of the answer itself.
std::string refusal(const EngineAnswer& answer, RankingFlags settled, std::uint64_t depth) {
  if (has(settled, RankingFlags::kTimedOut)) return "the engine gave up after its own timeout";
  const std::string hits = std::to_string(answer.docnos.size());
  const bool says_so = has(answer.flags, RankingFlags::kPartial | RankingFlags::kFailed);
  if (has(settled, RankingFlags::kFailed)) {
    return says_so ? "the engine answered with an error instead of hits"
                   : "the engine says that " + std::to_string(*answer.total) +
                         " documents match, and answered no hit";
  }
  const std::string remedy = "; set partial_answers = serve to score such answers as they are";
  if (says_so || has(answer.flags, RankingFlags::kTimedOut)) {
    return "the answer is partial, with " + hits + " hits: the search did not see every document" +
           remedy;
  }
  return "the engine says that " + std::to_string(*answer.total) +
         " documents match, and answered " + hits + " of " + std::to_string(depth) +
         " hits; if a hit stands for several documents, set total = ''" + remedy;
}

class Search {
 public:
  Search(const ArmOptions& options, HttpClient& client, const std::string& url,
         const Wanted& wanted)
      : options_(options), client_(client), url_(url), wanted_(wanted) {
    values_.query = wanted.query;
    values_.topic = wanted.topic;
    values_.timeout_ms = static_cast<std::uint64_t>(client.connection().timeout.count());
  }

  Found run() {
    const std::uint64_t window = options_.window;
    const bool fits = window == 0 || wanted_.offset + wanted_.hits <= window;
    if (!fits && options_.cursor) {
      run_cursor(*options_.cursor);
    } else if (fits) {
      static_cast<void>(add_page(options_.request, wanted_.offset, wanted_.hits));
    } else {
      run_offsets(window);
    }
    return std::move(found_);
  }

 private:
  /// Asks for pages by their offset.
  void run_offsets(std::uint64_t window) {
    if (!options_.request.has("{{OFFSET}}")) {
      throw NoRanking{.why = std::to_string(wanted_.hits) + " hits from offset " +
                             std::to_string(wanted_.offset) + " do not fit into the window of " +
                             std::to_string(window) +
                             ", and the request has no {{OFFSET}} for further pages"};
    }
    while (found_.docnos.size() < wanted_.hits) {
      const std::uint64_t size = std::min(window, wanted_.hits - found_.docnos.size());
      if (add_page(options_.request, wanted_.offset + found_.docnos.size(), size) < size) return;
    }
  }

  void run_cursor(const Cursor& cursor) {
    found_.used_cursor = true;
    const std::uint64_t all = wanted_.offset + wanted_.hits;
    std::string snapshot, at;
    if (cursor.open) snapshot = open(cursor);
    values_.snapshot = snapshot;
    const RequestTemplate* request = &cursor.first;
    try {
      while (found_.docnos.size() < all) {
        values_.cursor = at;
        const std::uint64_t size =
            std::min<std::uint64_t>(options_.window, all - found_.docnos.size());
        if (add_page(*request, found_.docnos.size(), size) < size) break;
        std::string next = cursor_of(cursor, size - 1);
        if (next.empty() || next == at) break;
        at = std::move(next);
        request = &cursor.next;
      }
    } catch (...) {
      close(cursor);
      throw;
    }
    close(cursor);
    const std::uint64_t before = std::min<std::uint64_t>(wanted_.offset, found_.docnos.size());
    found_.docnos.erase(found_.docnos.begin(),
                        found_.docnos.begin() + static_cast<std::ptrdiff_t>(before));
  }

  std::string open(const Cursor& cursor) {
    const Reply reply = answer_to(*cursor.open);
    // The reader needs a list of hits or a total; there is neither.
    const AnswerShape no_hits{.hits = "/hits", .failed = {cursor.snapshot_at}};
    std::string id;
    try {
      static_cast<void>(reader_.read(reply.body, no_hits));
      id = reader_.text_at(cursor.snapshot_at);
    } catch (const Error& error) {
      throw NoRanking{.why = error.what()};
    }
    if (id.empty()) throw NoRanking{.why = "the engine opened no point in time: " + reply.body};
    return id;
  }

  /// The engine forgets a point in time by itself, if it cannot be told now.
  void close(const Cursor& cursor) {
    if (cursor.close) static_cast<void>(client_.send(cursor.close->fill(url_, values_)));
  }

  [[nodiscard]] std::string cursor_of(const Cursor& cursor, std::uint64_t last_hit) const {
    if (cursor.last_hit_at.empty()) return reader_.text_at(cursor.cursor_at);
    return reader_.text_at(options_.shape.hits + "/" + std::to_string(last_hit) +
                           cursor.last_hit_at);
  }

  /// Adds the hits of one request, and returns their number.
  std::uint64_t add_page(const RequestTemplate& request, std::uint64_t offset, std::uint64_t size) {
    values_.offset = offset;
    values_.depth = size;
    const EngineAnswer answer = ranking_of(request);
    const std::size_t hits = std::min<std::size_t>(answer.docnos.size(), size);
    found_.docnos.insert(found_.docnos.end(), answer.docnos.begin(),
                         answer.docnos.begin() + static_cast<std::ptrdiff_t>(hits));
    found_.flags = found_.flags | answer.flags;
    found_.total = answer.total;
    return answer.docnos.size();
  }

  /// Returns an answer that can be scored, whose flags are settled.
  EngineAnswer ranking_of(const RequestTemplate& request) {
    for (std::uint32_t attempt = 0;; ++attempt) {
      const Reply reply = answer_to(request);
      EngineAnswer answer;
      try {
        answer = reader_.read(reply.body, options_.shape);
      } catch (const Error& error) {
        throw NoRanking{.why = error.what()};
      }
      const RankingFlags settled = settle(answer);
      const bool is_refused = has(settled, kNoRanking) ||
                              (has(settled, RankingFlags::kPartial) && options_.refuses_partial);
      if (!is_refused) {
        answer.flags = settled;
        return answer;
      }
      if (attempt >= client_.connection().retries) {
        throw NoRanking{.has_timed_out = has(settled, RankingFlags::kTimedOut),
                        .why = refusal(answer, settled, values_.depth)};
      }
      wait(attempt, {});
    }
  }

  RankingFlags settle(EngineAnswer& answer) {
    const std::uint64_t last = values_.offset + answer.docnos.size();
    if (answer.total && !answer.is_total_least && !answer.docnos.empty() && *answer.total < last) {
      found_.contradicts_total = true;
      answer.total.reset();
    }
    return settled_flags(answer.flags, answer.docnos.size(), static_cast<Rank>(values_.offset + 1),
                         static_cast<std::uint32_t>(values_.depth), answer.total);
  }

  /// Sends a request until it is answered with success.
  Reply answer_to(const RequestTemplate& request) {
    for (std::uint32_t attempt = 0;; ++attempt) {
      Reply reply = client_.send(request.fill(url_, values_));
      found_.ended = std::chrono::steady_clock::now();
      if (reply.is_good()) return reply;
      const bool waits_too_long = reply.retry_after.value_or(kLongestWait) > kLongestWait;
      if (!reply.may_pass() || waits_too_long || attempt >= client_.connection().retries) {
        throw NoRanking{.has_timed_out = reply.end == Reply::End::kTimedOut,
                        .why = words_of(reply, client_.connection())};
      }
      wait(attempt, reply.retry_after);
    }
  }

  void wait(std::uint32_t attempt, std::optional<std::chrono::seconds> asked_for) {
    constexpr milliseconds kFirst{100};
    constexpr std::uint32_t kMostDoublings = 6;
    const milliseconds usual = kFirst * (1U << std::min(attempt, kMostDoublings));
    std::this_thread::sleep_for(asked_for ? milliseconds(*asked_for) : usual);
    found_.flags = found_.flags | RankingFlags::kRetried;
  }

  const ArmOptions& options_;
  HttpClient& client_;
  const std::string& url_;
  const Wanted& wanted_;
  Values values_;
  EngineAnswerReader reader_;
  Found found_;
};

}  // namespace

Found find(const ArmOptions& options, HttpClient& client, const std::string& url,
           const Wanted& wanted) {
  return Search(options, client, url, wanted).run();
}

std::string words_of(const Reply& reply, const Connection& connection) {
  if (reply.end == Reply::End::kTimedOut) {
    return "no answer within " + std::to_string(connection.timeout.count()) +
           " ms; is the engine busy, or timeout_s too small?";
  }
  if (reply.end == Reply::End::kFailed) return "no whole answer: " + reply.why;
  constexpr std::size_t kShown = 300;
  std::string words = "HTTP status " + std::to_string(reply.status);
  if (!reply.body.empty()) words += ": " + reply.body.substr(0, kShown);
  if (reply.status == 401 || reply.status == 403) {
    words += "; set user and password_env, token_env or api_key_env";
  }
  return words;
}

}  // namespace prescope::http
