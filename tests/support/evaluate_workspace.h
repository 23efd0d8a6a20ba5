#pragma once

#include <string>

#include "support/workspace.h"

namespace prescope::testing {

/// `qrels.txt`, and two runs. PRES@4, R@4 and AP of each topic:
///
///   topic  relevant     early.run              late.res
///   T1     A, B         ranks 1, 3             rank 2
///                       (4 + 3) / (2 * 4)      3 / (2 * 4)
///                       1, (1/1 + 2/3) / 2     1/2, (1/2) / 2
///   T2     D            rank 2: 3/4, 1, 1/2    0, 0, 0
///   T3     none         no value               no value
///   T4     F (grade 2)  not in the run: 0      rank 1: 1, 1, 1
///   mean                .541667 .666667        .458333 .5
///                       .444444                .416667
///
/// early.run also has the topic T9, which is not judged. C of T1 is judged not relevant.
inline void set_up_runs(const Workspace& workspace) {
  workspace.write("qrels.txt", "T1 0 A 1\nT1 0 B 1\nT1 0 C 0\nT2 0 D 1\nT3 0 E 0\nT4 0 F 2\n");
  workspace.write("early.run",
                  "T2 Q0 Y 1 2.0 early\nT2 Q0 D 2 1.0 early\n"
                  "T1 Q0 A 1 3.0 early\nT1 Q0 X 2 2.0 early\nT1 Q0 B 3 1.0 early\n"
                  "T9 Q0 A 1 1.0 early\n");
  workspace.write("late.res",
                  "T1 Q0 X 1 2.0 late\nT1 Q0 A 2 1.0 late\nT2 Q0 Y 1 1.0 late\n"
                  "T4 Q0 F 1 5.0 late\n");
}

}  // namespace prescope::testing
