#include "serve/site/source.h"

namespace prescope::serve {

LiveSource::LiveSource(Experiment& experiment, Clocks clocks)
    : Source("live"), experiment_(experiment), clocks_(std::move(clocks)) {
  began = clocks_.utc();
  static_cast<void>(LiveSource::newest());
}

Source::Picture LiveSource::newest() {
  const std::lock_guard lock(access);
  std::shared_ptr<const Summary> published = experiment_.latest();
  if (published != picture.summary) {
    picture = {.summary = std::move(published), .time = clocks_.utc()};
    series.add(picture.time, *picture.summary);
  }
  return picture;
}

std::shared_ptr<const Summary> LiveSource::every_topic() {
  const std::lock_guard lock(making_);
  const auto now = clocks_.steady();
  if (every_topic_ && now - made_ < kEveryTopicAge) return every_topic_;
  std::shared_ptr<const Summary> published = experiment_.latest();
  if (every_topic_ && published == published_then_) return every_topic_;
  published_then_ = std::move(published);
  every_topic_ = experiment_.summary(SummaryDetail::kEveryTopic);
  made_ = now;
  return every_topic_;
}

namespace {

/// Approximate number of points in the series; a summary is made for each.
constexpr int kPoints = 400;

/// When a session began, and its first and last observations.
struct Stretch {
  UtcTime began{}, first{}, last{};
};

Stretch stretch_of(const std::filesystem::path& store, std::int64_t session) {
  const Database database = open_store_file(store, Database::Access::kRead);
  Statement began(database, "SELECT began_ms FROM sessions WHERE number = ?");
  if (!began.bind(session).next()) return {};  // which the rebuilt session has more precisely
  Statement observed(database,
                     "SELECT min(time_ms), max(time_ms) FROM observations WHERE arm IN"
                     " (SELECT number FROM session_arms WHERE session = ?)");
  observed.bind(session).next();
  const auto at = began.as<UtcTime>(0);
  std::optional<UtcTime> first, last;
  observed.read(first, last);
  return {.began = at, .first = first.value_or(at), .last = last.value_or(at)};
}

}  // namespace

SessionSource::SessionSource(const std::filesystem::path& store, std::int64_t session)
    : Source("session") {
  const Stretch stretch = stretch_of(store, session);
  began = stretch.began;
  const auto step = (stretch.last - stretch.first) / kPoints;
  UtcTime next = stretch.first + step;
  session_.emplace(store, session,
                   [&](const RebuiltSession& so_far, const StoredObservation& last) {
                     const UtcTime time = last.observation.time;
                     if (time < next || time >= stretch.last) return;
                     series.add(time, so_far.summary(SummaryDetail::kVerdicts));
                     next = time + step;
                   });
  picture = {std::make_shared<const Summary>(session_->summary(SummaryDetail::kVerdicts)),
             stretch.last};
  every_topic_ = std::make_shared<const Summary>(session_->summary(SummaryDetail::kEveryTopic));
  series.add(stretch.last, *picture.summary);
}

}  // namespace prescope::serve
