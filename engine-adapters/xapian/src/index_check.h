#pragma once

#include <string>
#include <vector>

#include "prescope/xapian/ranker.h"

namespace prescope::xapian {

/// Returns how texts become terms, in words.
[[nodiscard]] std::string analyzer_name(const std::string& stemmer);

/// Returns the passport that `create_index` recorded; of any other database, the fields that it has
/// terms of. Exceptions of Xapian pass through, here and below.
[[nodiscard]] IndexPassport passport_of(const Xapian::Database& database);

/// Returns a hash of the terms of a document, except its docno, and of how often each occurs.
[[nodiscard]] std::uint64_t digest_of_terms(const Xapian::Document& document);

/// Compares an arm's settings with the database. Returns a sentence for each that the database
/// honours only in part or that cannot be compared. Throws Error(kUsage) for all that it cannot
/// honour at all.
[[nodiscard]] std::vector<std::string> check_settings(const Xapian::Database& database,
                                                      const ArmConfig& arm,
                                                      const RankerOptions& options);

}  // namespace prescope::xapian
