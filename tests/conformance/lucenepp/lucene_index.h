#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/subject.h"
#include "prescope/resolved_qrels.h"
#include "support/scratch_file.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/DefaultSimilarity.h>

namespace prescope::conformance {

/// A Lucene++ index in a folder of its own, whose segments stay as they were written.
class LuceneIndex {
 public:
  LuceneIndex();
  explicit LuceneIndex(const std::vector<Doc>& docs) : LuceneIndex() { add(docs); }

  /// Adds one segment.
  void add(const std::vector<Doc>& docs);
  void remove(const std::string& docno);
  void undelete_all();
  /// Starts again from `docs`, with docnos that are stored, but not indexed, from now on.
  void rewrite_without_docno_terms(const std::vector<Doc>& docs);
  /// Merges everything into one segment, which renumbers the documents.
  void optimize();
  [[nodiscard]] Lucene::IndexReaderPtr open() const;
  [[nodiscard]] const Lucene::DirectoryPtr& directory() const noexcept { return directory_; }

 private:
  [[nodiscard]] Lucene::IndexWriterPtr writer();

  std::shared_ptr<const ScratchFolder> folder_;
  Lucene::DirectoryPtr directory_;
  bool created_ = false;
  bool docno_terms_ = true;
};

/// text:term
[[nodiscard]] Lucene::QueryPtr term_query(const std::wstring& term);

/// Scores by which words a document has, not by how often it has them.
class WithoutFrequencies : public Lucene::DefaultSimilarity {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  LUCENE_CLASS(WithoutFrequencies)
  using Lucene::DefaultSimilarity::tf;
  double tf(double freq) override { return freq > 0.0 ? 1.0 : 0.0; }
};

/// One hit as Lucene++ serves it.
struct ScoredDocid {
  std::int32_t docid;
  double score;
  friend bool operator==(const ScoredDocid&, const ScoredDocid&) = default;
};
/// The score is 0 if a sorted search computed none.
[[nodiscard]] std::vector<ScoredDocid> hits_of(const Lucene::TopDocs& served);

/// Compares a table with a brute-force look-up of the stored docno of each live document, by its
/// docid in a MultiSearcher over the readers.
void expect_complete_table(const std::shared_ptr<const ResolvedQrels>& resolved,
                           const std::vector<Lucene::IndexReaderPtr>& readers,
                           const JudgedDocnos& judged);

}  // namespace prescope::conformance
