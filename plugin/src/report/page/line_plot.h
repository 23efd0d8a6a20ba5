#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/evaluation_record.h"
#include "core/gate/gate.h"
#include "report/page/drawing.h"

namespace prescope::page {

/// One number over the nights, drawn so that it can be read without colours and on a telephone.
struct LinePlot {
  struct Point {
    UtcTime time{};
    std::optional<double> value{};  ///< nothing: the line goes on without it
    std::optional<double> level{};  ///< of the baseline, drawn dashed
    std::optional<GateOutcome> outcome{};
    std::string hint{};
  };
  /// Something that happened: a line from top to bottom.
  struct Event {
    UtcTime time{};
    std::string name{};
  };

  Drawing::Words words;
  std::vector<Point> points{};  ///< ascending by time
  std::vector<Event> events{};
};
[[nodiscard]] std::string draw(const LinePlot& plot);

/// A mark for each outcome, with its name: what the plots' marks mean.
[[nodiscard]] std::string draw_legend(const std::string& id);

}  // namespace prescope::page
