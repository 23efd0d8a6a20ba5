#pragma once

#include <lucene++/Lucene.h>

#include <lucene++/Analyzer.h>

namespace prescope::lucenepp {

/// The analyzer of indexes that `prescope index` makes: runs of letters and digits, lower case,
/// without English stop words, stemmed (Porter). Thread-safe.
[[nodiscard]] Lucene::AnalyzerPtr patent_analyzer();

}  // namespace prescope::lucenepp
