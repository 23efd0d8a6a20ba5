#pragma once

#include <string>
#include <string_view>

#include "prescope/engine.h"

namespace prescope::xapian {

/// Returns the data of a document of `prescope index`: a JSON object of docno, title, abstract, ipc
/// and family. Throws Error(kBadInput) for invalid UTF-8.
[[nodiscard]] std::string to_data(const PatentDocument& patent);

/// The inverse. Data of another kind, of a database that prescope did not make, becomes a patent
/// without fields; the docno is `docno` unless the data has another.
[[nodiscard]] PatentDocument from_data(std::string_view data, std::string_view docno);

}  // namespace prescope::xapian
