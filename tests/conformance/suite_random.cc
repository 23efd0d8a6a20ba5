// Random collections, changes and searches against the definition.
#include <array>
#include <random>
#include <set>

#include "conformance/suite.h"
#include "support/number_of_cases.h"

namespace prescope::conformance {
namespace {

/// An index of few docnos, changed and searched at random; each search is compared with the served
/// docnos' judgements.
class RandomTraffic {
 public:
  RandomTraffic(std::uint32_t seed, const SubjectFactory& make, const Traits& traits)
      : random_(seed), traits_(traits), watched_(citations()), subject_(make()) {
    subject_->add(some_docs());
    subject_->watch(watched_.experiment());
    take_searcher();
  }

  void step() {
    switch (up_to(7)) {
      case 0:
        subject_->add(some_docs());
        break;
      case 1:
        subject_->remove(some_docno());
        break;
      case 2:
        subject_->compact();
        break;
      case 3:
        subject_->reopen();
        take_searcher();
        break;
      default:
        search();
    }
  }
  [[nodiscard]] std::size_t judged_hits() const noexcept { return judged_hits_; }

 private:
  std::uint32_t up_to(std::uint32_t excluded) {
    return static_cast<std::uint32_t>(random_() % excluded);
  }
  std::string some_docno() { return "D" + std::to_string(up_to(16)); }
  std::string some_topic() { return "T" + std::to_string(up_to(3)); }
  std::string some_word() {
    constexpr std::array kWords = {"valve", "pump", "seal"};
    return kWords[up_to(kWords.size())];
  }

  Watched::Citations citations() {
    Watched::Citations citations = {{"T0", "D0"}, {"T1", "D1"}, {"T2", "never indexed"}};
    for (int i = 0; i < 12; ++i) citations.emplace_back(some_topic(), some_docno());
    return citations;
  }
  std::vector<Doc> some_docs() {
    std::vector<Doc> docs;
    for (auto left = 1 + up_to(4); left > 0; --left) {
      Doc doc{some_docno(), some_word()};
      for (auto words = up_to(6); words > 0; --words) doc.text += " " + some_word();
      const bool is_new = docnos_.insert(doc.docno).second;
      if (is_new || traits_.duplicates) docs.push_back(std::move(doc));
    }
    return docs;
  }

  void take_searcher() {
    constexpr std::size_t kSearchers = 3;
    searchers_.push_back(subject_->searcher("a"));
    if (searchers_.size() > kSearchers) searchers_.erase(searchers_.begin());
  }
  void search() {
    const std::string topic = some_topic();
    const Request request{.word = some_word(), .depth = 1 + up_to(20)};
    SubjectSearcher& searcher = *searchers_[up_to(static_cast<std::uint32_t>(searchers_.size()))];
    const auto served = search_for(watched_.experiment(), topic, searcher, request);
    const std::vector<Seen> seen = watched_.seen();
    ASSERT_EQ(seen.size(), ++searches_);
    const auto expected = judged_among(watched_.experiment(), topic, served);
    EXPECT_EQ(seen.back().hits, expected);
    EXPECT_EQ(seen.back().facts.num_ret, served.size());
    judged_hits_ += expected.size();
  }

  std::mt19937 random_;
  Traits traits_;
  std::set<std::string> docnos_;  // ever added
  Watched watched_;
  std::unique_ptr<Subject> subject_;
  std::vector<std::unique_ptr<SubjectSearcher>> searchers_;  // oldest first
  std::size_t searches_ = 0;
  std::size_t judged_hits_ = 0;
};

TEST_P(Conformance, RandomTrafficMatchesTheDefinition) {
  std::size_t judged_hits = 0;
  for (std::uint32_t seed = 1; seed <= number_of_cases(20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomTraffic traffic(seed, GetParam().make, traits());
    for (int step = 0; step < 60 && !HasFatalFailure(); ++step) traffic.step();
    judged_hits += traffic.judged_hits();
  }
  EXPECT_GT(judged_hits, number_of_cases(100));  // there was something to compare
}

}  // namespace
}  // namespace prescope::conformance
