#include "text.h"

#include <lucene++/StringUtils.h>

namespace prescope::lucenepp {

std::wstring to_wide(std::string_view utf8) {
  std::wstring wide = Lucene::StringUtils::toUnicode(reinterpret_cast<const uint8_t*>(utf8.data()),
                                                     static_cast<int32_t>(utf8.size()));
  if (wide.empty() && !utf8.empty()) {
    throw Error(ErrorCode::kBadInput,
                "a text of " + std::to_string(utf8.size()) + " bytes is not valid UTF-8");
  }
  return wide;
}

std::string to_utf8(const std::wstring& wide) { return Lucene::StringUtils::toUTF8(wide); }

std::string message(const Lucene::LuceneException& failure) {
  const std::string said = to_utf8(failure.getError());
  return said.empty() ? failure.what() : said;
}

}  // namespace prescope::lucenepp
