#include "page_search.h"

#include <algorithm>
#include <limits>
#include <regex>
#include <set>
#include <thread>
#include <utility>

#include "prescope/error.h"

namespace prescope::http {

namespace {

using std::chrono::milliseconds;

constexpr RankingFlags kNoRanking = RankingFlags::kFailed | RankingFlags::kTimedOut;
constexpr std::chrono::seconds kLongestWait{60};
constexpr const char* kServe = "; set partial_answers = 'serve' to score such answers as they are";

/// Returns the beginning of a text of the server, without secrets that it repeats.
std::string shown(std::string text, const Connection& connection) {
  constexpr std::size_t kShown = 300;
  for (const std::string& secret : connection.secrets) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; ++at) {
      text.replace(at, secret.size(), "***");
    }
  }
  static const std::regex kCredentials(R"((Basic|Bearer|ApiKey) +[^\s"'<>,;]+)");
  text = std::regex_replace(text.substr(0, kShown), kCredentials, "$1 ***");
  return text;
}

/// Returns a sentence about a reply that is no answer.
std::string words_of(const Reply& reply, const Connection& connection) {
  if (reply.end == Reply::End::kTimedOut) {
    return "no answer within " + std::to_string(connection.timeout.count()) +
           " ms; is the engine busy, or timeout_s too small?";
  }
  if (reply.end == Reply::End::kTooLong) return "the answer has more than 256 MiB; ask for less";
  if (reply.end == Reply::End::kFailed) return "no whole answer: " + reply.why;
  std::string words = "HTTP status " + std::to_string(reply.status);
  if (!reply.body.empty()) words += ": " + shown(reply.body, connection);
  if (reply.status == 401 || reply.status == 403) {
    words += "; set user and password_env, token_env or api_key_env";
  } else if (reply.status >= 300 && reply.status < 400) {
    words += "; is the URL of the index the one that it redirects to?";
  }
  return words;
}

std::string hits_of_documents(std::size_t hits, std::uint64_t wanted, std::uint64_t total) {
  return "the engine says that " + std::to_string(total) + " documents match, and gave " +
         std::to_string(hits) + " of " + std::to_string(wanted) +
         " hits; if a hit stands for several documents, set total = ''";
}

/// Says why an answer with these settled flags is not taken.
std::string refusal(const EngineAnswer& answer, RankingFlags settled, std::uint64_t wanted) {
  if (has(settled, RankingFlags::kTimedOut)) return "the engine gave up after its own timeout";
  const bool says_so = has(answer.flags, kNoRanking | RankingFlags::kPartial);
  if (has(settled, RankingFlags::kFailed)) {
    return says_so ? "the engine answered with an error instead of hits"
                   : "the engine says that " + std::to_string(*answer.total) +
                         " documents match, and gave no hit";
  }
  if (!says_so) return hits_of_documents(answer.docnos.size(), wanted, *answer.total) + kServe;
  return "the answer is partial, with " + std::to_string(answer.docnos.size()) +
         " hits: the search did not see every document" + kServe;
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
    constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t window = options_.window == 0 ? kNoLimit : options_.window;
    const bool fits = wanted_.offset + wanted_.hits <= window;
    if (!fits && options_.cursor) {
      run_cursor(*options_.cursor);
    } else {
      run_offsets(window);
    }
    settle_pages();
    return std::move(found_);
  }

 private:
  /// Asks for one page, or for several by their offset.
  void run_offsets(std::uint64_t window) {
    const bool needs_offset = wanted_.offset > 0 || wanted_.hits > window;
    if (needs_offset && !options_.request.has("{{OFFSET}}")) {
      throw NoRanking{.why = std::to_string(wanted_.hits) + " hits from rank " +
                             std::to_string(wanted_.offset + 1) +
                             " on are wanted, and the request has no {{OFFSET}} for them"};
    }
    while (found_.docnos.size() < wanted_.hits) {
      const std::uint64_t size = std::min(window, wanted_.hits - found_.docnos.size());
      if (add_page(options_.request, wanted_.offset + found_.docnos.size(), size) < size) return;
    }
  }

  void run_cursor(const Cursor& cursor) {
    found_.used_cursor = true;
    std::string snapshot;
    if (cursor.open) snapshot = open(cursor);
    values_.snapshot = snapshot;
    try {
      follow(cursor);
    } catch (...) {
      close(cursor);
      throw;
    }
    close(cursor);
  }

  void follow(const Cursor& cursor) {
    const std::uint64_t all = wanted_.offset + wanted_.hits;
    std::string at;
    const RequestTemplate* request = &cursor.first;
    while (found_.docnos.size() < all) {
      values_.cursor = at;
      const std::uint64_t size =
          std::min<std::uint64_t>(options_.window, all - found_.docnos.size());
      if (add_page(*request, found_.docnos.size(), size) < size) return;
      if (found_.docnos.size() >= std::min(all, found_.total.value_or(all))) return;
      std::string next = cursor_of(cursor, size - 1);
      if (next.empty() || next == at) {
        throw NoRanking{.why = "the engine gave no cursor for the page after hit " +
                               std::to_string(found_.docnos.size())};
      }
      at = std::move(next);
      request = &cursor.next;
    }
  }

  /// Keeps a state of the index for all pages, and returns its name.
  std::string open(const Cursor& cursor) {
    attempts_ = 0;
    const Reply reply = answer_to(*cursor.open);
    AnswerShape shape = options_.shape;
    shape.hits = cursor.snapshot_at;  // which is no list: only the flags are wanted
    shape.failed.push_back(cursor.snapshot_at);
    EngineAnswer answer;
    std::string id;
    try {
      answer = reader_.read(reply.body, shape);
      id = reader_.text_at(cursor.snapshot_at);
    } catch (const Error&) {  // there is no id
    }
    if (id.empty()) {
      throw NoRanking{.why = "the engine opened no point in time: " +
                             shown(reply.body, client_.connection())};
    }
    if (has(answer.flags, RankingFlags::kPartial)) take_partial("the point in time lacks shards");
    return id;
  }

  /// Lets the engine forget the state of the index; it forgets by itself if it cannot be told.
  void close(const Cursor& cursor) {
    constexpr milliseconds kShortly{2000};
    if (cursor.close) {
      static_cast<void>(client_.send(cursor.close->fill(url_, values_), kShortly));
    }
  }

  [[nodiscard]] std::string cursor_of(const Cursor& cursor, std::uint64_t last_hit) const {
    if (cursor.last_hit_at.empty()) return reader_.text_at(cursor.cursor_at);
    return reader_.text_at(options_.shape.hits + "/" + std::to_string(last_hit) +
                           cursor.last_hit_at);
  }

  void take_partial(const std::string& why) {
    if (options_.refuses_partial) throw NoRanking{.why = why + kServe};
    found_.flags = found_.flags | RankingFlags::kPartial;
  }

  /// Adds the hits of one request, and returns their number.
  std::uint64_t add_page(const RequestTemplate& request, std::uint64_t offset, std::uint64_t size) {
    values_.offset = offset;
    values_.depth = size;
    attempts_ = 0;
    const EngineAnswer answer = ranking_of(request);
    const Rank first = answer.first_rank.value_or(static_cast<Rank>(offset + 1));
    if (first != offset + 1 && !found_.used_cursor) {
      throw NoRanking{.why = "the answer begins at rank " + std::to_string(first) + ", and rank " +
                             std::to_string(offset + 1) + " was asked for"};
    }
    const std::size_t hits = std::min<std::size_t>(answer.docnos.size(), size);
    check_new({answer.docnos.begin(), answer.docnos.begin() + static_cast<std::ptrdiff_t>(hits)});
    found_.flags = found_.flags | answer.flags;
    if (answer.total) found_.total = std::max(found_.total.value_or(0), *answer.total);
    const bool is_least = answer.is_total_least && answer.total.value_or(0) <= offset + hits;
    found_.ends_unsaid = answer.docnos.size() < size && (!answer.total || is_least);
    found_.hides_shards =
        !options_.shards_at.empty() && reader_.text_at(options_.shards_at).empty();
    return answer.docnos.size();
  }

  /// Adds the hits of a page. An engine that ignores offset or cursor gives a page again.
  void check_new(const std::vector<std::string_view>& page) {
    std::size_t again = 0;
    for (const std::string_view docno : page) {
      again += earlier_.count(docno) != 0 ? 1 : 0;
      found_.docnos.emplace_back(docno);
    }
    // A single hit may be one that moved by a rank between two pages.
    if (again == page.size() && again > 1) {
      throw NoRanking{.why = "the page before hit " + std::to_string(found_.docnos.size()) +
                             " has only documents of earlier pages; does the engine heed the "
                             "offset or the cursor?"};
    }
    found_.served_again += again;
    if (found_.docnos.size() < wanted_.offset + wanted_.hits) {
      earlier_.insert(page.begin(), page.end());
    }
  }

  /// Compares the hits of all pages with the largest total, and drops those before the wanted ones.
  void settle_pages() {
    const std::uint64_t before = found_.used_cursor ? wanted_.offset : 0;
    const std::size_t hits = found_.docnos.size();
    const auto first = static_cast<Rank>(wanted_.offset - before + 1);
    const RankingFlags settled =
        settled_flags(RankingFlags::kNone, hits, first,
                      static_cast<std::uint32_t>(before + wanted_.hits), found_.total);
    if (settled != RankingFlags::kNone) {
      take_partial(hits_of_documents(hits, before + wanted_.hits, *found_.total));
    }
    const auto dropped = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(before, hits));
    found_.docnos.erase(found_.docnos.begin(), found_.docnos.begin() + dropped);
  }

  /// Returns an answer that can be scored, with settled flags.
  EngineAnswer ranking_of(const RequestTemplate& request) {
    while (true) {
      const Reply reply = answer_to(request);
      EngineAnswer answer;
      try {
        answer = reader_.read(reply.body, options_.shape);
      } catch (const Error& error) {
        constexpr std::size_t kBegin = 60;
        const std::string begin = shown(reply.body, client_.connection()).substr(0, kBegin);
        throw NoRanking{.why = std::string(error.what()) + "; it begins with '" + begin + "'"};
      }
      const RankingFlags settled = settle(answer);
      const bool is_refused = has(settled, kNoRanking) ||
                              (has(settled, RankingFlags::kPartial) && options_.refuses_partial);
      if (!is_refused) {
        answer.flags = settled;
        return answer;
      }
      if (attempts_ > client_.connection().retries) {
        throw NoRanking{.has_timed_out = has(settled, RankingFlags::kTimedOut),
                        .why = refusal(answer, settled, values_.depth)};
      }
      wait({});
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
    while (true) {
      ++attempts_;
      Reply reply = client_.send(request.fill(url_, values_));
      found_.ended = std::chrono::steady_clock::now();
      found_.held_back += reply.held_back;
      if (reply.is_good()) return reply;
      const bool waits_too_long = reply.retry_after && *reply.retry_after > kLongestWait;
      if (!reply.may_pass() || waits_too_long || attempts_ > client_.connection().retries) {
        throw NoRanking{.has_timed_out = reply.end == Reply::End::kTimedOut,
                        .why = words_of(reply, client_.connection())};
      }
      wait(reply.retry_after);
    }
  }

  void wait(std::optional<std::chrono::seconds> asked_for) {
    constexpr milliseconds kFirst{100};
    constexpr std::uint32_t kMostDoublings = 6;
    const milliseconds usual = kFirst * (1U << std::min(attempts_ - 1, kMostDoublings));
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
  std::set<std::string, std::less<>> earlier_;  // docnos of the pages before
  std::uint32_t attempts_ = 0;                  // requests that were sent for the present page
};

}  // namespace

void Found::add_circumstances(const Found& of) {
  flags = flags | of.flags;
  used_cursor = used_cursor || of.used_cursor;
  contradicts_total = contradicts_total || of.contradicts_total;
  held_back += of.held_back;
}

Found find(const ArmOptions& options, HttpClient& client, const std::string& url,
           const Wanted& wanted) {
  return Search(options, client, url, wanted).run();
}

}  // namespace prescope::http
