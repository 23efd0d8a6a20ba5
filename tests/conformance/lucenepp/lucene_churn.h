#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <random>
#include <string>
#include <thread>

#include <lucene++/LuceneHeaders.h>

namespace prescope::conformance {

/// A writer at work on an index, in a thread of its own, until the end: it adds, replaces and
/// deletes documents, commits, and merges segments all the time, now and then all of them into one.
/// Documents are EPnA1 and EPnB1, n < 60, each with "valve" a few times.
class LuceneChurn {
 public:
  /// Creates the index in an empty directory.
  explicit LuceneChurn(const Lucene::DirectoryPtr& directory);
  ~LuceneChurn();
  LuceneChurn(const LuceneChurn&) = delete;
  LuceneChurn& operator=(const LuceneChurn&) = delete;

  static constexpr std::uint32_t kNumbers = 60;
  [[nodiscard]] std::uint32_t commits() const noexcept { return commits_; }
  [[nodiscard]] std::uint32_t optimized() const noexcept { return optimized_; }
  /// Stops the writer. Rethrows its exception.
  void finish();

 private:
  void run();
  void change();
  void add_documents(int count);
  void delete_documents(int count);

  Lucene::IndexWriterPtr writer_;
  std::mt19937 random_{22};
  std::atomic<std::uint32_t> commits_ = 0, optimized_ = 0;
  std::atomic<bool> stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last, because it uses the members above
};

}  // namespace prescope::conformance
