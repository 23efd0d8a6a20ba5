#pragma once

#include <filesystem>
#include <vector>

#include "corpus.h"
#include "quickstart/random.h"

#include <lucene++/LuceneHeaders.h>

namespace live_ab {

inline constexpr const wchar_t* kDocnoField = L"docno";
inline constexpr const wchar_t* kTitleField = L"title";
inline constexpr const wchar_t* kTextField = L"text";

/// A Lucene++ index of the patents in a folder of its own, and its writer. For one thread, except
/// `open`.
class PatentIndex {
 public:
  /// Indexes nine patents of ten. `patents` must outlive this object.
  PatentIndex(const std::vector<Patent>& patents, std::uint64_t seed);
  /// Removes the folder.
  ~PatentIndex();
  PatentIndex(const PatentIndex&) = delete;
  PatentIndex& operator=(const PatentIndex&) = delete;

  [[nodiscard]] Lucene::IndexReaderPtr open() const;
  /// Replaces, deletes and adds some patents and commits; this sometimes merges segments.
  void change();

 private:
  void add(std::size_t patent);
  void remove(std::size_t patent);

  const std::vector<Patent>& patents_;
  quickstart::Random random_;
  std::filesystem::path folder_;
  Lucene::DirectoryPtr directory_;
  Lucene::IndexWriterPtr writer_;
  std::vector<bool> indexed_;  // by patent
  std::uint32_t changes_ = 0;
};

}  // namespace live_ab
