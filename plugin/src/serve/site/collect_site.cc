#include "serve/site/collect_site.h"

#include <simdjson.h>

#include "base/errors.h"
#include "base/text_file.h"
#include "collect/otlp_logs.h"
#include "report/text/json.h"
#include "serve/http/request_target.h"
#include "serve/metrics/metrics.h"
#include "serve/site/site.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(CollectAnswer::Refused, line, why)
PRESCOPE_JSON_MEMBERS(CollectAnswer, accepted, duplicates, refused, not_stored)
PRESCOPE_JSON_MEMBERS(CollectCounts, accepted, duplicates, refused, not_stored, failed, unjudged,
                      crowded_out, without_time, without_latency, without_depth, without_total)

namespace serve {

namespace {

constexpr std::string_view kRankings = "/v1/rankings", kLogs = "/v1/logs", kAssign = "/v1/assign",
                           kCounts = "/v1/counts";
constexpr std::string_view kRetrySoon = "Retry-After: 1\r\n";

Response json_response(const Json& json, unsigned status = 200) {
  return {.status = status, .body = std::make_shared<const std::string>(line_text(json) + '\n')};
}

/// Returns the body with one object a line: one object that is written in several lines is joined.
std::string joined_lines(std::string body) {
  const std::string_view first = trimmed(std::string_view(body).substr(0, body.find('\n')));
  if (!first.starts_with('{') || first.ends_with('}')) return body;
  simdjson::dom::parser parser;
  simdjson::dom::element whole;
  if (parser.parse(body).get(whole) != simdjson::SUCCESS) return body;
  return simdjson::minify(whole) + '\n';
}

/// Returns a line with the parameters of a request as keys, and its body as the engine's answer.
/// The reader of lines refuses keys and values that it does not know.
std::string line_of(const std::map<std::string, std::string>& query, std::string_view body) {
  constexpr std::array<std::string_view, 7> kNumbers = {
      "time", "latency_ms", "first_rank", "depth", "shadow", "total", "total_is_lower_bound"};
  constexpr std::array<std::string_view, 2> kLists = {"flags", "compared"};
  Json line = Json::object();
  for (const auto& [name, text] : query) {
    Json value = text;
    if (std::ranges::count(kNumbers, name) > 0) {
      const Json parsed = Json::parse(text, nullptr, false);
      if (parsed.is_number() || parsed.is_boolean()) value = parsed;
    }
    if (std::ranges::count(kLists, name) > 0) value = split(text, ',');
    line[name] = std::move(value);
  }
  std::string minified(body.size(), '\0');
  std::size_t size = 0;
  if (simdjson::minify(body.data(), body.size(), minified.data(), size) != simdjson::SUCCESS) {
    size = body.copy(minified.data(), body.size());
  }
  minified.resize(size);
  std::string text = line_text(line);
  text.back() = ',';
  return text + "\"answer\":" + minified + "}\n";
}

/// A line that cannot be read never loses its neighbours, so the status is bad only without any.
Response response_of(const CollectAnswer& answer) {
  constexpr unsigned kBad = 400, kUnavailable = 503;
  if (!answer.not_stored.empty()) {
    Response response = json_response(answer, kUnavailable);
    response.more = kRetrySoon;
    return response;
  }
  if (answer.lines() == 0) {
    return error_response(kBad, "no line; expected one JSON object in each line");
  }
  return json_response(answer, answer.refused.size() == answer.lines() ? kBad : 200);
}

/// As the OpenTelemetry protocol has it: what cannot be read is counted, and is no error.
Response otlp_response_of(const CollectAnswer& answer) {
  if (!answer.not_stored.empty()) return response_of(answer);
  Json partial = Json::object();
  if (!answer.refused.empty()) {
    partial = {{"rejectedLogRecords", answer.refused.size()},
               {"errorMessage",
                fmt::format("record {}: {}", answer.refused[0].line, answer.refused[0].why)}};
  }
  return json_response({{"partialSuccess", std::move(partial)}});
}

/// Returns the lines that a request has. Throws Error(kBadInput) if it has none.
std::string lines_of(PostRequest& posted, bool is_otlp) {
  if (is_otlp) return lines_of_otlp(posted.body);
  if (!posted.request.query.empty()) return line_of(posted.request.query, posted.body);
  if (trimmed(posted.body).empty()) {
    throw bad_input_error("no line; expected one JSON object in each line");
  }
  return joined_lines(std::move(posted.body));
}

class CollectSite final : public Handler {
 public:
  explicit CollectSite(Collector& collector)
      : collector_(collector), site_(experiment_site(collector.experiment())) {}

  void count_with(const std::shared_ptr<const ServerCounters>& counters) override {
    site_->count_with(counters);
  }
  [[nodiscard]] Response page() const override { return site_->page(); }
  [[nodiscard]] bool is_costly(const Request& request) const override {
    return site_->is_costly(request);
  }
  std::shared_ptr<const std::string> event() override { return site_->event(); }
  [[nodiscard]] std::size_t longest_body(std::string_view path) const override {
    return path == kRankings ? kLongestBody : path == kLogs ? kLongestLogs : 0;
  }

  Response get(const Request& request) override {
    if (request.path == kAssign) return assigned(request);
    if (request.path == kCounts) return json_response(collector_.counts());
    if (request.path == kRankings || request.path == kLogs) {
      return error_response(405, "expected POST");
    }
    Response response = site_->get(request);
    if (request.path == "/metrics") {
      response.body = std::make_shared<const std::string>(
          *response.body + collect_metrics_text(collector_.counts()));
    }
    return response;
  }

  void post(PostRequest posted, Answer answer) override {
    try {
      const bool is_otlp = posted.request.path == kLogs;
      if (is_otlp && posted.content_type.starts_with("application/x-protobuf")) {
        return answer(error_response(
            415, "protobuf; expected JSON: set the exporter's protocol to http/json"));
      }
      const std::string lines = lines_of(posted, is_otlp);
      const auto number = static_cast<std::size_t>(std::ranges::count(lines, '\n')) +
                          (lines.ends_with('\n') ? 0U : 1U);
      if (number > kMostLines) {
        return answer(error_response(
            413, fmt::format("{} lines; expected at most {} at a time", number, kMostLines)));
      }
      const bool is_taken = collector_.post(lines, [answer, is_otlp](const CollectAnswer& of) {
        answer(is_otlp ? otlp_response_of(of) : response_of(of));
      });
      if (is_taken) return;
      Response wait = error_response(429, "too much waits for the store; send the lines again");
      wait.more = kRetrySoon;
      answer(std::move(wait));
    } catch (const prescope::Error& error) {
      answer(error_response(400, error.what()));
    }
  }

 private:
  Response assigned(const Request& request) {
    static constexpr std::array<std::string_view, 1> kKnown = {"unit"};
    try {
      const auto unit = Parameters(request.query, kKnown).text("unit");
      if (!unit || unit->empty()) {
        return error_response(400, "no unit; expected /v1/assign?unit= with a topic or a query");
      }
      return json_response({{"arm", collector_.arm_for(*unit)}});
    } catch (const prescope::Error& error) {
      return error_response(400, error.what());
    }
  }

  Collector& collector_;
  std::unique_ptr<Handler> site_;
};

}  // namespace

std::unique_ptr<Handler> collect_site(Collector& collector) {
  return std::make_unique<CollectSite>(collector);
}

}  // namespace serve
}  // namespace prescope
