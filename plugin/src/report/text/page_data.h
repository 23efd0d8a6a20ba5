#pragma once

#include <string>
#include <string_view>

namespace prescope {

/// What a page that stands by itself shows: `docs/http.md`, "A page that stands by itself". The
/// documents are JSON as the commands write it; empty: none.
struct PageData {
  std::string_view kind;      ///< "replay", "compare", "gate", "history"
  std::string_view title;     ///< any text
  std::string_view document;  ///< what the command writes with --json
  std::string_view sweep{};   ///< of a replay: measures against the cutoff
  std::string_view topics{};  ///< of a replay: an array, a topic each, citation by citation
};

/// One JSON object on one line; bytes of the title that are no UTF-8 are replaced. Not yet fit for
/// a script element: "<" stays as it is.
[[nodiscard]] std::string to_json(const PageData& data);

}  // namespace prescope
