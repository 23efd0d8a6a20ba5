#pragma once

#include "serve/site/time_series.h"
#include "store/sessions/rebuilt_session.h"

namespace prescope::serve {

/// The experiment that a site shows. Thread-safe.
class Source {
 public:
  /// "live" or "session".
  explicit Source(std::string_view kind_of_source) : kind(kind_of_source) {}
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  struct Picture {
    std::shared_ptr<const Summary> summary{};  ///< SummaryDetail::kVerdicts
    UtcTime time{};
  };
  /// Returns the newest summary and its time, which are the series' last point; the same pointer
  /// while nothing is new. Never null.
  [[nodiscard]] virtual Picture newest() {
    const std::lock_guard lock(access);
    return picture;
  }
  /// Returns Experiment::queue_ratio of a running experiment of this process. Never waits.
  [[nodiscard]] virtual std::optional<double> queue_ratio() const { return std::nullopt; }
  /// Returns metrics of this source alone, in the text format of Prometheus. Never waits.
  [[nodiscard]] virtual std::string own_metrics() const { return {}; }
  /// Returns a summary of SummaryDetail::kEveryTopic, about as new. Never null. May wait for as
  /// long as recording or reading takes, as `topic` may.
  [[nodiscard]] virtual std::shared_ptr<const Summary> every_topic() = 0;
  /// Returns std::nullopt for an unjudged topic.
  [[nodiscard]] virtual std::optional<TopicDetail> topic(const TopicId& id) = 0;
  /// Returns the arms of all pictures and topics returned so far.
  [[nodiscard]] virtual std::vector<ArmId> arms() const {
    const std::lock_guard lock(access);
    return series.arms();
  }

  /// Calls `use` with the series, which does not change meanwhile.
  template <class Use>
  [[nodiscard]] auto with_series(const Use& use) const {
    const std::lock_guard lock(access);
    return use(series);
  }

  const std::string_view kind;
  UtcTime began{};

 protected:
  Picture picture{};            // the newest; guarded by `access`
  TimeSeries series{};          // guarded by `access`
  mutable std::mutex access{};  // held for moments, or while a series is read
};

/// The clocks that a source reads; tests set their own.
struct Clocks {
  std::function<UtcTime()> utc = utc_now;
  std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
};

/// A running experiment. Making the summary with every topic blocks its recorder, so it is made at
/// most once a second, and only if something was published since.
class LiveSource final : public Source {
 public:
  static constexpr std::chrono::seconds kEveryTopicAge{1};

  /// `experiment` must outlive this object.
  explicit LiveSource(Experiment& experiment, Clocks clocks = {});

  [[nodiscard]] Picture newest() override;
  [[nodiscard]] std::optional<double> queue_ratio() const override {
    return experiment_.queue_ratio();
  }
  [[nodiscard]] std::shared_ptr<const Summary> every_topic() override;
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) override {
    return experiment_.topic(id);
  }
  [[nodiscard]] std::vector<ArmId> arms() const override {
    return {experiment_.arms().begin(), experiment_.arms().end()};
  }

 private:
  Experiment& experiment_;
  Clocks clocks_;
  std::mutex making_;  // of the summary with every topic
  std::shared_ptr<const Summary> every_topic_;
  std::shared_ptr<const Summary> published_then_;  // when `every_topic_` was made
  std::chrono::steady_clock::time_point made_;
};

/// A stored session, rebuilt once, with its series.
class SessionSource final : public Source {
 public:
  /// Throws as RebuiltSession does.
  SessionSource(const std::filesystem::path& store, std::int64_t session);

  [[nodiscard]] std::shared_ptr<const Summary> every_topic() override { return every_topic_; }
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) override {
    return session_->topic(id);
  }

 private:
  std::optional<RebuiltSession> session_;
  std::shared_ptr<const Summary> every_topic_;
};

}  // namespace prescope::serve
