#include "benchmarks/bars.h"

int main(int argc, char** argv) {
  using prescope::benchmarks::Bar;
  return prescope::benchmarks::run_with_bars(
      argc, argv,
      {{.what = "hook on a 1000-hit ranking, 27 judged", .benchmark = "whole_hook", .most = 3.0},
       {.what = "plugin's own time of an unjudged query",
        .benchmark = "own_time_unjudged",
        .most = 0.1},
       {.what = "hook / copying the ids",
        .benchmark = "whole_hook",
        .per = "copy_ids",
        .unit = Bar::Unit::kTimes,
        .most = 4.0},
       {.what = "hook / query of 40 terms",
        .benchmark = "whole_hook",
        .per = "query_40_terms",
        .unit = Bar::Unit::kPercent,
        .most = 0.05},
       {.what = "resolving 13,000 docnos, 200k documents",
        .benchmark = "resolve_13000",
        .unit = Bar::Unit::kMilliseconds,
        .most = 150.0},
       {.what = "reopen after 500 deleted, 1000 added",
        .benchmark = "reopen_after_nightly_change",
        .unit = Bar::Unit::kMilliseconds,
        .most = 20.0}});
}
