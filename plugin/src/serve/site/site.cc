#include "serve/site/site.h"

#include <future>

#include "base/threads.h"
#include "report/live/live_report.h"
#include "serve/http/request_target.h"
#include "serve/metrics/metrics.h"
#include "serve/site/nights.h"
#include "serve/site/page.h"
#include "serve/site/topic_list.h"

namespace prescope::serve {

namespace {

using Text = std::shared_ptr<const std::string>;
using std::chrono::steady_clock;

constexpr std::string_view kTopicPath = "/api/topic/";

constexpr std::uint64_t kMostOfAPage = 500;
constexpr std::uint64_t kLastPage = 1'000'000'000;
constexpr std::uint64_t kMostCutoffs = 200, kUsualCutoffs = 40;

/// Sets the two arms of a request. By default `a` is the first arm, and `b` the first other active
/// arm, or else any other.
void set_arms(const Summary& summary, const Parameters& parameters, TopicQuery& query) {
  std::vector<std::string> shown;
  for (const ArmSummary& arm : summary.arms) shown.push_back(shown_name(arm.id.text()));
  const std::vector<std::string_view> names(shown.begin(), shown.end());
  query.a = parameters.choice("a", "arm", names).value_or(0);
  query.b = parameters.choice("b", "arm", names);
  if (query.b) return;
  for (std::size_t i = summary.arms.size(); i-- > 0;) {
    const bool is_removed = summary.arms[i].status == ArmStatus::kRemoved;
    if (i != query.a && (!is_removed || !query.b)) query.b = i;
  }
}

std::optional<std::size_t> measure_of(const Summary& summary, const Parameters& parameters) {
  std::vector<std::string> names;
  for (const Measure& measure : summary.measures) names.push_back(measure.name());
  return parameters.choice("measure", "measure",
                           std::vector<std::string_view>(names.begin(), names.end()));
}

std::string topics_document(Source& source, const Parameters& parameters) {
  const auto summary = source.every_topic();
  TopicQuery query;
  query.measure = measure_of(*summary, parameters).value_or(0);
  set_arms(*summary, parameters, query);
  if (const auto sort = parameters.choice("sort", "order of topics", kTopicSorts)) {
    query.sort = static_cast<TopicSort>(*sort);
  }
  if (const auto order = parameters.choice("order", "direction", kSortOrders)) {
    query.order = static_cast<SortOrder>(*order);
  }
  query.page = parameters.number("page", 0, kLastPage).value_or(query.page);
  query.size = parameters.number("size", 1, kMostOfAPage).value_or(query.size);
  query.search = parameters.text("search").value_or("");
  return topic_list_json(*summary, query);
}

std::string sweep_document(Source& source, const Parameters& parameters) {
  return sweep_json(*source.every_topic(),
                    parameters.number("count", 2, kMostCutoffs).value_or(kUsualCutoffs));
}

/// Returns std::nullopt for an unknown topic. `shown`: the topic's id as documents show it.
std::optional<std::string> topic_document(Source& source, const std::string& shown) {
  std::optional<TopicDetail> topic = source.topic(TopicId(shown));
  // Invalid bytes of an id are shown as U+FFFD.
  if (!topic && shown.find("\xEF\xBF\xBD") != std::string::npos) {
    const auto summary = source.every_topic();
    const auto row = std::ranges::find_if(
        summary->rows, [&](const TopicRow& each) { return shown_name(each.id.text()) == shown; });
    if (row != summary->rows.end()) topic = source.topic(row->id);
  }
  if (!topic) return std::nullopt;
  const std::vector<ArmId> arms = source.arms();
  return topic_json(*topic, {.arms = arms, .measures = source.newest().summary->measures});
}

/// Returns the most similar id of a topic that was seen; empty if none was.
std::string nearest_topic(Source& source, std::string_view shown) {
  const auto summary = source.every_topic();
  std::vector<std::string_view> names;
  for (const TopicRow& row : summary->rows) names.push_back(row.id.text());
  return shown_name(nearest_name(shown, names));
}

Text shared(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

/// The last nights of a store, for answers that must not wait: another process may lock the store
/// for seconds. It is read on another thread.
class NewestNights {
 public:
  struct Read {
    UtcTime time{};             ///< when reading began
    std::vector<Night> nights;  ///< the last 100, oldest first
    std::vector<Attempt> attempts;
  };

  /// Reads the store. Throws as Store::open.
  explicit NewestNights(std::filesystem::path store)
      : store_(std::move(store)), read_(newest_in(store_)) {}

  /// Reads the store again and waits up to 100 ms for that, or not at all if an earlier call is
  /// still reading. Returns what was read last; locks are no error. Throws as Store::open.
  const Read& read() {
    using std::chrono::milliseconds;
    take(milliseconds(0));
    if (reading_.valid()) return read_;
    std::packaged_task<Read()> task([this] { return newest_in(store_); });
    std::future<Read> reading = task.get_future();
    thread_ = start_thread("nights", std::move(task));
    reading_ = std::move(reading);
    take(milliseconds(100));
    return read_;
  }

 private:
  static Read newest_in(const std::filesystem::path& store) {
    const UtcTime now = utc_now();
    const Store opened = Store::open(store, Store::Access::kRead);
    return {.time = now, .nights = opened.nights({.last = 100}), .attempts = opened.attempts()};
  }

  /// Takes what the thread has read, if it is done within `patience`.
  void take(std::chrono::milliseconds patience) {
    if (!reading_.valid() || reading_.wait_for(patience) != std::future_status::ready) return;
    try {
      read_ = reading_.get();
    } catch (const LockedError&) {
    }
  }

  std::filesystem::path store_;
  Read read_;
  std::future<Read> reading_;
  std::jthread thread_;
};

class Site final : public Handler {
 public:
  Site(std::unique_ptr<Source> source, std::optional<std::filesystem::path> store)
      : source_(std::move(source)), store_(std::move(store)) {
    if (store_) nights_.emplace(*store_);
  }

  void count_with(const std::shared_ptr<const ServerCounters>& counters) override {
    counters_ = counters;
  }

  [[nodiscard]] Response page() const override { return live_page_response(); }

  [[nodiscard]] bool is_costly(const Request& request) const override {
    const auto route = std::ranges::find(routes(), request.path, &Route::path);
    return route == routes().end() ? request.path.starts_with(kTopicPath) : route->is_costly;
  }

  Response get(const Request& request) override {
    try {
      return answer(request);
    } catch (const Error& error) {
      // A bad request is the client's error; an unreadable store is the server's.
      return error_response(error.code() == ErrorCode::kUsage ? 400 : 503, error.what());
    }
  }

  Text event() override {
    const Text document = summary();
    if (document != event_of_) {
      event_ = shared(json_line([&](JsonWriter& json) {
        json.key("document").word(*document);
        json.key("point").word(source_ ? source_->with_series(newest_point_json) : "null");
      }));
      event_of_ = document;
    }
    return event_;
  }

 private:
  enum class Needs { kNothing, kExperiment, kNights };

  struct Route {
    std::string_view path;
    std::span<const std::string_view> parameters;
    Needs needs;
    std::string (*text)(Site& site, const Parameters& parameters);
    bool is_costly = true;
    std::string_view type = "application/json; charset=utf-8";
  };
  static std::span<const Route> routes();

  Response answer(const Request& request) {
    if (request.path.starts_with(kTopicPath)) return topic(request);
    const std::span<const Route> all = routes();
    const auto route = std::ranges::find(all, request.path, &Route::path);
    if (route == all.end()) return nowhere(request.path);
    if (const auto refused = missing(route->needs)) return *refused;
    return {.content_type = std::string(route->type),
            .body = shared(route->text(*this, Parameters(request.query, route->parameters)))};
  }

  /// Refuses a path whose data the site does not have.
  [[nodiscard]] std::optional<Response> missing(Needs needs) const {
    if (needs == Needs::kExperiment && !source_) {
      return error_response(
          404, "no experiment has written to this store; /api/history lists its nights");
    }
    if (needs == Needs::kNights && !store_) {
      return error_response(
          404, "a running experiment has no nights; 'prescope serve STORE' shows those of a store");
    }
    return std::nullopt;
  }

  Response topic(const Request& request) {
    if (const auto refused = missing(Needs::kExperiment)) return *refused;
    const Parameters none(request.query, {});
    const std::string shown = request.path.substr(kTopicPath.size());
    if (auto text = topic_document(*source_, shown)) return {.body = shared(std::move(*text))};
    const std::string nearest = nearest_topic(*source_, shown);
    return error_response(
        404, nearest.empty()
                 ? fmt::format("there is no topic '{}'; none was served yet", shown)
                 : fmt::format("there is no topic '{}'; did you mean '{}'?", shown, nearest));
  }

  static Response nowhere(std::string_view path) {
    std::string paths = "/, /api/events, /api/topic/ID";
    for (const Route& route : routes()) paths += fmt::format(", {}", route.path);
    return error_response(404, fmt::format("there is no '{}'; there are {}", path, paths));
  }

  /// Returns the number of the newest night that was ever found, or 0; requests report errors.
  std::int64_t newest_night() noexcept {
    try {
      if (nights_) {
        for (const Night& night : nights_->read().nights) {
          newest_night_ = std::max(newest_night_, night.number);
        }
      }
    } catch (const std::exception&) {
    }
    return newest_night_;
  }

  /// Returns the same pointer while the text is the same.
  Text summary() {
    const Source::Picture picture =
        source_ ? source_->newest() : Source::Picture{.time = utc_now()};
    const std::int64_t known = newest_night_;
    if (newest_night() == known && summary_ && picture.summary == summary_of_) return summary_;
    summary_of_ = picture.summary;
    const bool has_experiment = source_ != nullptr;
    summary_ = shared(json_line([&](JsonWriter& json) {
      json.member("prescope", PRESCOPE_VERSION);
      json.member("source", has_experiment ? source_->kind : "store");
      json.member("store", store_ ? Json(store_->string()) : Json(nullptr));
      json.member("time", utc_text(picture.time));
      json.member("started", has_experiment ? Json(utc_text(source_->began)) : Json(nullptr));
      json.member("has", {{"experiment", has_experiment},
                          {"series", has_experiment},
                          {"history", newest_night_ > 0}});
      json.key("summary").word(has_experiment ? line_text(summary_json(*summary_of_)) : "null");
    }));
    return summary_;
  }

  std::string metrics() {
    std::string text;
    if (source_) text += metrics_text(*source_->newest().summary, source_->queue_ratio());
    if (source_) text += source_->own_metrics();
    if (nights_) {
      const auto& [time, nights, attempts] = nights_->read();
      text += night_metrics_text(nights, time, attempts);
    }
    if (counters_) text += server_metrics_text(*counters_);
    return text;
  }

  [[nodiscard]] std::string compared(const Parameters& parameters) const {
    const auto a = parameters.number("a", 1, INT64_MAX), b = parameters.number("b", 1, INT64_MAX);
    if (!a || !b) {
      throw Error(ErrorCode::kUsage,
                  "a and b are missing: the numbers of two nights, as /api/history lists them");
    }
    return nights_compared(*store_, static_cast<std::int64_t>(*a), static_cast<std::int64_t>(*b));
  }

  [[nodiscard]] std::string health() const {
    const std::chrono::duration<double> uptime = steady_clock::now() - began_;
    const std::string failing =
        source_ ? failing_logs_sentence(source_->newest().summary->health) : std::string();
    Json health = {{"status", failing.empty() ? "ok" : "failing"},
                   {"failing", failing.empty() ? Json(nullptr) : Json(failing)},
                   {"prescope", PRESCOPE_VERSION},
                   {"uptime_s", uptime.count()}};
    if (counters_) {
      health["answered"] = counters_->answered.load();
      health["failed"] = counters_->failed.load();
      health["events"] = counters_->events.load();
      health["connections"] = counters_->connections.load();
      health["event_streams"] = counters_->event_streams.load();
      Json& refused = health["refused"];
      for (std::size_t i = 0; i < kRefusals; ++i) {
        refused[std::string(kRefusalNames[i])] = counters_->refused[i].load();
      }
    }
    return json_line(health);
  }

  std::unique_ptr<Source> source_;              // null without an experiment
  std::optional<std::filesystem::path> store_;  // none of a running experiment
  std::optional<NewestNights> nights_;          // of the store
  std::int64_t newest_night_ = 0;
  std::shared_ptr<const Summary> summary_of_;
  Text summary_, event_of_, event_;
  std::shared_ptr<const ServerCounters> counters_;  // null without a server
  steady_clock::time_point began_ = steady_clock::now();
};

std::span<const Site::Route> Site::routes() {
  using P = const Parameters&;
  using enum Needs;
  static constexpr std::array<std::string_view, 2> kTwoNights = {"a", "b"};
  static constexpr std::array<Route, 8> kRoutes = {{
      {"/api/summary", {}, kNothing, [](Site& site, P) { return *site.summary(); }, false},
      {"/api/series",
       {},
       kExperiment,
       [](Site& site, P) { return site.source_->with_series(series_json); }},
      {"/api/topics", kTopicsParameters, kExperiment,
       [](Site& site, P given) { return topics_document(*site.source_, given); }},
      {"/api/sweep", kSweepParameters, kExperiment,
       [](Site& site, P given) { return sweep_document(*site.source_, given); }},
      {"/api/history", {}, kNights, [](Site& site, P) { return history_document(*site.store_); }},
      {"/api/compare", kTwoNights, kNights,
       [](Site& site, P given) { return site.compared(given); }},
      {"/metrics",
       {},
       kNothing,
       [](Site& site, P) { return site.metrics(); },
       false,
       kMetricsContentType},
      {"/healthz", {}, kNothing, [](Site& site, P) { return site.health(); }, false},
  }};
  return kRoutes;
}

std::unique_ptr<Source> source_in(const std::filesystem::path& store,
                                  std::optional<std::int64_t> session) {
  if (!session) session = ObservationReader(store).newest_session();
  if (!session) return nullptr;
  return std::make_unique<SessionSource>(store, *session);
}

}  // namespace

std::unique_ptr<Handler> site_of(std::unique_ptr<Source> source,
                                 std::optional<std::filesystem::path> store) {
  return std::make_unique<Site>(std::move(source), std::move(store));
}

std::unique_ptr<Handler> experiment_site(Experiment& experiment) {
  return site_of(std::make_unique<LiveSource>(experiment));
}

std::unique_ptr<Handler> store_site(const std::filesystem::path& store,
                                    std::optional<std::int64_t> session) {
  return site_of(source_in(store, session), store);
}

}  // namespace prescope::serve
