#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "support/child_process.h"

namespace prescope::testing {

/// A real Lucene 8 index on a free port of this machine, which answers as OpenSearch
/// (/INDEX/_search), Elasticsearch (/elasticsearch/INDEX/_search), Solr (/solr/INDEX/select), Vespa
/// (/vespa/INDEX/search/) and a company's own service (/plain/INDEX) do. INDEX is a way to rank:
/// "bm25", "tfidf" or "lmd". The server ends with this object, and also if the test
/// dies.
class LuceneFront {
 public:
  /// Returns an empty string if the server can run here, else the reason, for GTEST_SKIP.
  [[nodiscard]] static std::string why_not();

  /// Indexes the first `limit` patents of a file of JSON lines, which may end in ".gz", or all of
  /// them, and waits until the server listens: 3 to 4 seconds for 12,000 abstracts.
  /// Throws std::runtime_error with its output if it does not start.
  explicit LuceneFront(const std::filesystem::path& patents,
                       std::optional<std::size_t> limit = std::nullopt);

  /// Returns "http://127.0.0.1:PORT".
  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  /// Lets the next `times` requests fail, instead of those that an earlier call asked for. The
  /// names are in LuceneFront.java (Front); 0 times ends a fault. Throws std::runtime_error if
  /// there is no such fault.
  void set_fault(const std::string& name, std::size_t times) const;
  /// Returns {"searches": N, "faults": N, "most_at_once": N, "authorization": TEXT}: the searches
  /// and faults so far, the largest number of requests that were being answered at the same time,
  /// and the header of the last request.
  [[nodiscard]] nlohmann::json counters() const;

 private:
  ChildProcess process_;
  std::string url_;
};

}  // namespace prescope::testing
