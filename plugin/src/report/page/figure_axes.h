#pragma once

#include <vector>

#include "report/page/drawing.h"
#include "report/page/scale.h"
#include "report/page/xy_figure.h"

namespace prescope::page {

/// Values of one axis to places, linearly or by their logarithm.
class FigureScale {
 public:
  /// `values` are all that is drawn along the axis.
  FigureScale(const FigureAxis& axis, const std::vector<double>& values, double first, double last);

  [[nodiscard]] double operator()(double value) const;
  [[nodiscard]] const std::vector<FigureAxis::Tick>& ticks() const noexcept { return ticks_; }

 private:
  bool is_logarithmic_;
  Scale scale_;
  std::vector<FigureAxis::Tick> ticks_;
};

/// Where the plot is in the drawing.
struct FigureFrame {
  double left = 0.0, right = 0.0, top = 0.0, bottom = 0.0;
};

/// Lines, numbers and titles.
void draw_axes(Drawing& drawing, const FigureFrame& frame, const XyFigure& figure,
               const FigureScale& x, const FigureScale& y);

}  // namespace prescope::page
