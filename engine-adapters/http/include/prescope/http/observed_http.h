#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/engine.h"

namespace prescope::http {

/// A host's request for one ranking.
struct Request {
  std::string_view text{};     ///< the query, UTF-8
  std::string_view topic{};    ///< for requests with {{TOPIC}}
  std::uint32_t depth = 1000;  ///< hits from `first_rank` on, >= 1
  Rank first_rank = 1;         ///< >= 1, counted without excluded documents
  /// Leaves out docnos that have the key of one of these under the experiment's docno policy.
  std::span<const Docno> exclude{};
};

/// The answer of an engine.
struct Answer {
  std::vector<std::string> docnos{};     ///< in served order, at most as many as were asked for
  std::optional<std::uint64_t> total{};  ///< documents that matched, or the least number of them
  RankingFlags flags = RankingFlags::kNone;  ///< kPartial, kRetried
};

/// One arm of an engine that is asked over HTTP. Thread-safe; copies share connections.
class HttpSearcher {
 public:
  /// Asks the engine, and shows its answer to the experiment once, under the QueryScope of the
  /// calling thread. The latency ends with the last byte of the answer. Throws Error(kEngine) if
  /// there is no ranking, and Error(kUsage) for a depth or first rank of 0; both are observed as
  /// failed searches, a timeout as a search that timed out.
  [[nodiscard]] Answer search(const Request& request) const;

  /// Returns sentences about what the searches so far have met: pages that the engine ordered in
  /// another way, totals that contradict the hits, requests that were repeated, no hits at all.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  friend class ObservedHttp;
  struct State;
  explicit HttpSearcher(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// An index behind a URL. Its rankings are docnos, so that judgements need not be resolved.
/// Thread-safe.
class ObservedHttp {
 public:
  /// Asks nothing yet. Throws Error(kUsage) for a URL that is not http:// or https://, and for one
  /// that contains a user or a password. The experiment must outlive this object and every
  /// searcher.
  ObservedHttp(std::string url, Experiment& experiment);
  ~ObservedHttp();

  /// Returns a searcher for the arm of this name. `docs/http-engines.md` describes the settings.
  /// Throws Error(kUsage) with all complaints about the settings: unknown or unreadable values,
  /// secrets that cannot be read, fields that the index does not have.
  [[nodiscard]] HttpSearcher searcher(const ArmConfig& arm);

  /// Returns the number of documents as the engine counts them now; 0 if it cannot be asked.
  [[nodiscard]] std::uint64_t num_documents() const;
  /// Returns the server's name and version, such as "opensearch 2.11.1"; empty if it says none.
  [[nodiscard]] std::string server() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns a line for each setting of an arm.
[[nodiscard]] std::span<const std::string_view> arm_settings() noexcept;

}  // namespace prescope::http
