#pragma once

#include <string>
#include <string_view>

#include "prescope/error.h"

#include <lucene++/Lucene.h>

#include <lucene++/LuceneException.h>

namespace prescope::lucenepp {

/// Throws Error(kBadInput) for invalid UTF-8, which Lucene++ would silently make an empty string.
[[nodiscard]] std::wstring to_wide(std::string_view utf8);
[[nodiscard]] std::string to_utf8(const std::wstring& wide);
/// Returns the exception's message.
[[nodiscard]] std::string message(const Lucene::LuceneException& failure);

/// Runs `work`; turns exceptions of Lucene++ into an Error(kEngine) that begins with `place`.
template <class Work>
decltype(auto) in_engine(std::string_view place, Work&& work) {
  try {
    return work();
  } catch (const Lucene::LuceneException& failure) {
    throw Error(ErrorCode::kEngine, std::string(place) + ": Lucene++ failed: " + message(failure));
  }
}

}  // namespace prescope::lucenepp
