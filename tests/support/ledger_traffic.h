#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "live/ledger/ledger.h"
#include "support/plain_ledger.h"

namespace prescope {

/// The parameters of tests that every mode must pass, and their names.
inline const auto kEveryMode = ::testing::Values(Mode::kObserve, Mode::kPaired, Mode::kSplit);
inline std::string mode_name(const ::testing::TestParamInfo<Mode>& mode) {
  if (mode.param == Mode::kObserve) return "observe";
  return mode.param == Mode::kPaired ? "paired" : "split";
}

inline constexpr std::uint32_t kTrafficTopics = 4;

/// Draws that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::size_t end) { return static_cast<std::uint32_t>(engine_() % end); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// Changing judgements of kTrafficTopics topics, in all their versions.
class Judgements {
 public:
  explicit Judgements(Dice& dice);
  void change(Dice& dice);

  [[nodiscard]] std::uint32_t newest() const {
    return static_cast<std::uint32_t>(judged_.size()) - 1;
  }
  [[nodiscard]] const Qrels& qrels(std::uint32_t version) const { return judged(version).qrels(); }
  [[nodiscard]] const JudgedDocnos& judged(std::uint32_t version) const {
    return *judged_[version];
  }
  /// Returns the table that an adapter resolves for an index in this generation.
  [[nodiscard]] std::unique_ptr<ResolvedQrels> table(std::uint64_t generation) const;

 private:
  void publish();

  std::vector<std::map<int, Grade>> topics_;
  std::shared_ptr<const FamilyMap> families_;  // null in half of the histories
  std::vector<std::unique_ptr<JudgedDocnos>> judged_;
};

/// Hands the query over as the query path would.
Ledger::Placement record(Ledger& ledger, const PlainQuery& query, const Judgements& judgements);

void add(Rejudged& sum, const Rejudged& more);

/// Returns options with all rules and half of the topics in a baseline.
[[nodiscard]] LedgerOptions draw_ledger_options(Dice& dice, Mode mode);

/// One server with its ledger and the plain one, and indexes that are renewed. Arms 0 and 1 share
/// an index, all others another.
class LedgerTraffic {
 public:
  LedgerTraffic(const Judgements& judgements, const Scorer& scorer, const LedgerOptions& options,
                Dice& dice);

  /// Draws one request of a user, with the searches for comparison, and delivers some of the
  /// observations; others come later, or never.
  void serve();
  void renew_index();
  void change_arms();
  Rejudged locate();
  /// With the newest judgements.
  Rejudged rejudge();

 private:
  const Judgements& judgements_;
  Dice& dice_;
  std::uint32_t arms_;

 public:
  Ledger ledger;
  PlainLedger plain;
  std::vector<PlainQuery> queries;  ///< all that were delivered, in the visits they belong to
  bool places_agree = true;         ///< of all queries in their visits

 private:
  Rejudged locate(std::uint32_t arm);
  std::uint64_t generation_of(std::uint32_t arm);
  void deliver_one();
  PlainQuery draw_request();
  PlainQuery again(PlainQuery query);
  void search(PlainQuery query);
  void search_for_comparison(const PlainQuery& served);
  Rank next_page(const PlainQuery& query);
  void draw_documents(PlainQuery& query);
  RankingFlags draw_flags();

  std::uint32_t capture_depth_;
  bool uses_docids_[2];  // by index
  std::uint64_t current_[2], before_[2];
  std::uint64_t visits_ = 0;
  std::vector<PlainQuery> under_way_, requests_;
};

}  // namespace prescope
