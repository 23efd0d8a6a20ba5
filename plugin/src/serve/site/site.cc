#include "serve/site/site.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <utility>

#include "base/version.h"
#include "prescope/error.h"
#include "report/text/json.h"
#include "serve/http/answers.h"
#include "serve/metrics/metrics.h"
#include "serve/site/experiment_documents.h"
#include "serve/site/nights.h"
#include "serve/site/source.h"
#include "store/sessions/observation_reader.h"

namespace prescope::serve {

namespace {

using Text = std::shared_ptr<const std::string>;
using std::chrono::steady_clock;

constexpr std::string_view kTopicPath = "/api/topic/";
constexpr std::int64_t kLastNight = INT64_MAX;

/// What is wrong with the request is its own fault, what is wrong with the store is not.
unsigned status_of(ErrorCode code) { return code == ErrorCode::kUsage ? 400 : 503; }

void add_counters(JsonWriter& json, const ServerCounters& counters) {
  json.key("answered").number(counters.answered.load());
  json.key("failed").number(counters.failed.load());
  json.key("events").number(counters.events.load());
  json.key("connections").number(counters.connections.load());
  json.key("event_streams").number(counters.event_streams.load());
  json.key("refused").begin('{');
  for (std::size_t i = 0; i < kRefusals; ++i) {
    json.key(kRefusalNames[i]).number(counters.refused[i].load());
  }
  json.end('}');
}

class Site final : public Handler {
 public:
  Site(std::unique_ptr<Source> source, std::optional<Nights> nights)
      : source_(std::move(source)), nights_(std::move(nights)), documents_(*source_) {}

  void count_with(const std::shared_ptr<const ServerCounters>& counters) override {
    counters_ = counters;
  }

  Response get(const Request& request) override {
    try {
      return answer(request);
    } catch (const Error& error) {
      return error_response(status_of(error.code()), error.what());
    }
  }

  std::shared_ptr<const std::string> event() override {
    source_->look();
    const Text document = summary_.text(*source_, nights_);
    if (document != event_of_) {
      event_ = std::make_shared<const std::string>(json_line([&](JsonWriter& json) {
        json.key("document").word(*document);
        json.key("point").word(newest_point_json(source_->series()));
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
    Text (Site::*text)(const Parameters& parameters);
    std::string_view type = "application/json; charset=utf-8";
  };
  static constexpr std::array<std::string_view, 2> kCompareParameters = {"a", "b"};
  static std::span<const Route> routes();

  Response answer(const Request& request) {
    if (request.path.starts_with(kTopicPath)) return topic(request);
    const std::span<const Route> all = routes();
    const auto route = std::ranges::find(all, request.path, &Route::path);
    if (route == all.end()) return nowhere(request.path);
    if (const auto refused = missing(route->needs)) return *refused;
    return {.content_type = std::string(route->type),
            .body = (this->*route->text)(Parameters(request.query, route->parameters))};
  }

  /// What a path needs and the site does not have.
  std::optional<Response> missing(Needs needs) {
    if (needs == Needs::kExperiment && source_->newest().summary == nullptr) {
      return error_response(
          404, "no experiment has written to this store; /api/history lists its nights");
    }
    if (needs == Needs::kNights && !nights_) {
      return error_response(
          404, "a running experiment has no nights; 'prescope serve STORE' shows those of a store");
    }
    return std::nullopt;
  }

  Response topic(const Request& request) {
    if (const auto refused = missing(Needs::kExperiment)) return *refused;
    const Parameters none(request.query, {});
    const std::string shown = request.path.substr(kTopicPath.size());
    if (Text text = documents_.topic(shown)) return {.body = std::move(text)};
    const std::string nearest = documents_.nearest_topic(shown);
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

  Text summary(const Parameters& /*none*/) { return summary_.text(*source_, nights_); }
  Text series(const Parameters& /*none*/) { return documents_.series(); }
  Text topics(const Parameters& parameters) { return documents_.topics(parameters); }
  Text sweep(const Parameters& parameters) { return documents_.sweep(parameters); }
  Text robustness(const Parameters& parameters) { return documents_.robustness(parameters); }

  Text metrics(const Parameters& /*none*/) {
    if (counters_ == nullptr) return documents_.metrics();
    return std::make_shared<const std::string>(*documents_.metrics() +
                                               server_metrics_text(*counters_));
  }

  Text history(const Parameters& /*none*/) { return nights_->history(); }

  Text compare(const Parameters& parameters) {
    const auto a = parameters.number("a", 1, kLastNight), b = parameters.number("b", 1, kLastNight);
    if (!a || !b) {
      throw Error(ErrorCode::kUsage,
                  "a and b are missing: the numbers of two nights, as /api/history lists them");
    }
    return nights_->compare(static_cast<std::int64_t>(*a), static_cast<std::int64_t>(*b));
  }

  Text health(const Parameters& /*none*/) {
    const std::chrono::duration<double> uptime = steady_clock::now() - began_;
    return std::make_shared<const std::string>(json_line([&](JsonWriter& json) {
      json.key("status").text("ok");
      json.key("prescope").text(kVersion);
      json.key("uptime_s").number(std::optional(uptime.count()));
      if (counters_ != nullptr) add_counters(json, *counters_);
    }));
  }

  std::unique_ptr<Source> source_;
  std::optional<Nights> nights_;
  ExperimentDocuments documents_;
  SummaryDocument summary_;
  std::shared_ptr<const ServerCounters> counters_;  // null without a server
  Text event_of_, event_;
  steady_clock::time_point began_ = steady_clock::now();
};

std::span<const Site::Route> Site::routes() {
  static constexpr std::array<Route, 9> kRoutes = {{
      {"/api/summary", {}, Needs::kNothing, &Site::summary},
      {"/api/series", {}, Needs::kExperiment, &Site::series},
      {"/api/topics", ExperimentDocuments::kTopicsParameters, Needs::kExperiment, &Site::topics},
      {"/api/sweep", ExperimentDocuments::kSweepParameters, Needs::kExperiment, &Site::sweep},
      {"/api/robustness", ExperimentDocuments::kRobustnessParameters, Needs::kExperiment,
       &Site::robustness},
      {"/api/history", {}, Needs::kNights, &Site::history},
      {"/api/compare", kCompareParameters, Needs::kNights, &Site::compare},
      {"/metrics", {}, Needs::kExperiment, &Site::metrics, kMetricsContentType},
      {"/healthz", {}, Needs::kNothing, &Site::health},
  }};
  return kRoutes;
}

std::unique_ptr<Source> source_in(const std::filesystem::path& store,
                                  std::optional<std::int64_t> session) {
  if (!session) session = ObservationReader(store).newest_session();
  if (!session) return std::make_unique<NoExperiment>();
  return std::make_unique<SessionSource>(store, *session);
}

}  // namespace

std::unique_ptr<Handler> site_of(std::unique_ptr<Source> source,
                                 std::optional<std::filesystem::path> store) {
  return std::make_unique<Site>(std::move(source), std::optional<Nights>(std::move(store)));
}

std::unique_ptr<Handler> experiment_site(Experiment& experiment) {
  return site_of(std::make_unique<LiveSource>(experiment));
}

std::unique_ptr<Handler> store_site(const std::filesystem::path& store,
                                    std::optional<std::int64_t> session) {
  return site_of(source_in(store, session), store);
}

}  // namespace prescope::serve
