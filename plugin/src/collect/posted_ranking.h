#pragma once

#include "prescope/ranking.h"
#include "replay/replay_options.h"

/// Rankings that another process served, as lines of JSON; `docs/collect.md` describes every key.
namespace prescope {

/// One line: what an engine served for one query. The texts live until the next line is read.
struct PostedRanking {
  std::string_view id{};     ///< the client's own, distinct for ever; never empty
  std::string_view visit{};  ///< shared by pages, and by rankings that are compared
  std::string_view topic{};  ///< its id, or empty
  std::string_view query{};  ///< the user's words, or empty
  std::string_view arm{};    ///< its name, or empty
  std::optional<UtcTime> served{};
  std::optional<std::chrono::nanoseconds> latency{};
  Rank first_rank = 1;
  std::optional<std::uint32_t> depth{};  ///< hits asked for from `first_rank` on
  std::optional<std::uint64_t> total{};  ///< documents that matched, or the least number of them
  RankingFlags flags = RankingFlags::kNone;
  std::optional<bool> shadow{};  ///< searched for comparison; empty: not said
  std::optional<std::vector<std::string_view>> compared{};  ///< arms that rank the visit
  std::vector<std::string_view> docnos{};                   ///< in served order
};

/// Reads one line after another. Not thread-safe.
class PostedRankingReader {
 public:
  explicit PostedRankingReader(UbiKeys ubi = {});
  ~PostedRankingReader();

  /// Returns the ranking, valid until the next call; null for the action of a bulk request, which
  /// says nothing about the document behind it. Throws Error(kBadInput) with the key, what was
  /// found and what is expected: not one JSON object, an unknown key, a value of another type or
  /// out of range, facts that contradict each other.
  const PostedRanking* read(std::string_view line);

 private:
  struct Parser;  // of simdjson, whose layout depends on the compiler's options

  UbiKeys ubi_;
  std::unique_ptr<Parser> parser_;
  PostedRanking ranking_;
};

}  // namespace prescope
