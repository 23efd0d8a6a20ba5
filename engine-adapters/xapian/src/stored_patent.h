#pragma once

#include <filesystem>
#include <memory>
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

/// Returns a writer of a new database. It writes the terms of each text field under a prefix of the
/// field (S title, XA abstract, XC claims, XD description), without positions; each IPC symbol as a
/// boolean term XIPC..; the docno as a boolean term Q.. and in value slot 0. Data: `to_data`. All
/// fields share one document length, as Xapian has one for each document. A document that is
/// refused is not in the database. Throws Error(kIo) if the folder cannot be replaced.
[[nodiscard]] std::unique_ptr<IndexBuilder> create_index(const std::filesystem::path& folder);

}  // namespace prescope::xapian
