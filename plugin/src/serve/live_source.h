#pragma once

#include <chrono>
#include <functional>

#include "prescope/experiment.h"
#include "serve/source.h"

namespace prescope::serve {

/// The clocks that a source looks at.
struct Clocks {
  std::function<UtcTime()> utc{};
  std::function<std::chrono::steady_clock::time_point()> steady{};

  [[nodiscard]] static Clocks of_the_system();
};

/// A running experiment. The summary with every topic holds up its recorder: it is made anew at
/// most once a second, and only where something was published since.
class LiveSource final : public Source {
 public:
  static constexpr std::chrono::seconds kEveryTopicAge{1};

  /// `experiment` must outlive this.
  explicit LiveSource(Experiment& experiment, Clocks clocks = Clocks::of_the_system());

  [[nodiscard]] std::string_view kind() const override { return "live"; }
  [[nodiscard]] std::optional<UtcTime> started() const override { return started_; }
  [[nodiscard]] Picture newest() override;
  [[nodiscard]] std::shared_ptr<const Summary> every_topic() override;
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) override {
    return experiment_.topic(id);
  }
  void look() override;
  [[nodiscard]] const TimeSeries& series() const override { return series_; }
  [[nodiscard]] std::vector<ArmId> arms() const override {
    return {experiment_.arms().begin(), experiment_.arms().end()};
  }

 private:
  Experiment& experiment_;
  Clocks clocks_;
  UtcTime started_;
  Picture newest_;
  TimeSeries series_;
  std::shared_ptr<const Summary> last_point_;
  std::shared_ptr<const Summary> every_topic_;
  std::shared_ptr<const Summary> published_then_;  // when `every_topic_` was made
  std::chrono::steady_clock::time_point made_;
};

}  // namespace prescope::serve
