#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nightly/evaluation_record.h"
#include "prescope/experiment.h"
#include "prescope/summary.h"
#include "serve/site/time_series.h"
#include "store/sessions/rebuilt_session.h"

namespace prescope::serve {

/// Where a site's figures are from. Not thread-safe.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// "live", "session" or "store".
  [[nodiscard]] virtual std::string_view kind() const = 0;
  [[nodiscard]] virtual std::optional<UtcTime> started() const = 0;

  /// What is known now and when that was; the same pointer while nothing is new. Null where there
  /// is no experiment, and the rest below must not be asked.
  struct Picture {
    std::shared_ptr<const Summary> summary{};  ///< SummaryDetail::kVerdicts
    UtcTime time{};
  };
  [[nodiscard]] virtual Picture newest() = 0;
  /// Adds the newest picture to the series, where it is not its last point.
  virtual void look() = 0;
  [[nodiscard]] virtual const TimeSeries& series() const = 0;
  /// SummaryDetail::kEveryTopic, about as new. Never null.
  [[nodiscard]] virtual std::shared_ptr<const Summary> every_topic() = 0;
  /// Nothing for a topic that is not judged.
  [[nodiscard]] virtual std::optional<TopicDetail> topic(const TopicId& id) = 0;
  /// Those of every picture and topic that was given so far.
  [[nodiscard]] virtual std::vector<ArmId> arms() const = 0;
};

/// Of a store in which no experiment has written anything: there are nights only.
class NoExperiment final : public Source {
 public:
  [[nodiscard]] std::string_view kind() const override { return "store"; }
  [[nodiscard]] std::optional<UtcTime> started() const override { return std::nullopt; }
  [[nodiscard]] Picture newest() override { return {}; }
  void look() override {}
  [[nodiscard]] const TimeSeries& series() const override { return series_; }
  [[nodiscard]] std::shared_ptr<const Summary> every_topic() override {
    return std::make_shared<const Summary>();
  }
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& /*id*/) override {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<ArmId> arms() const override { return {}; }

 private:
  TimeSeries series_;
};

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

/// A stored session, rebuilt once, with its series.
class SessionSource final : public Source {
 public:
  /// Throws as RebuiltSession does.
  SessionSource(const std::filesystem::path& store, std::int64_t session);

  [[nodiscard]] std::string_view kind() const override { return "session"; }
  [[nodiscard]] std::optional<UtcTime> started() const override { return stretch_.began; }
  [[nodiscard]] Picture newest() override { return {verdicts_, stretch_.last}; }
  [[nodiscard]] std::shared_ptr<const Summary> every_topic() override { return every_topic_; }
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) override {
    return session_->topic(id);
  }
  void look() override {}
  [[nodiscard]] const TimeSeries& series() const override { return series_; }
  [[nodiscard]] std::vector<ArmId> arms() const override { return series_.arms(); }

 private:
  /// When a session began, and its observations.
  struct Stretch {
    UtcTime began{}, first{}, last{};
  };
  [[nodiscard]] static Stretch stretch_of(const std::filesystem::path& store, std::int64_t session);

  Stretch stretch_;
  TimeSeries series_;
  std::optional<RebuiltSession> session_;
  std::shared_ptr<const Summary> verdicts_, every_topic_;
};

}  // namespace prescope::serve
