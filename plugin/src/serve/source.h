#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation_record.h"
#include "prescope/summary.h"
#include "serve/time_series.h"

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

}  // namespace prescope::serve
