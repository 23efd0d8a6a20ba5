#pragma once

#include "serve/source.h"

namespace prescope::serve {

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

}  // namespace prescope::serve
