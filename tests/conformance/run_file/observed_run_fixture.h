#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "conformance/run_file/run_folder.h"
#include "conformance/watched.h"
#include "prescope/error.h"
#include "prescope/run_file/observed_run.h"

namespace prescope::conformance {

using Docnos = std::vector<std::string_view>;

/// T1 by score: EP3, then EP2 before EP1 because trec_eval orders ties by docno descending; by
/// line: EP1, EP3, EP2. The rank column says something else again, and does not count.
inline constexpr const char* kTonight =
    "T1 Q0 EP1 3 0.5 engine\n"
    "T1 Q0 EP3 2 0.9 engine\n"
    "T1 Q0 EP2 1 0.5 engine\n"
    "T2 Q0 EP2 1 1.0 engine\n";
/// T1: EP2, EP4.
inline constexpr const char* kTomorrow =
    "T1 Q0 EP2 1 2 engine\n"
    "T1 Q0 EP4 2 1 engine\n";

/// One run file, and an experiment that it is shown to.
class ObservedRunTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "engine.run"; }
  void write(std::string_view content) const { folder_.write("engine.run", content); }

  [[nodiscard]] std::unique_ptr<run_file::ObservedRun> opened(RunOrder order = RunOrder::kTrec) {
    return std::make_unique<run_file::ObservedRun>(file(), order, watched_.experiment());
  }
  [[nodiscard]] std::unique_ptr<run_file::ObservedRun> opened_tonight() {
    write(kTonight);
    return opened();
  }
  Docnos serve(const run_file::RunSearcher& searcher, const run_file::Request& request) {
    QueryScope scope(watched_.experiment(), TopicId(request.topic));
    return searcher.serve(request);
  }

  RunFolder folder_;
  Watched watched_{Watched::Citations{{"T1", "EP1"}, {"T1", "EP2"}, {"T2", "EP9"}, {"T3", "EP1"}}};
};

}  // namespace prescope::conformance
