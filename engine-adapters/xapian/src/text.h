#pragma once

#include <string>
#include <string_view>

#include "prescope/error.h"

#include <xapian.h>

namespace prescope::xapian {

/// Runs `work`; turns exceptions of Xapian into an Error(kEngine) that begins with `place`.
template <class Work>
decltype(auto) in_engine(std::string_view place, Work&& work) {
  try {
    return work();
  } catch (const Xapian::Error& failure) {
    std::string message(place);
    message += ": Xapian failed: ";
    message += failure.get_description();
    throw Error(ErrorCode::kEngine, message);
  }
}

/// Throws Error(kBadInput) for invalid UTF-8, which Xapian would index as Latin-1.
void require_utf8(std::string_view text);

}  // namespace prescope::xapian
