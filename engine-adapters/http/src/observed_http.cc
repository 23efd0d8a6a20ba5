#include "prescope/http/observed_http.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "arm_options.h"
#include "page_search.h"
#include "prescope/error.h"

namespace prescope::http {

namespace {

using nlohmann::json;

void check_url(const std::string& url) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::kUsage, "index '" + url + "' " + why +
                                       "; expected a URL such as http://localhost:9200/patents");
  };
  const std::size_t scheme = std::min(url.find("://"), url.size());
  if (url.substr(0, url.find('/', std::min(scheme + 3, url.size()))).find('@') != url.npos) {
    throw Error(ErrorCode::kUsage,
                "the URL of the index contains a user or a password, which would be stored with "
                "each result; set user and password_env for the arm instead");
  }
  const bool is_tls = url.starts_with("https://");
  if (!is_tls && !url.starts_with("http://")) refuse("is not behind HTTP");
  const std::size_t host = url.find("://") + 3;
  const std::string_view authority = std::string_view(url).substr(host, url.find('/', host) - host);
  if (authority.empty()) refuse("names no server");
  if (url.find_first_of("?# \t\r\n") != std::string::npos) {
    refuse("has a query, a fragment or a blank, which belong in the setting path");
  }
}

void check(const Request& request) {
  if (request.depth != 0 && request.first_rank != 0) return;
  throw Error(ErrorCode::kUsage, "a ranking was asked for with depth " +
                                     std::to_string(request.depth) + " from rank " +
                                     std::to_string(request.first_rank) +
                                     "; expected at least 1 of each");
}

std::string of_searches(std::uint64_t some, std::uint64_t all) {
  return std::to_string(some) + " of " + std::to_string(all) + " searches";
}

}  // namespace

struct HttpSearcher::State {
  /// Numbers of searches, by what they have met.
  struct Met {
    std::uint64_t searches = 0, empty = 0, repeated = 0, contradictory = 0, by_cursor = 0;
    std::uint64_t partial = 0, hiding_shards = 0, served_again = 0, without_total = 0;
    /// Searches by their number of hits, if fewer came than were asked for and no total says why.
    std::map<std::size_t, std::uint64_t> ended_unsaid{};
  };

  State(std::string url_of, Experiment& of, ArmIndex index, ArmOptions read)
      : url(std::move(url_of)),
        experiment(of),
        arm(index),
        options(std::move(read)),
        client(options.connection) {}

  std::string url;
  Experiment& experiment;
  ArmIndex arm;
  ArmOptions options;
  HttpClient client;
  std::uint64_t generation = 0;
  std::vector<std::string> first_notes{};
  std::mutex mutex{};
  Met met{};

  /// Returns the wanted hits without the excluded ones, which the engine does not know.
  Found find_kept(const Request& request) {
    const std::uint64_t before = request.first_rank - 1;
    const DocnoSet excluded(request.exclude, experiment.judged().docnos());
    Wanted wanted{
        .query = request.text, .topic = request.topic, .offset = before, .hits = request.depth};
    if (excluded.empty()) return find(options, client, url, wanted);
    wanted.offset = 0;
    const std::uint64_t kept_wanted = before + request.depth;
    Found before_this;
    for (wanted.hits = kept_wanted + request.exclude.size();; wanted.hits *= 2) {
      Found found = find(options, client, url, wanted);
      found.add_circumstances(before_this);
      const bool is_all = found.docnos.size() < wanted.hits;
      std::erase_if(found.docnos, [&](const std::string& one) { return excluded.contains(one); });
      if (!is_all && found.docnos.size() < kept_wanted) {
        before_this = std::move(found);
        // Several searches take longer than one.
        before_this.flags = before_this.flags | RankingFlags::kRetried;
        continue;
      }
      const std::size_t end = std::min<std::size_t>(found.docnos.size(), kept_wanted);
      const std::size_t begin = std::min<std::size_t>(before, end);
      found.docnos = {found.docnos.begin() + static_cast<std::ptrdiff_t>(begin),
                      found.docnos.begin() + static_cast<std::ptrdiff_t>(end)};
      return found;
    }
  }

  void add_notes_of_completeness(const std::string& arm, std::vector<std::string>& notes) const;

  void count(const Found& found) {
    const std::lock_guard lock(mutex);
    ++met.searches;
    met.empty += found.docnos.empty() ? 1 : 0;
    met.repeated += has(found.flags, RankingFlags::kRetried) ? 1 : 0;
    met.contradictory += found.contradicts_total ? 1 : 0;
    met.by_cursor += found.used_cursor ? 1 : 0;
    met.partial += has(found.flags, RankingFlags::kPartial) ? 1 : 0;
    met.hiding_shards += found.hides_shards ? 1 : 0;
    met.served_again += found.served_again > 0 ? 1 : 0;
    met.without_total += found.total || found.contradicts_total ? 0 : 1;
    if (found.ends_unsaid) ++met.ended_unsaid[found.docnos.size()];
  }

  void observe(const Request& request, const Found& found,
               std::chrono::steady_clock::time_point started) {
    const std::vector<std::string_view> docnos(found.docnos.begin(), found.docnos.end());
    std::optional<std::chrono::nanoseconds> latency;
    const bool has_limits =
        options.connection.most_a_second > 0 || options.connection.most_at_once > 0;
    if (has_limits) latency = found.ended - started - found.held_back;
    experiment.observe({.arm = arm,
                        .kind = HitKind::kDocnos,
                        .generation = generation,
                        .docnos = docnos,
                        .first_rank = request.first_rank,
                        .requested_depth = request.depth,
                        .total_hits = found.total.value_or(0),
                        .search_started = started,
                        .search_ended = found.ended,
                        .latency = latency,
                        .flags = found.flags});
  }
};

HttpSearcher::HttpSearcher(std::shared_ptr<State> state) : state_(std::move(state)) {}

Answer HttpSearcher::search(const Request& request) const {
  const auto started = std::chrono::steady_clock::now();
  using Failure = Experiment::SearchFailure;
  try {
    check(request);
    Found found = state_->find_kept(request);
    state_->count(found);
    state_->observe(request, found, started);
    return {.docnos = std::move(found.docnos), .total = found.total, .flags = found.flags};
  } catch (const NoRanking& none) {
    state_->experiment.observe_failure(state_->arm,
                                       none.has_timed_out ? Failure::kTimedOut : Failure::kFailed);
    throw Error(ErrorCode::kEngine, state_->url + ": " + none.why);
  } catch (...) {
    state_->experiment.observe_failure(state_->arm, Failure::kFailed);
    throw;
  }
}

/// Adds sentences about rankings that may lack documents.
void HttpSearcher::State::add_notes_of_completeness(const std::string& arm,
                                                    std::vector<std::string>& notes) const {
  const auto add = [&](std::uint64_t some, const std::string& words) {
    if (some > 0) notes.push_back(arm + of_searches(some, met.searches) + words);
  };
  add(met.partial, " were partial, and are scored as they are (partial_answers = serve).");
  add(met.hiding_shards, " do not say whether every shard answered.");
  add(met.served_again, " have documents on a later page that an earlier one had.");
  if (!options.shape.total.empty()) {
    add(met.without_total, " gave no total at " + options.shape.total.front() +
                               ", so that nothing tells a ranking that was cut short.");
  }
  if (met.ended_unsaid.empty()) return;
  std::uint64_t ended = 0;
  for (const auto& [hits, searches] : met.ended_unsaid) ended += searches;
  const auto& [most, times] = *met.ended_unsaid.rbegin();
  add(ended, " gave fewer hits than were asked for, and no total says why: at most " +
                 std::to_string(most) + ", in " + of_searches(times, met.searches) +
                 ". If the engine gives no more at once, set window, and {{OFFSET}} in the "
                 "request.");
}

std::vector<std::string> HttpSearcher::notes() const {
  std::vector<std::string> notes = state_->first_notes;
  const std::lock_guard lock(state_->mutex);
  const State::Met& met = state_->met;
  const std::string arm =
      "arm '" + std::string(state_->experiment.arms()[state_->arm.value()].text()) + "': ";
  if (met.by_cursor > 0) {
    notes.push_back(arm + "more than " + std::to_string(state_->options.window) +
                    " hits came by the engine's cursor in " +
                    of_searches(met.by_cursor, met.searches) + ", which orders equal scores by " +
                    state_->options.cursor->ties + " and not as one request does.");
  }
  if (met.repeated > 0) {
    notes.push_back(arm + of_searches(met.repeated, met.searches) +
                    " were answered when they were repeated; their latency is left out.");
  }
  if (met.contradictory > 0) {
    notes.push_back(arm + "in " + of_searches(met.contradictory, met.searches) +
                    " the total was below the number of hits; it counts as unknown.");
  }
  state_->add_notes_of_completeness(arm, notes);
  if (met.searches > 0 && met.empty == met.searches) {
    notes.push_back(arm + "none of " + std::to_string(met.searches) +
                    " searches found a document; does the index have what its query names?");
  }
  return notes;
}

struct ObservedHttp::State {
  State(std::string of, Experiment& whose)
      : url(std::move(of)), experiment(whose), generation(whose.next_generation()) {}

  std::string url;
  Experiment& experiment;
  std::uint64_t generation;
  /// The first searcher. Its settings are used to ask about the index.
  std::mutex mutex{};
  std::shared_ptr<HttpSearcher::State> first{};

  [[nodiscard]] std::shared_ptr<HttpSearcher::State> first_searcher() {
    const std::lock_guard lock(mutex);
    return first;
  }
};

namespace {

/// Returns the JSON that answers a request about the index; discarded if there is none.
json answer_about(HttpClient& client, const std::string& url,
                  const std::optional<RequestTemplate>& request, const std::string& more = "") {
  const json none(json::value_t::discarded);
  if (!request) return none;
  Call call = request->fill(url, {});
  call.url += more;
  const Reply reply = client.send(call);
  return reply.is_good() ? json::parse(reply.body, nullptr, false) : none;
}

/// Returns the name and version of a server; empty if it does not say them.
std::string server_name(HttpClient& client, const std::string& url, const ArmOptions& options) {
  const json answer = answer_about(client, url, options.about);
  const auto text_at = [&](const char* place) {
    const json::json_pointer at(place);
    return answer.is_object() && answer.contains(at) && answer[at].is_string()
               ? answer[at].get<std::string>()
               : std::string();
  };
  const std::string number = text_at("/version/number");
  if (number.empty()) return {};
  const std::string name = text_at("/version/distribution");
  return (name.empty() ? "elasticsearch" : name) + " " + number;
}

/// Throws Error(kUsage) if the server says that it is another one than the arm names.
void check_server(const ArmConfig& arm, const std::string& named, const std::string& says) {
  const bool is_known = says.starts_with("opensearch ") || says.starts_with("elasticsearch ");
  if (!is_known || says.starts_with(named + " ")) return;
  throw Error(ErrorCode::kUsage,
              "arm '" + arm.id.text() + "' has server = " + named +
                  ", and the server says that it is " + says +
                  ", whose cursors differ; set server = " + says.substr(0, says.find(' ')));
}

/// Throws Error(kUsage) for fields of the query that the index does not have. Returns a note if it
/// does not say which it has.
std::optional<std::string> check_fields(const ArmConfig& arm, const ArmOptions& options,
                                        HttpClient& client, const std::string& url) {
  if (options.fields.empty() || !options.ask_fields) return std::nullopt;
  const json answer = answer_about(client, url, options.ask_fields, "*");
  if (!answer.is_object() || !answer.contains("fields") || !answer["fields"].is_object()) {
    return "arm '" + arm.id.text() +
           "': the engine does not say which fields the index has, so "
           "that those of the query are not checked.";
  }
  std::vector<std::string> names;
  for (const auto& [name, caps] : answer["fields"].items()) names.push_back(name);
  const std::vector<std::string_view> there(names.begin(), names.end());
  std::string complaints;
  for (const std::string& field : options.fields) {
    if (std::ranges::count(names, field) > 0) continue;
    const auto said = std::ranges::find_if(arm.settings, [&](const ArmSetting& setting) {
      return setting.value.find(field) != std::string::npos;
    });
    const bool has_place = said != arm.settings.end() && !said->place.empty();
    complaints += complaints.empty() ? "" : "\n";
    complaints += (has_place ? said->place : "arm " + arm.id.text()) +
                  ": the index has no field '" + field + "', so that nothing is found in it";
    if (!there.empty()) {
      complaints += "; did you mean '" + std::string(nearest_name(field, there)) + "'?";
    }
  }
  if (!complaints.empty()) throw Error(ErrorCode::kUsage, complaints);
  return std::nullopt;
}

}  // namespace

ObservedHttp::ObservedHttp(std::string url, Experiment& experiment) {
  while (url.ends_with('/')) url.pop_back();
  check_url(url);
  state_ = std::make_unique<State>(std::move(url), experiment);
}

ObservedHttp::~ObservedHttp() = default;

HttpSearcher ObservedHttp::searcher(const ArmConfig& arm) {
  const ArmIndex index = state_->experiment.arm(arm.id.text());
  auto made = std::make_shared<HttpSearcher::State>(state_->url, state_->experiment, index,
                                                    read_arm_options(arm));
  made->generation = state_->generation;
  const std::string of_arm = "arm '" + arm.id.text() + "': ";
  if (!made->options.connection.verifies) {
    made->first_notes.push_back(of_arm +
                                "the server's certificate is not verified (verify = false).");
  }
  if (made->options.cursor) {
    check_server(arm, made->options.server, server_name(made->client, state_->url, made->options));
  }
  if (auto note = check_fields(arm, made->options, made->client, state_->url)) {
    made->first_notes.push_back(std::move(*note));
  }
  const std::lock_guard lock(state_->mutex);
  if (state_->first == nullptr) state_->first = made;
  return HttpSearcher(std::move(made));
}

std::uint64_t ObservedHttp::num_documents() const {
  const auto searcher = state_->first_searcher();
  if (searcher == nullptr || !searcher->options.count) return 0;
  const json answer = answer_about(searcher->client, searcher->url, searcher->options.count);
  if (answer.is_discarded()) return 0;
  const json::json_pointer at(searcher->options.count_at);
  return answer.contains(at) && answer[at].is_number_unsigned() ? answer[at].get<std::uint64_t>()
                                                                : 0;
}

std::string ObservedHttp::server() const {
  const auto searcher = state_->first_searcher();
  return searcher == nullptr ? std::string()
                             : server_name(searcher->client, searcher->url, searcher->options);
}

std::span<const std::string_view> arm_settings() noexcept { return setting_lines(); }

}  // namespace prescope::http
