#include "text.h"

#include <nlohmann/json.hpp>

namespace prescope::xapian {

void require_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
  } catch (const nlohmann::json::type_error&) {
    throw Error(ErrorCode::kBadInput,
                "a text of " + std::to_string(text.size()) + " bytes is not valid UTF-8");
  }
}

}  // namespace prescope::xapian
