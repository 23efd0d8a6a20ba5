#pragma once

#include "prescope/docno.h"

namespace prescope {

/// Families of documents that are asked for one by one. Any thread.
class FamilySource {
 public:
  virtual ~FamilySource() = default;
  /// Returns `family:NAME` of a key of DocnoPolicy::kPatent as a view into `buffer`; empty if the
  /// document is alone. A FamilyMap of the same documents gives them the same names.
  [[nodiscard]] virtual std::string_view find(std::string_view patent_key,
                                              DocnoBuffer& buffer) const noexcept = 0;
};

}  // namespace prescope
