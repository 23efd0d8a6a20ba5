#include "prescope/xapian/ranker.h"

#include <utility>

#include "patent_terms.h"
#include "prescope/error.h"
#include "text.h"
#include "weighting.h"

namespace prescope::xapian {
namespace {

// From this number on, looking up each term costs less than searching for all of them.
constexpr std::size_t kManyClauses = 1000;

/// `known_to`: leaves out terms that this database lacks; null: keeps all.
Xapian::Query in_field(const std::vector<TermCount>& terms, const RankerOptions::Field& field,
                       const Xapian::Database* known_to) {
  std::vector<Xapian::Query> clauses;
  clauses.reserve(terms.size());
  for (const TermCount& term : terms) {
    const std::string name = field.prefix + term.term;
    if (known_to != nullptr && !known_to->term_exists(name)) continue;
    clauses.emplace_back(name, term.count);
  }
  const Xapian::Query any(Xapian::Query::OP_OR, clauses.begin(), clauses.end());
  if (field.weight == 1.0) return any;
  return Xapian::Query(Xapian::Query::OP_SCALE_WEIGHT, any, field.weight);
}

}  // namespace

Ranker::Ranker(RankerOptions options) : options_(std::move(options)) {
  if (options_.fields.empty()) {
    throw Error(ErrorCode::kUsage, "a ranker needs at least one field to search");
  }
  for (const RankerOptions::Field& field : options_.fields) {
    if (!(field.weight > 0.0)) throw Error(ErrorCode::kUsage, "a field's weight must be > 0");
  }
  static_cast<void>(make_weight(options_.weight));
  try {
    static_cast<void>(Xapian::Stem(options_.stemmer));
  } catch (const Xapian::InvalidArgumentError& failure) {
    throw Error(ErrorCode::kUsage, failure.get_msg());
  }
}

Xapian::Query Ranker::query(std::string_view text, const Xapian::Database& database) const {
  require_utf8(text);
  const std::vector<TermCount> terms = terms_of(text, options_.stemmer);
  const bool many = terms.size() * options_.fields.size() > kManyClauses;
  std::vector<Xapian::Query> fields;
  for (const RankerOptions::Field& field : options_.fields) {
    fields.push_back(in_field(terms, field, many ? &database : nullptr));
  }
  return Xapian::Query(Xapian::Query::OP_OR, fields.begin(), fields.end());
}

std::unique_ptr<Xapian::Weight> Ranker::weight() const { return make_weight(options_.weight); }

}  // namespace prescope::xapian
