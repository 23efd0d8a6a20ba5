#include "support/nights_workspace.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace prescope::testing {

void write_night_qrels(const Workspace& workspace, int topics) {
  std::string lines;
  for (int t = 1; t <= topics; ++t)
    lines += fmt::format("T{0:03} 0 A{0:03} 1\nT{0:03} 0 B{0:03} 1\n", t);
  workspace.write("qrels.txt", lines);
}

void write_night_run(const Workspace& workspace, const std::string& name, int topics,
                     const std::function<NightRanks(int topic)>& ranks) {
  std::string lines;
  for (int t = 1; t <= topics; ++t) {
    const NightRanks served = ranks(t);
    for (int rank = 1; rank <= 10; ++rank) {
      const std::string docno = rank == served.a   ? fmt::format("A{:03}", t)
                                : rank == served.b ? fmt::format("B{:03}", t)
                                                   : fmt::format("X{:03}-{}", t, rank);
      lines += fmt::format("T{:03} Q0 {} {} {} bm25\n", t, docno, rank, 100 - rank);
    }
  }
  workspace.write(name, lines);
}

Outcome run_night(const Workspace& workspace, const std::string& command, const std::string& run,
                  std::vector<std::string> more) {
  std::vector<std::string> arguments = {command,   "nights.db", "--from", run,
                                        "--qrels", "qrels.txt", "-m",     "PRES@10,R@10"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments, {{"USER", "ada"}});
}

void pin_base(const Workspace& workspace) {
  constexpr int kTopics = 40;
  write_night_qrels(workspace, kTopics);
  write_night_run(workspace, "base.run", kTopics, [](int) { return NightRanks{1, 3}; });
  const Outcome pinned = run_night(workspace, "pin", "base.run", {"--why", "first release"});
  ASSERT_EQ(pinned.exit_code, 0) << pinned.err;
}

}  // namespace prescope::testing
