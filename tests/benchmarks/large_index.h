#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prescope/qrels.h"

#include <lucene++/LuceneHeaders.h>

namespace prescope::benchmarks {

/// 200,000 synthetic patents of 150 words in 6 segments, in memory; made once a process, in about
/// 20 s. Words follow a flattened Zipf law over 50,000, so that a query of 40 words matches about
/// 84,000 documents.
class LargeIndex {
 public:
  static constexpr std::uint32_t kDocuments = 200'000;
  static constexpr std::uint32_t kSegments = 6;
  static constexpr std::uint32_t kQueryTerms = 40;

  static LargeIndex& instance();

  [[nodiscard]] const Lucene::IndexReaderPtr& reader() const noexcept { return reader_; }
  [[nodiscard]] static std::string docno(std::uint32_t document);
  /// An OR of 40 words of one document.
  [[nodiscard]] static Lucene::QueryPtr query(std::uint32_t document);
  /// Deletes 500 documents and adds 1,000 in a new segment. `reader()` stays as it is.
  void change_overnight();

 private:
  LargeIndex();
  void add(std::uint32_t first, std::uint32_t count);

  Lucene::DirectoryPtr directory_;
  Lucene::IndexReaderPtr reader_;
  std::uint32_t next_document_ = 0;
  std::uint32_t next_deleted_ = 0;
};

/// 13,000 judgements of as many documents of LargeIndex, 26 for each of 500 topics "T0" .. "T499".
[[nodiscard]] Qrels citations();

}  // namespace prescope::benchmarks
