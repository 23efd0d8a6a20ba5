#pragma once

#include <string>
#include <vector>

#include "support/workspace.h"

namespace prescope::testing {

/// `qrels.txt` and three runs. At N_max 2 and 4:
///
///   topic  relevant   early.run      late.run     third.run
///   T1     A, B       ranks 1, 4     ranks 2, 3   rank 3
///                     PRES@2 2/4     1/4          0
///                     PRES@4 6/8     (3 + 3)/8    2/8
///   T2     D          rank 2         rank 3       rank 1
///                     PRES@2 1/2     0            1
///                     PRES@4 3/4     2/4          1
inline void set_up_studies(const Workspace& workspace) {
  workspace.write("qrels.txt", "T1 0 A 1\nT1 0 B 1\nT2 0 D 1\n");
  workspace.write("early.run",
                  "T1 Q0 A 1 9 e\nT1 Q0 X 2 8 e\nT1 Q0 Y 3 7 e\nT1 Q0 B 4 6 e\n"
                  "T2 Q0 X 1 9 e\nT2 Q0 D 2 8 e\n");
  workspace.write("late.run",
                  "T1 Q0 X 1 9 l\nT1 Q0 A 2 8 l\nT1 Q0 B 3 7 l\nT1 Q0 Y 4 6 l\n"
                  "T2 Q0 X 1 9 l\nT2 Q0 Y 2 8 l\nT2 Q0 D 3 7 l\n");
  workspace.write("third.run", "T1 Q0 X 1 9 t\nT1 Q0 Y 2 8 t\nT1 Q0 A 3 7 t\nT2 Q0 D 1 9 t\n");
}

/// Every study on these files, without an output.
inline const std::vector<std::vector<std::string>> kStudies = {
    {"study", "cutoffs", "qrels.txt", "early.run", "late.run", "--nmax", "2,4"},
    {"study", "correlation", "qrels.txt", "early.run", "late.run", "third.run", "-m",
     "PRES@4,R@2,AP@4"},
    {"study", "curve", "--n", "4", "--nmax", "10", "--ranks", "1,3,10"}};

}  // namespace prescope::testing
