#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lucene++/LuceneHeaders.h>

namespace prescope::lucenepp {

/// A segment of one or more readers, and the docid of its first document among all readers.
struct Leaf {
  Lucene::IndexReaderPtr reader;
  std::uint32_t base = 0;
};

/// Returns the segments of a reader, with the order and docids of an IndexSearcher.
[[nodiscard]] std::vector<Leaf> leaves_of(const Lucene::IndexReaderPtr& reader);
/// Returns the segments of several readers, with the docids of a MultiSearcher over them.
[[nodiscard]] std::vector<Leaf> leaves_of(std::span<const Lucene::IndexReaderPtr> readers);

/// Throws Error(kEngine) if there are documents and no segment has the field indexed.
void require_field(const std::vector<Leaf>& leaves, const std::wstring& field);

/// The docnos of one segment, each with the documents that carry it. Deleted documents are left
/// out; exceptions of Lucene++ pass through.
class DocnoTerms {
 public:
  DocnoTerms(Lucene::IndexReaderPtr leaf, std::wstring field);

  /// Moves to the next docno, the first one at first; false after the last.
  bool next();
  /// UTF-8, valid until the next call of `next`.
  [[nodiscard]] std::string_view docno() const noexcept { return docno_; }
  /// Docids within the segment, ascending; valid until the next call.
  [[nodiscard]] const std::vector<std::int32_t>& documents();

 private:
  Lucene::IndexReaderPtr leaf_;  // its TermDocs refer to it weakly
  std::wstring field_;
  Lucene::TermEnumPtr terms_;
  Lucene::TermDocsPtr postings_;
  bool started_ = false;
  std::array<char, 256> ascii_{};
  std::string utf8_;
  std::string_view docno_;
  std::vector<std::int32_t> documents_;
};

}  // namespace prescope::lucenepp
