#pragma once

#include <string>

namespace prescope::lucenepp {

struct ObservedIndexOptions {
  /// An indexed field that holds each document's docno as one term (NOT_ANALYZED).
  std::wstring docno_field = L"docno";
};

}  // namespace prescope::lucenepp
