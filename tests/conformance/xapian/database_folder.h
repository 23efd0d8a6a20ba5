#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/subject.h"
#include "prescope/xapian/observed_index.h"
#include "support/scratch_file.h"

#include <xapian.h>

namespace prescope::conformance {

/// The place of a document's docno, in addition to its data.
enum class DocnoIn { kTermAndSlot, kSlot, kTerm, kNowhere };

/// A document of one term for each word.
[[nodiscard]] Xapian::Document to_xapian(const Doc& doc, DocnoIn place = DocnoIn::kTermAndSlot);

/// Copies every document, so that docids become dense, and puts the compacted copy in the place of
/// the database, as `xapian-compact` and two renames do.
void compact_renumbered(const std::filesystem::path& database);

/// Xapian databases, one in each subfolder, among which documents are dealt in turn.
class DatabaseFolder {
 public:
  explicit DatabaseFolder(std::size_t shards = 1);

  /// Each call is one commit of each shard.
  void add(const std::vector<Doc>& docs);
  void remove(const std::string& docno);
  /// Each shard, renumbered.
  void compact();
  /// Removes the docnos from their present places; new documents have theirs `in`.
  void move_docnos(DocnoIn in);

  [[nodiscard]] std::filesystem::path shard(std::size_t number) const;
  [[nodiscard]] std::size_t shards() const noexcept { return shards_; }
  [[nodiscard]] std::vector<Xapian::Database> open() const;

 private:
  ScratchFolder folder_;
  std::size_t shards_;
  std::size_t next_ = 0;
  DocnoIn docno_in_ = DocnoIn::kTermAndSlot;
};

/// A host's index of the folder's shards, opened at each call.
[[nodiscard]] inline xapian::ObservedIndex index_of(const DatabaseFolder& folder,
                                                    Experiment& experiment) {
  return xapian::ObservedIndex([&folder] { return folder.open(); }, experiment);
}

}  // namespace prescope::conformance
