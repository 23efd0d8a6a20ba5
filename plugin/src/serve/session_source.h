#pragma once

#include <cstdint>
#include <filesystem>

#include "serve/source.h"
#include "store/rebuilt_session.h"

namespace prescope::serve {

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
