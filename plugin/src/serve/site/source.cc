#include "serve/site/source.h"

#include <utility>

#include "base/utc_time.h"
#include "store/sqlite/schema.h"

namespace prescope::serve {

Clocks Clocks::of_the_system() {
  return {.utc = utc_now, .steady = [] { return std::chrono::steady_clock::now(); }};
}

LiveSource::LiveSource(Experiment& experiment, Clocks clocks)
    : experiment_(experiment), clocks_(std::move(clocks)), started_(clocks_.utc()) {
  look();
}

void LiveSource::look() {
  const Picture picture = newest();
  if (picture.summary == last_point_) return;
  last_point_ = picture.summary;
  series_.add(picture.time, *picture.summary);
}

Source::Picture LiveSource::newest() {
  std::shared_ptr<const Summary> published = experiment_.latest();
  if (published != newest_.summary) {
    newest_ = {.summary = std::move(published), .time = clocks_.utc()};
  }
  return newest_;
}

std::shared_ptr<const Summary> LiveSource::every_topic() {
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

/// Of the series, about: a summary is made for each.
constexpr int kPoints = 400;

}  // namespace

SessionSource::Stretch SessionSource::stretch_of(const std::filesystem::path& store,
                                                 std::int64_t session) {
  const Database database = open_store_file(store, Database::Access::kRead);
  Statement began(database, "SELECT began_ms FROM sessions WHERE number = ?");
  if (!began.bind(session).next()) return {};  // which the rebuilding says better
  Statement observed(database,
                     "SELECT min(time_ms), max(time_ms) FROM observations WHERE arm IN"
                     " (SELECT number FROM session_arms WHERE session = ?)");
  observed.bind(session).next();
  const auto at = began.as<UtcTime>(0);
  std::optional<UtcTime> first, last;
  observed.read(first, last);
  return {.began = at, .first = first.value_or(at), .last = last.value_or(at)};
}

SessionSource::SessionSource(const std::filesystem::path& store, std::int64_t session)
    : stretch_(stretch_of(store, session)) {
  const auto step = (stretch_.last - stretch_.first) / kPoints;
  UtcTime next = stretch_.first + step;
  session_.emplace(store, session, [&](const RebuiltSession& so_far, UtcTime time) {
    if (time < next || time >= stretch_.last) return;
    series_.add(time, so_far.summary(SummaryDetail::kVerdicts));
    next = time + step;
  });
  verdicts_ = std::make_shared<const Summary>(session_->summary(SummaryDetail::kVerdicts));
  every_topic_ = std::make_shared<const Summary>(session_->summary(SummaryDetail::kEveryTopic));
  series_.add(stretch_.last, *verdicts_);
}

}  // namespace prescope::serve
