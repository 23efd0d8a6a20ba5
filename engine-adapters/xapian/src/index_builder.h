#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "prescope/engine.h"
#include "prescope/pending_folder.h"

#include <xapian.h>

namespace prescope::xapian {

/// Writes patents into a new database: the terms of each text field under a prefix of the field
/// (S title, XA abstract, XC claims, XD description), without positions; each IPC symbol as a
/// boolean term XIPC..; the docno as a boolean term Q.. and in value slot 0. Data: `to_data`. All
/// fields share one document length, as Xapian has one for each document.
class XapianIndexBuilder : public IndexBuilder {
 public:
  /// Throws Error(kIo) if the folder cannot be replaced, Error(kEngine).
  explicit XapianIndexBuilder(const std::filesystem::path& folder);

  /// Throws Error(kBadInput) for a docno that is empty or too long to be a term, and for invalid
  /// UTF-8; Error(kEngine). A document that is refused is not in the database.
  void add(const PatentDocument& document) override;
  std::uint64_t finish() override;

 private:
  [[nodiscard]] Xapian::WritableDatabase& writer();

  PendingFolder pending_;
  std::optional<Xapian::WritableDatabase> writer_;  // std::nullopt once finished
  Xapian::TermGenerator generator_;
  std::size_t uncommitted_bytes_ = 0;
};

}  // namespace prescope::xapian
