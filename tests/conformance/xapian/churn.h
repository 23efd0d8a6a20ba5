#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>

#include "conformance/xapian/database_folder.h"

namespace prescope::conformance {

/// A writer at work on a database, in a thread of its own, until the end: it adds, deletes and
/// replaces documents, gives docids to other documents, commits, and now and then puts a compacted
/// copy with other docids in the place of the database. Documents are EPnA1 and EPnB1, n < 60, each
/// with "valve" a few times, as a plain term and as one of an abstract.
class Churn {
 public:
  explicit Churn(std::filesystem::path database);
  ~Churn();
  Churn(const Churn&) = delete;
  Churn& operator=(const Churn&) = delete;

  static constexpr std::uint32_t kNumbers = 60;
  /// Returns one of the 2000 other words of documents.
  [[nodiscard]] static std::string word(std::uint64_t number);
  /// A database as the writer finds it.
  static void make(const std::filesystem::path& database);
  [[nodiscard]] std::uint64_t swaps() const noexcept { return swaps_; }

 private:
  void run();
  void commit_something();
  void change(Xapian::WritableDatabase& database);
  void swap();

  std::filesystem::path database_;
  std::mt19937 random_{20};
  std::atomic<std::uint64_t> swaps_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;  // last, because it uses the members above
};

}  // namespace prescope::conformance
