#include "base/threads.h"
#include "fleet/fleet_session.h"
#include "serve/metrics/metrics.h"
#include "serve/site/site.h"

namespace prescope::serve {

namespace {

/// An experiment over all servers of a fleet, read on a thread of its own.
class FleetSource final : public Source {
 public:
  FleetSource(const FleetAddress& address, std::function<void(const std::string&)> on_warning,
              std::chrono::milliseconds interval)
      : Source("live"),
        session_(address, std::nullopt, 0),
        on_warning_(std::move(on_warning)),
        interval_(interval) {
    began = session_.began();
    show();
    thread_ = start_steps("prescope-fleet", 0, [this] { return read(); });
  }

  [[nodiscard]] std::shared_ptr<const Summary> every_topic() override {
    const std::lock_guard lock(reading_);
    if (!every_topic_) {
      every_topic_ = std::make_shared<const Summary>(session_.summary(SummaryDetail::kEveryTopic));
    }
    return every_topic_;
  }
  [[nodiscard]] std::string own_metrics() const override {
    const std::lock_guard lock(access);
    return metrics_;
  }
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) override {
    const std::lock_guard lock(reading_);
    return session_.topic(id);
  }

 private:
  /// Reads new facts, and returns the time until the next call.
  std::chrono::milliseconds read() {
    constexpr std::uint64_t kAtOnce = 50'000;  // requests wait a tenth of a second for so many
    constexpr std::uint64_t kCountedAtOnce = 100'000;  // some 10 ms of ClickHouse's time
    const bool was_failing = is_failing_;
    std::string failure;
    try {
      const std::lock_guard lock(reading_);
      const bool is_new = session_.read(kAtOnce);
      const bool is_recounted = !session_.is_behind() && session_.recount(kCountedAtOnce);
      if (is_new || is_recounted) {
        every_topic_ = nullptr;
        show();
      }
    } catch (const std::exception& error) {
      failure = error.what();
    }
    is_failing_ = !failure.empty();
    if (is_failing_ != was_failing) on_warning_(is_failing_ ? failure : "the fleet is read again");
    // A request that waits for the session takes its lock in the pause.
    return session_.is_behind() && !is_failing_ ? std::chrono::milliseconds(1) : interval_;
  }

  void show() {
    auto summary = std::make_shared<const Summary>(session_.summary(SummaryDetail::kVerdicts));
    const UtcTime time = session_.is_behind() ? std::max(session_.last(), began) : utc_now();
    std::string metrics = fleet_metrics_text(session_.servers());
    const std::lock_guard lock(access);
    metrics_ = std::move(metrics);
    // Time goes back if a late fact makes the session read all facts again.
    const bool is_later = series.points().empty() || time > series.points().back().time;
    if (is_later) series.add(time, *summary);
    picture = {std::move(summary), time};
  }

  std::mutex reading_;  // of `session_`
  FleetSession session_;
  std::shared_ptr<const Summary> every_topic_;  // guarded by `reading_`; null if out of date
  std::string metrics_;                         // guarded by `access`
  const std::function<void(const std::string&)> on_warning_;
  const std::chrono::milliseconds interval_;
  bool is_failing_ = false;
  std::jthread thread_;  // ends first, because it uses the others
};

}  // namespace

std::unique_ptr<Source> fleet_source(const FleetAddress& address,
                                     std::function<void(const std::string&)> on_warning,
                                     std::chrono::milliseconds interval) {
  return std::make_unique<FleetSource>(address, std::move(on_warning), interval);
}

std::unique_ptr<Handler> fleet_site(const FleetAddress& address,
                                    std::function<void(const std::string&)> on_warning,
                                    std::chrono::milliseconds interval) {
  return site_of(fleet_source(address, std::move(on_warning), interval));
}

}  // namespace prescope::serve
