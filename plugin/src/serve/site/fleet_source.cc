#include "serve/site/fleet_source.h"

namespace prescope::serve {

namespace {

/// Facts read at a time, for about a tenth of a second. Requests for documents wait meanwhile.
constexpr std::uint64_t kAtOnce = 50'000;

}  // namespace

FleetSource::FleetSource(const FleetAddress& address,
                         std::function<void(const std::string&)> on_warning,
                         std::chrono::milliseconds interval)
    : Source("live"), session_(address, std::nullopt, 0), on_warning_(std::move(on_warning)) {
  began = session_.began();
  show();
  thread_ = std::thread([this, interval] { follow(interval); });
}

FleetSource::~FleetSource() {
  {
    const std::lock_guard lock(ending_);
    ends_ = true;
  }
  ends_now_.notify_all();
  thread_.join();
}

void FleetSource::follow(std::chrono::milliseconds interval) {
  const auto pause = [&] {
    // A request that waits for the session takes its lock in the pause.
    return session_.is_behind() && !is_failing_ ? std::chrono::milliseconds(1) : interval;
  };
  std::unique_lock lock(ending_);
  while (!ends_now_.wait_for(lock, pause(), [this] { return ends_; })) {
    lock.unlock();
    read();
    lock.lock();
  }
}

void FleetSource::read() {
  const bool was_failing = is_failing_;
  std::string failure;
  try {
    const std::lock_guard lock(reading_);
    if (session_.read(kAtOnce)) {
      every_topic_ = nullptr;
      show();
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  is_failing_ = !failure.empty();
  if (is_failing_ != was_failing && on_warning_) {
    on_warning_(is_failing_ ? failure : "the fleet is read again");
  }
}

void FleetSource::show() {
  auto summary = std::make_shared<const Summary>(session_.summary(SummaryDetail::kVerdicts));
  const UtcTime time = session_.is_behind() ? std::max(session_.last(), began) : utc_now();
  const std::lock_guard lock(access);
  // Time goes back if a late fact makes the session read all facts again.
  const bool is_later = series.points().empty() || time > series.points().back().time;
  if (is_later) series.add(time, *summary);
  newest_ = {std::move(summary), time};
}

Source::Picture FleetSource::newest() {
  const std::lock_guard lock(access);
  return newest_;
}

std::shared_ptr<const Summary> FleetSource::every_topic() {
  const std::lock_guard lock(reading_);
  if (!every_topic_) {
    every_topic_ = std::make_shared<const Summary>(session_.summary(SummaryDetail::kEveryTopic));
  }
  return every_topic_;
}

std::optional<TopicDetail> FleetSource::topic(const TopicId& id) {
  const std::lock_guard lock(reading_);
  return session_.topic(id);
}

std::vector<ArmId> FleetSource::arms() const {
  const std::lock_guard lock(access);
  return series.arms();
}

}  // namespace prescope::serve
