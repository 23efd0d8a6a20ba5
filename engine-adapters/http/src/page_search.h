#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arm_options.h"

namespace prescope::http {

/// Thrown if an engine gave no ranking.
struct NoRanking {
  bool has_timed_out = false;
  std::string why{};  ///< says what came instead
};

/// The result of one search, from one answer or from several pages.
struct Found {
  std::vector<std::string> docnos{};
  std::optional<std::uint64_t> total{};
  RankingFlags flags = RankingFlags::kNone;  ///< kPartial, kRetried
  bool used_cursor = false;
  bool contradicts_total = false;  ///< there were more hits than the total says
  bool ends_unsaid = false;        ///< fewer hits came than were asked for, and no total says why
  bool hides_shards = false;       ///< the answer does not say whether every shard answered
  std::size_t served_again = 0;    ///< hits of later pages that earlier pages had
  std::chrono::steady_clock::time_point ended{};  ///< when the last answer had come
  std::chrono::nanoseconds held_back{};           ///< time in which the limits let nothing be sent

  /// Adds what a further search for the same request has met.
  void add_circumstances(const Found& of);
};

/// The wanted hits of a query.
struct Wanted {
  std::string_view query{}, topic{};
  std::uint64_t offset = 0;  ///< hits before them
  std::uint64_t hits = 0;    ///< >= 1
};

/// Searches with one arm's options on the index behind a URL. Throws NoRanking.
[[nodiscard]] Found find(const ArmOptions& options, HttpClient& client, const std::string& url,
                         const Wanted& wanted);

}  // namespace prescope::http
