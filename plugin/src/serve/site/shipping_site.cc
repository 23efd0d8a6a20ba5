#include <nlohmann/json.hpp>

#include "serve/metrics/metrics.h"
#include "serve/site/page.h"
#include "serve/site/site.h"

namespace prescope::serve {

namespace {

class ShippingSite final : public Handler {
 public:
  explicit ShippingSite(std::function<ShipProgress()> progress) : progress_(std::move(progress)) {}

  void count_with(const std::shared_ptr<const ServerCounters>& counters) override {
    counters_ = counters;
  }
  [[nodiscard]] Response page() const override { return live_page_response(); }
  [[nodiscard]] bool is_costly(const Request& /*request*/) const override { return false; }
  Response get(const Request& request) override {
    const ShipProgress progress = progress_();
    if (request.path == "/metrics") {
      std::string text = ship_metrics_text(progress);
      if (counters_) text += server_metrics_text(*counters_);
      return {.content_type = std::string(kMetricsContentType), .body = shared(std::move(text))};
    }
    if (request.path == "/healthz") {
      const bool is_failing = !progress.is_connected && !progress.last_error.empty();
      const nlohmann::ordered_json health{
          {"status", is_failing ? "failing" : "ok"},
          {"failing", is_failing ? nlohmann::ordered_json(progress.last_error) : nullptr},
          {"waiting", progress.waiting}};
      return {.body = shared(health.dump() + '\n')};
    }
    return error_response(404, "a shipper answers /metrics and /healthz only");
  }
  std::shared_ptr<const std::string> event() override { return nullptr; }

 private:
  static std::shared_ptr<const std::string> shared(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
  }

  const std::function<ShipProgress()> progress_;
  std::shared_ptr<const ServerCounters> counters_;
};

}  // namespace

std::unique_ptr<Handler> shipping_site(std::function<ShipProgress()> progress) {
  return std::make_unique<ShippingSite>(std::move(progress));
}

}  // namespace prescope::serve
