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

constexpr RankingFlags kFiltered = RankingFlags::kFiltered;
constexpr RankingFlags kSorted = RankingFlags::kSorted;

RankingFlags flag_if(bool holds, RankingFlags flag) { return holds ? flag : RankingFlags::kNone; }

/// Returns true for a clause that OP_SCALE_WEIGHT gives the weight 0, as QueryParser does with a
/// boolean filter that stands alone. Xapian has no getter for the factor.
bool is_scaled_to_zero(const Xapian::Query& query) {
  return query.get_type() == Xapian::Query::OP_SCALE_WEIGHT &&
         query.get_description().starts_with("Query(0 * ");
}

template <class Condition>
bool any_subquery(const Xapian::Query& query, Condition condition) {
  for (std::size_t i = 0; i < query.get_num_subqueries(); ++i) {
    if (condition(query.get_subquery(i))) return true;
  }
  return false;
}

bool leaves_documents_out(const Xapian::Query& query) {
  switch (query.get_type()) {
    case Xapian::Query::OP_FILTER:
    case Xapian::Query::OP_AND_NOT:
    case Xapian::Query::OP_VALUE_RANGE:
    case Xapian::Query::OP_VALUE_GE:
    case Xapian::Query::OP_VALUE_LE:
      return true;
    default:
      return is_scaled_to_zero(query) || any_subquery(query, leaves_documents_out);
  }
}

/// Returns true if the query may give a document a score other than 0.
bool has_scores(const Xapian::Query& query) {
  switch (query.get_type()) {
    case Xapian::Query::OP_VALUE_RANGE:
    case Xapian::Query::OP_VALUE_GE:
    case Xapian::Query::OP_VALUE_LE:
    case Xapian::Query::LEAF_MATCH_ALL:
      return false;
    case Xapian::Query::OP_FILTER:
    case Xapian::Query::OP_AND_NOT:
      return has_scores(query.get_subquery(0));
    default:
      if (query.get_num_subqueries() == 0) return true;
      return !is_scaled_to_zero(query) && any_subquery(query, has_scores);
  }
}

[[noreturn]] void refuse_broken() {
  throw Xapian::DatabaseModifiedError(
      "prescope: this database could not be reopened in place, or another one has taken its place; "
      "call ObservedDatabase::reopen() and make a new Enquire");
}

}  // namespace

/// The flags that each kind of setting gives to the rankings.
struct ObservedEnquire::Settings {
  RankingFlags order = RankingFlags::kNone;
  RankingFlags query = RankingFlags::kNone;
  RankingFlags weight = RankingFlags::kNone;
  RankingFlags cutoff = RankingFlags::kNone;
  RankingFlags collapse = RankingFlags::kNone;
  bool has_spies = false;

  [[nodiscard]] RankingFlags flags() const noexcept {
    return order | query | weight | cutoff | collapse;
  }
};

ObservedEnquire::ObservedEnquire(std::shared_ptr<WatchedDatabase> database, ArmIndex arm)
    : Xapian::Enquire(database->database()),
      database_(std::move(database)),
      settings_(std::make_shared<Settings>()),
      arm_(arm) {}

Xapian::MSet ObservedEnquire::get_mset(Xapian::doccount first, Xapian::doccount maxitems,
                                       Xapian::doccount checkatleast, const Xapian::RSet* omrset,
                                       const Xapian::MatchDecider* mdecider) const {
  ServedPage page{.requested_depth = maxitems, .flags = flag_if(mdecider != nullptr, kFiltered)};
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
      if (!settings_->has_spies) served = ask_reopened(*database_, ask);
      // The caller receives the exception that it would have received without the retry.
      if (!served) throw;
      page.flags = page.flags.flags | RankingFlags::kRetried;
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

Outcome ObservedEnquire::observe(const Xapian::MSet& served,
                                 const ServedPage& page) const noexcept {
  return xapian::observe(*database_, served,
                         {.arm = arm_,
                          .first_rank = served.get_firstitem() + 1,
                          .requested_depth = page.requested_depth,
                          .total_hits = served.get_matches_estimated(),
                          .search_started = page.search_started,
                          .flags = page.flags.flags | settings_->flags()});
}

void ObservedEnquire::set_query(const Xapian::Query& query, Xapian::termcount qlen) {
  set_query(query, qlen,
            flag_if(leaves_documents_out(query), kFiltered) | flag_if(!has_scores(query), kSorted));
}

void ObservedEnquire::set_query(const Xapian::Query& query, Xapian::termcount qlen,
                                RankingFlags flags) {
  Xapian::Enquire::set_query(query, qlen);
  settings_->query = flags;
}

void ObservedEnquire::set_weighting_scheme(const Xapian::Weight& weight) {
  Xapian::Enquire::set_weighting_scheme(weight);
  const bool is_boolean = dynamic_cast<const Xapian::BoolWeight*>(&weight) != nullptr;
  settings_->weight = flag_if(is_boolean, kSorted);
}

void ObservedEnquire::set_collapse_key(Xapian::valueno collapse_key,
                                       Xapian::doccount collapse_max) {
  Xapian::Enquire::set_collapse_key(collapse_key, collapse_max);
  const bool collapses = collapse_key != Xapian::BAD_VALUENO && collapse_max > 0;
  settings_->collapse = flag_if(collapses, RankingFlags::kCollapsed);
}

void ObservedEnquire::set_cutoff(int percent_cutoff, double weight_cutoff) {
  Xapian::Enquire::set_cutoff(percent_cutoff, weight_cutoff);
  settings_->cutoff = flag_if(percent_cutoff > 0 || weight_cutoff > 0, kFiltered);
}

void ObservedEnquire::set_sort_by_relevance() {
  Xapian::Enquire::set_sort_by_relevance();
  settings_->order = RankingFlags::kNone;
}

void ObservedEnquire::set_sort_by_value(Xapian::valueno sort_key, bool reverse) {
  Xapian::Enquire::set_sort_by_value(sort_key, reverse);
  settings_->order = kSorted;
}

void ObservedEnquire::set_sort_by_key(Xapian::KeyMaker* sorter, bool reverse) {
  Xapian::Enquire::set_sort_by_key(sorter, reverse);
  settings_->order = kSorted;
}

void ObservedEnquire::set_sort_by_value_then_relevance(Xapian::valueno sort_key, bool reverse) {
  Xapian::Enquire::set_sort_by_value_then_relevance(sort_key, reverse);
  settings_->order = kSorted;
}

void ObservedEnquire::set_sort_by_key_then_relevance(Xapian::KeyMaker* sorter, bool reverse) {
  Xapian::Enquire::set_sort_by_key_then_relevance(sorter, reverse);
  settings_->order = kSorted;
}

void ObservedEnquire::set_sort_by_relevance_then_value(Xapian::valueno sort_key, bool reverse) {
  Xapian::Enquire::set_sort_by_relevance_then_value(sort_key, reverse);
  settings_->order = RankingFlags::kNone;
}

void ObservedEnquire::set_sort_by_relevance_then_key(Xapian::KeyMaker* sorter, bool reverse) {
  Xapian::Enquire::set_sort_by_relevance_then_key(sorter, reverse);
  settings_->order = RankingFlags::kNone;
}

void ObservedEnquire::add_matchspy(Xapian::MatchSpy* spy) {
  Xapian::Enquire::add_matchspy(spy);
  settings_->has_spies = true;
}

void ObservedEnquire::clear_matchspies() {
  Xapian::Enquire::clear_matchspies();
  settings_->has_spies = false;
}

}  // namespace prescope::xapian
