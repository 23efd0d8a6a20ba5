#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation_record.h"

namespace prescope {

/// The ranks at which a topic's relevant documents were served, as a JSON object: `{"EP1":3}`.
/// Throws Error(kUsage) for a docno that is not UTF-8.
[[nodiscard]] std::string found_text(const std::vector<EvaluationRecord::Found>& found);

/// Reads what `found_text` wrote. Keeps its buffers from text to text.
class FoundReader {
 public:
  FoundReader();
  ~FoundReader();
  FoundReader(const FoundReader&) = delete;
  FoundReader& operator=(const FoundReader&) = delete;

  /// False for a text that `found_text` does not write; `found` is of no use then.
  bool read(std::string_view text, std::vector<EvaluationRecord::Found>& found);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace prescope
