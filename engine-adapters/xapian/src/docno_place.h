#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/resolved_qrels.h"
#include "prescope/xapian/observed_index.h"

namespace prescope::xapian {

/// The place of the docnos of a database in one state.
enum class DocnoSource {
  kTerms,    ///< in terms with the prefix
  kSlot,     ///< in the value slot
  kNowhere,  ///< there are no documents
};

/// Throws Error(kEngine) naming prefix and slot if there are documents but no docnos. Exceptions of
/// Xapian pass through, here and below.
[[nodiscard]] DocnoSource docno_source(const Xapian::Database& database,
                                       const ObservedIndexOptions& place);

/// Calls `take` with the docno of each docno term, ascending, each once.
void for_each_docno_term(const Xapian::Database& database, const std::string& prefix,
                         const std::function<void(std::string_view docno)>& take);
/// Calls `take` for each document that has a value in the slot.
void for_each_docno_value(
    const Xapian::Database& database, Xapian::valueno slot,
    const std::function<void(std::string_view docno, Xapian::docid docid)>& take);

/// Returns the docno of a document, or an empty text. If there are several, the first that
/// `is_wanted`, or else the first of all. Throws if a writer has overtaken the database.
[[nodiscard]] std::string docno_of(const Xapian::Database& database, Xapian::docid docid,
                                   const ObservedIndexOptions& place,
                                   const std::function<bool(std::string_view docno)>& is_wanted);

/// Returns the judged documents of a database, in any order. Of those that `known` was made for, an
/// earlier table of the same state, none is looked up again; null if there is none. Throws
/// Error(kEngine) if there are documents but no docnos; exceptions of Xapian pass through.
[[nodiscard]] std::vector<Resolution> find_judged(const Xapian::Database& database,
                                                  const ObservedIndexOptions& place,
                                                  const JudgedDocnos& judged,
                                                  const ResolvedQrels* known);

}  // namespace prescope::xapian
