#include "prescope/lucenepp/ranker.h"

#include <unordered_map>
#include <utility>

#include "bm25_query.h"
#include "docno_terms.h"
#include "prescope/error.h"
#include "prescope/lucenepp/patent_analyzer.h"
#include "text.h"

#include <lucene++/TermAttribute.h>

namespace prescope::lucenepp {
namespace {

struct QueryTerm {
  std::wstring text;
  std::uint32_t count = 0;
};

/// Distinct terms in the order of their first occurrence.
std::vector<QueryTerm> terms_of(const Lucene::AnalyzerPtr& analyzer, const std::wstring& field,
                                std::string_view text) {
  const auto stream =
      analyzer->tokenStream(field, Lucene::newLucene<Lucene::StringReader>(to_wide(text)));
  const auto token = stream->addAttribute<Lucene::TermAttribute>();
  std::vector<QueryTerm> terms;
  std::unordered_map<std::wstring, std::size_t> position;
  while (stream->incrementToken()) {
    const auto [found, is_new] = position.try_emplace(token->term(), terms.size());
    if (is_new) terms.push_back({found->first, 0});
    ++terms[found->second].count;
  }
  return terms;
}

void require_valid(const RankerOptions& options) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw Error(ErrorCode::kUsage, message);
  };
  require(!options.fields.empty(), "a ranker needs at least one field to search");
  require(options.k1 >= 0.0, "BM25's k1 must be >= 0");
  require(options.b >= 0.0 && options.b <= 1.0, "BM25's b must be in [0, 1]");
  for (const auto& field : options.fields)
    require(field.boost > 0.0, "a field's boost must be > 0");
}

}  // namespace

struct Ranker::State {
  struct Field {
    std::wstring name;
    double boost;
    std::shared_ptr<const Bm25Field> bm25;  // null: tf-idf
  };

  [[nodiscard]] Lucene::QueryPtr clause(const Field& field, const QueryTerm& term) const {
    const auto lucene_term = Lucene::newLucene<Lucene::Term>(field.name, term.text);
    Lucene::QueryPtr clause;
    if (field.bm25) {
      clause = Lucene::newLucene<Bm25TermQuery>(lucene_term, field.bm25);
    } else {
      clause = Lucene::newLucene<Lucene::TermQuery>(lucene_term);
    }
    clause->setBoost(field.boost * term.count);
    return clause;
  }

  RankerOptions options;
  std::vector<Field> fields;
};

Ranker::Ranker(const Lucene::IndexReaderPtr& reader, RankerOptions options) {
  require_valid(options);
  auto state = std::make_shared<State>();
  const std::vector<Leaf> leaves = leaves_of(reader);
  const auto indexed = reader->getFieldNames(Lucene::IndexReader::FIELD_OPTION_INDEXED);
  for (const RankerOptions::Field& field : options.fields) {
    if (!indexed.contains(field.name)) continue;
    std::shared_ptr<const Bm25Field> bm25;
    if (options.model == RankerOptions::Model::kBm25) {
      bm25 = std::make_shared<const Bm25Field>(options.k1, options.b,
                                               average_length(leaves, field.name));
    }
    state->fields.push_back({field.name, field.boost, std::move(bm25)});
  }
  if (!options.analyzer) options.analyzer = patent_analyzer();
  state->options = std::move(options);
  state_ = std::move(state);
}

Lucene::BooleanQueryPtr Ranker::query(std::string_view text) const {
  const bool coord = state_->options.model == RankerOptions::Model::kTfIdf &&
                     state_->options.coord == RankerOptions::Coord::kOn;
  const auto query = Lucene::newLucene<Lucene::BooleanQuery>(!coord);
  const std::wstring& any_field = state_->options.fields.front().name;
  for (const QueryTerm& term : terms_of(state_->options.analyzer, any_field, text)) {
    for (const State::Field& field : state_->fields) {
      query->add(state_->clause(field, term), Lucene::BooleanClause::SHOULD);
    }
  }
  return query;
}

}  // namespace prescope::lucenepp
