#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "corpus.h"
#include "prescope/experiment.h"

namespace live_ab {

inline constexpr std::uint32_t kDepth = 1000;

/// The arms that are compared: Lucene's own similarity, and BM25.
inline constexpr const char* kArms[] = {"tfidf", "bm25"};

/// The fields that the arm "bm25" searches.
enum class Bm25 {
  kTitlesAndTexts,  ///< as "tfidf" does
  kTitlesOnly,      ///< as after a mistake in its configuration, which makes it much worse
};

/// One state of the index, with a searcher for each arm. Immutable, thread-safe.
class Snapshot {
 public:
  struct Arms;
  explicit Snapshot(std::unique_ptr<const Arms> arms);
  ~Snapshot();

  /// Searches 1000 deep, observed under the QueryScope of the calling thread. The number of hits.
  std::uint32_t search(prescope::ArmIndex arm, std::string_view text) const;
  /// Searches with a searcher that does not use prescope.
  std::uint32_t search_plain(prescope::ArmIndex arm, std::string_view text) const;
  /// The same, and then calls `timed` with a function that shows prescope the ranking.
  std::uint32_t search_and_show(
      prescope::ArmIndex arm, std::string_view text,
      const std::function<void(const std::function<void()>&)>& timed) const;
  /// The docnos that `search_plain` serves, read from the index.
  [[nodiscard]] std::vector<std::string> docnos(prescope::ArmIndex arm,
                                                std::string_view text) const;
  [[nodiscard]] std::uint64_t generation() const noexcept;

 private:
  std::unique_ptr<const Arms> arms_;
};

/// An index of patents that a writer changes and a second thread reopens, while it is searched.
class SearchServer {
 public:
  /// `corpus` and `experiment` must outlive this object and every snapshot.
  SearchServer(const Corpus& corpus, std::uint64_t seed, prescope::Experiment& experiment,
               Bm25 bm25 = Bm25::kTitlesAndTexts);
  ~SearchServer();

  /// The latest. Thread-safe.
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  /// Changes the index from now on, until `stop`.
  void start_changing();
  /// Throws the error that ended the writer or the refresher early.
  void stop();
  /// States of the index that were served.
  [[nodiscard]] std::uint32_t generations() const noexcept;

 private:
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace live_ab
