#include "serve/live_source.h"

#include <utility>

#include "core/utc_time.h"

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

}  // namespace prescope::serve
