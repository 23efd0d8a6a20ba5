#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iosfwd>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "prescope/error.h"
#include "prescope/experiment.h"

namespace prescope {

/// GoogleTest prints a hit with this.
void PrintTo(const JudgedHit& hit, std::ostream* out);

}  // namespace prescope

namespace prescope::conformance {

/// An observation as the experiment's listener received it.
struct Seen {
  Observation facts;
  std::vector<JudgedHit> hits;

  [[nodiscard]] std::vector<Rank> ranks() const;
};

/// Expects that `action` throws an Error whose message has a part, or matches.
template <class Says, class Action>
void expect_error(ErrorCode code, const Says& says, Action action) {
  try {
    static_cast<void>(action());
    ADD_FAILURE() << "expected an error: " << testing::PrintToString(says);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    if constexpr (std::is_convertible_v<Says, std::string>) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::string(says)));
    } else {
      EXPECT_THAT(error.what(), says);
    }
  }
}

/// An experiment over citations given as {topic, docno}, with arms "a" and "b" and cutoffs 2
/// and 10.
class Watched {
 public:
  using Citations = std::vector<std::pair<std::string, std::string>>;
  explicit Watched(const Citations& citations, const QrelsOptions& options = {});

  [[nodiscard]] Experiment& experiment() noexcept { return experiment_; }
  /// Every ranking observed so far, in the order of recording.
  [[nodiscard]] std::vector<Seen> seen();
  /// Every search that ended without a ranking, likewise.
  [[nodiscard]] std::vector<Observation> failures();
  /// The ranks of the judged documents of the only observation so far.
  [[nodiscard]] std::vector<Rank> only_ranks();

 private:
  std::mutex mutex_;
  std::vector<Seen> seen_;
  std::vector<Observation> failures_;
  Experiment experiment_;  // last, because its recorder writes to the members above
};

}  // namespace prescope::conformance
