#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lucene++/LuceneHeaders.h>

namespace prescope::conformance {

struct Doc {
  std::string docno;
  std::string text;
};

/// A Lucene++ index in memory whose segments stay as they were written.
class LuceneIndex {
 public:
  LuceneIndex() = default;
  explicit LuceneIndex(const std::vector<Doc>& docs) { add(docs); }

  /// Adds one segment.
  void add(const std::vector<Doc>& docs);
  void remove(const std::string& docno);
  void undelete_all();
  /// Merges everything into one segment, which renumbers the documents.
  void optimize();
  [[nodiscard]] Lucene::IndexReaderPtr open() const;

 private:
  [[nodiscard]] Lucene::IndexWriterPtr writer();

  Lucene::RAMDirectoryPtr directory_ = Lucene::newLucene<Lucene::RAMDirectory>();
  bool created_ = false;
};

/// Documents EP1..EPn, n <= 8, each of 8 words, EPi with the word "valve" i times: for the query
/// "valve" tf-idf is sqrt(i) times a constant, so they are served EPn, ..., EP2, EP1.
[[nodiscard]] std::vector<Doc> valves(std::uint32_t n);

/// text:term
[[nodiscard]] Lucene::QueryPtr term_query(const std::wstring& term);

struct ServedHit {
  std::int32_t docid;
  double score;
  friend bool operator==(const ServedHit&, const ServedHit&) = default;
};
[[nodiscard]] std::vector<ServedHit> hits_of(const Lucene::TopDocs& served);

}  // namespace prescope::conformance
