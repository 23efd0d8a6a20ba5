#pragma once

#include <memory>
#include <optional>
#include <string>

#include "serve/nights.h"
#include "serve/source.h"

namespace prescope::serve {

/// What /api/summary gives, made once for each picture. Not thread-safe.
class SummaryDocument {
 public:
  /// The same pointer while it says the same.
  [[nodiscard]] std::shared_ptr<const std::string> text(Source& source,
                                                        std::optional<Nights>& nights);

 private:
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const Summary> of_;
  bool has_history_ = false;
};

}  // namespace prescope::serve
