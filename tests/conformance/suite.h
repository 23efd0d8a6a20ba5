#pragma once

#include <gtest/gtest.h>

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/subject.h"
#include "conformance/watched.h"

namespace prescope::conformance {

/// One adapter under test.
struct NamedSubject {
  std::string name;  ///< letters and digits
  SubjectFactory make;
};

/// The conformance suite that every adapter must pass. An adapter's own test file instantiates it:
/// `INSTANTIATE_TEST_SUITE_P(Xapian, Conformance, testing::Values(...), name_of)`. The tests are
/// compiled once, into the objects `conformance_suite`.
class Conformance : public ::testing::TestWithParam<NamedSubject> {
 protected:
  Conformance();

  /// A subject over `docs`, one commit, opened for the experiment.
  [[nodiscard]] static std::unique_ptr<Subject> opened(const std::vector<Doc>& docs,
                                                       Experiment& experiment);
  [[nodiscard]] const Traits& traits() const noexcept { return traits_; }

 private:
  Traits traits_;
};

/// T1 cites, of valves(5), EP4 and EP1, served at ranks 2 and 5, and EP99, which is not indexed.
/// T2 cites EP5, served at rank 1.
[[nodiscard]] Watched::Citations valve_citations();
/// Documents, at most 8 and of 8 words each, that are served in this order for the query "valve".
[[nodiscard]] std::vector<Doc> served_in_order(const std::vector<std::string>& docnos);

/// One observed search under a scope of its own. Pages belong together if they have the same key.
std::vector<ServedHit> search_for(Experiment& experiment, std::string_view topic,
                                  SubjectSearcher& searcher, const Request& request,
                                  std::string_view key = "");
/// The definition of matching: the topic's judged documents among the served docnos, each at its
/// first rank.
[[nodiscard]] std::vector<JudgedHit> judged_among(const Experiment& experiment,
                                                  std::string_view topic,
                                                  const std::vector<ServedHit>& served);

/// The mean of a measure, as `PRES@10`, over the topics that `arm` has a value for.
[[nodiscard]] std::optional<double> mean_of(const Summary& summary, std::string_view arm,
                                            std::string_view measure);

/// GoogleTest prints subjects and hits with these.
void PrintTo(const NamedSubject& subject, std::ostream* out);
void PrintTo(const ServedHit& hit, std::ostream* out);
/// The last argument of INSTANTIATE_TEST_SUITE_P.
[[nodiscard]] std::string name_of(const testing::TestParamInfo<NamedSubject>& info);

}  // namespace prescope::conformance
