#pragma once

#include <string>
#include <string_view>

namespace prescope {

/// The data of a stand-alone page; `docs/http.md` describes it. The documents are JSON as the
/// commands write it; empty: none.
struct PageData {
  std::string_view kind;      ///< "replay", "compare", "gate", "history"
  std::string_view title;     ///< any text
  std::string_view document;  ///< the same as with --json
  std::string_view sweep{};   ///< only for a replay: measures against the cutoff
  std::string_view topics{};  ///< only for a replay: an array of topics with their citations
};

/// Returns one JSON object on one line; invalid UTF-8 in the title is replaced. Not yet fit for a
/// script element: "<" is not escaped.
[[nodiscard]] std::string to_json(const PageData& data);

}  // namespace prescope
