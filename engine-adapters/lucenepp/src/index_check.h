#pragma once

#include <string>
#include <vector>

#include "prescope/lucenepp/ranker.h"

namespace prescope::lucenepp {

/// Returns the passport that `create_index` recorded; of any other index, the fields that it has.
/// Exceptions of Lucene++ pass through, here and below.
[[nodiscard]] IndexPassport passport_of(const Lucene::IndexReaderPtr& reader);

/// Compares an arm's settings with the index. Returns a sentence for each that the index honours
/// only in part or that cannot be compared. Throws Error(kUsage) for all that it cannot honour at
/// all.
[[nodiscard]] std::vector<std::string> check_settings(const Lucene::IndexReaderPtr& reader,
                                                      const ArmConfig& arm,
                                                      const RankerOptions& options);

}  // namespace prescope::lucenepp
