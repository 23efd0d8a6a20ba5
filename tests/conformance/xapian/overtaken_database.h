#pragma once

#include "conformance/xapian/database_folder.h"

namespace prescope::conformance {

/// A database whose readers fall behind: it has so many blocks that Xapian cannot keep them, and is
/// written to until a reader has noticed.
class OvertakenDatabase {
 public:
  static constexpr std::uint32_t kDocuments = 600;

  /// D0 .. D599 match "valve", each as often as all others.
  OvertakenDatabase();

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "database"; }
  [[nodiscard]] Xapian::Database open() const { return Xapian::Database(path().string()); }
  /// Deletes D0, adds documents that do not match, and commits, until a search for "valve", and
  /// reading a document, throw for a handle opened before this call. Returns the exception of that
  /// search.
  std::string overtake();

 private:
  void commit_other_documents();

  ScratchFolder folder_;
};

/// The documents that match "valve", in served order.
[[nodiscard]] Xapian::MSet search_valve(const Xapian::Database& database);

}  // namespace prescope::conformance
