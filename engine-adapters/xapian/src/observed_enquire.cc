#include "prescope/xapian/observed_enquire.h"

#include <optional>
#include <utility>

#include "served_ranking.h"
#include "watched_database.h"

namespace prescope::xapian {
namespace {

template <class Ask>
std::optional<Xapian::MSet> ask_reopened(WatchedDatabase& database, Ask ask) noexcept {
  try {
    if (database.reopen_for_retry()) return ask();
  } catch (...) {  // said by the first one
  }
  return std::nullopt;
}

[[noreturn]] void refuse_broken() {
  throw Xapian::DatabaseModifiedError(
      "prescope: this database could not be reopened in place, or another one has taken its place; "
      "call ObservedDatabase::reopen() and make a new Enquire");
}

}  // namespace

ObservedEnquire::ObservedEnquire(std::shared_ptr<WatchedDatabase> database, ArmIndex arm)
    : Xapian::Enquire(database->database()), database_(std::move(database)), arm_(arm) {}

Xapian::MSet ObservedEnquire::get_mset(Xapian::doccount first, Xapian::doccount maxitems,
                                       Xapian::doccount checkatleast, const Xapian::RSet* omrset,
                                       const Xapian::MatchDecider* mdecider) const {
  ServedPage page{.requested_depth = maxitems};
  const auto ask = [&] {
    return Xapian::Enquire::get_mset(first, maxitems, checkatleast, omrset, mdecider);
  };
  const auto ask_twice = [&] {
    try {
      return ask();
    } catch (const Xapian::DatabaseClosedError&) {
      throw;
    } catch (const Xapian::DatabaseError&) {
      std::optional<Xapian::MSet> served;
      if (!has_spies_) served = ask_reopened(*database_, ask);
      // The caller receives the exception that it would have received without the retry.
      if (!served) throw;
      page.flags = RankingFlags::kRetried;
      return *served;
    }
  };
  try {
    if (database_->is_broken()) refuse_broken();
    Xapian::MSet served = ask_twice();
    if (maxitems > 0) observe(served, page);
    return served;
  } catch (...) {
    if (maxitems > 0) observe_failure(database_->experiment(), arm_);
    throw;
  }
}

Xapian::MSet ObservedEnquire::get_mset(Xapian::doccount first, Xapian::doccount maxitems,
                                       const Xapian::RSet* omrset,
                                       const Xapian::MatchDecider* mdecider) const {
  return get_mset(first, maxitems, 0, omrset, mdecider);
}

void ObservedEnquire::observe(const Xapian::MSet& served, const ServedPage& page) const noexcept {
  xapian::observe(*database_, served,
                  {.arm = arm_,
                   .first_rank = served.get_firstitem() + 1,
                   .requested_depth = page.requested_depth,
                   .total_hits = served.get_matches_estimated(),
                   .search_started = page.search_started,
                   .flags = page.flags | order_});
}

void ObservedEnquire::set_sort_by_relevance() {
  Xapian::Enquire::set_sort_by_relevance();
  order_ = RankingFlags::kNone;
}

void ObservedEnquire::set_sort_by_value(Xapian::valueno sort_key, bool reverse) {
  Xapian::Enquire::set_sort_by_value(sort_key, reverse);
  order_ = RankingFlags::kSorted;
}

void ObservedEnquire::set_sort_by_key(Xapian::KeyMaker* sorter, bool reverse) {
  Xapian::Enquire::set_sort_by_key(sorter, reverse);
  order_ = RankingFlags::kSorted;
}

void ObservedEnquire::set_sort_by_value_then_relevance(Xapian::valueno sort_key, bool reverse) {
  Xapian::Enquire::set_sort_by_value_then_relevance(sort_key, reverse);
  order_ = RankingFlags::kSorted;
}

void ObservedEnquire::set_sort_by_key_then_relevance(Xapian::KeyMaker* sorter, bool reverse) {
  Xapian::Enquire::set_sort_by_key_then_relevance(sorter, reverse);
  order_ = RankingFlags::kSorted;
}

void ObservedEnquire::set_sort_by_relevance_then_value(Xapian::valueno sort_key, bool reverse) {
  Xapian::Enquire::set_sort_by_relevance_then_value(sort_key, reverse);
  order_ = RankingFlags::kNone;
}

void ObservedEnquire::set_sort_by_relevance_then_key(Xapian::KeyMaker* sorter, bool reverse) {
  Xapian::Enquire::set_sort_by_relevance_then_key(sorter, reverse);
  order_ = RankingFlags::kNone;
}

void ObservedEnquire::add_matchspy(Xapian::MatchSpy* spy) {
  Xapian::Enquire::add_matchspy(spy);
  has_spies_ = true;
}

void ObservedEnquire::clear_matchspies() {
  Xapian::Enquire::clear_matchspies();
  has_spies_ = false;
}

}  // namespace prescope::xapian
