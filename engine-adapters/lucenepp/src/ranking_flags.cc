#include "ranking_flags.h"

#include <algorithm>
#include <typeinfo>

#include <lucene++/LuceneHeaders.h>

#include <lucene++/ConstantScoreQuery.h>
#include <lucene++/DisjunctionMaxQuery.h>
#include <lucene++/FilteredQuery.h>
#include <lucene++/MultiTermQueryWrapperFilter.h>
#include <lucene++/SortField.h>

namespace prescope::lucenepp {
namespace {

bool has_filter(Lucene::Query* query);

bool is_of_host(const Lucene::FilterPtr& filter) {
  if (!filter) return false;
  const Lucene::Filter& made = *filter;
  // Filters of a host are classes derived from this one, such as PrefixFilter.
  return typeid(made) != typeid(Lucene::MultiTermQueryWrapperFilter);
}

/// A constant score that may be missing adds to other scores and leaves nothing out.
bool has_filter(Lucene::BooleanClause& clause) {
  const Lucene::QueryPtr part = clause.getQuery();
  const bool may_be_missing = clause.getOccur() == Lucene::BooleanClause::SHOULD;
  if (may_be_missing && dynamic_cast<Lucene::ConstantScoreQuery*>(part.get()) != nullptr) {
    return false;
  }
  return has_filter(part.get());
}

bool has_filter(Lucene::Query* query) {
  if (query == nullptr || dynamic_cast<Lucene::TermQuery*>(query) != nullptr) return false;
  if (auto* const all = dynamic_cast<Lucene::BooleanQuery*>(query)) {
    return std::any_of(all->begin(), all->end(), [](const Lucene::BooleanClausePtr& clause) {
      return clause && has_filter(*clause);
    });
  }
  if (auto* const best = dynamic_cast<Lucene::DisjunctionMaxQuery*>(query)) {
    return std::any_of(best->begin(), best->end(),
                       [](const Lucene::QueryPtr& part) { return has_filter(part.get()); });
  }
  if (auto* const constant = dynamic_cast<Lucene::ConstantScoreQuery*>(query)) {
    return is_of_host(constant->getFilter());
  }
  return dynamic_cast<Lucene::FilteredQuery*>(query) != nullptr;
}

}  // namespace

RankingFlags order_of(const Lucene::Collection<Lucene::SortFieldPtr>& fields) {
  const bool by_score = fields && !fields.empty() && *fields.begin() &&
                        (*fields.begin())->getType() == Lucene::SortField::SCORE &&
                        !(*fields.begin())->getReverse();
  return by_score ? RankingFlags::kNone : RankingFlags::kSorted;
}

RankingFlags filtering_of(const Lucene::QueryPtr& query, const Lucene::FilterPtr& filter) {
  return filter || has_filter(query.get()) ? RankingFlags::kFiltered : RankingFlags::kNone;
}

}  // namespace prescope::lucenepp
