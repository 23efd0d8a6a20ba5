#pragma once

#include "conformance/subject.h"

namespace prescope::conformance {

/// One index, searched by an ObservedSearcher.
[[nodiscard]] std::unique_ptr<Subject> lucene_single();
/// Two indexes, searched in turn by a MultiSearcher inside an ObservedMultiSearcher.
[[nodiscard]] std::unique_ptr<Subject> lucene_multi();
/// The same two, searched at once by a ParallelMultiSearcher.
[[nodiscard]] std::unique_ptr<Subject> lucene_parallel();

}  // namespace prescope::conformance
