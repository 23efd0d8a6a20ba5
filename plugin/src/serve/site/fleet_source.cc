#include "serve/site/fleet_source.h"

namespace prescope::serve {

FleetSource::FleetSource(const FleetAddress& address,
                         std::function<void(const std::string&)> on_warning,
                         std::chrono::milliseconds interval)
    : Source("live"), on_warning_(std::move(on_warning)) {
  session_.emplace(address, std::nullopt, [this](const FleetSession& so_far, UtcTime time) {
    const std::lock_guard lock(access);
    series.add(time, so_far.summary(SummaryDetail::kVerdicts));
  });
  began = session_->began();
  show(session_->last());
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
  std::unique_lock lock(ending_);
  while (!ends_now_.wait_for(lock, interval, [this] { return ends_; })) {
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
    if (session_->read()) {
      every_topic_ = nullptr;
      show(utc_now());
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  is_failing_ = !failure.empty();
  if (is_failing_ != was_failing && on_warning_) {
    on_warning_(is_failing_ ? failure : "the fleet is read again");
  }
}

void FleetSource::show(UtcTime time) {
  auto summary = std::make_shared<const Summary>(session_->summary(SummaryDetail::kVerdicts));
  const std::lock_guard lock(access);
  series.add(time, *summary);
  newest_ = {std::move(summary), time};
}

Source::Picture FleetSource::newest() {
  const std::lock_guard lock(access);
  return newest_;
}

std::shared_ptr<const Summary> FleetSource::every_topic() {
  const std::lock_guard lock(reading_);
  if (!every_topic_) {
    every_topic_ = std::make_shared<const Summary>(session_->summary(SummaryDetail::kEveryTopic));
  }
  return every_topic_;
}

std::optional<TopicDetail> FleetSource::topic(const TopicId& id) {
  const std::lock_guard lock(reading_);
  return session_->topic(id);
}

std::vector<ArmId> FleetSource::arms() const {
  const std::lock_guard lock(access);
  return series.arms();
}

}  // namespace prescope::serve
