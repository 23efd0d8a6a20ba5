#pragma once

#include <simdjson.h>

#include "prescope/ranking.h"

/// Answers of search engines as they send them; `docs/collect.md` says which keys are read.
namespace prescope {

/// The longest latency of a search, an hour.
inline constexpr std::uint64_t kLongestLatencyMs = 3'600'000;

/// The ranking in an engine's answer. The texts live as long as the answer.
struct EngineAnswer {
  std::vector<std::string_view> docnos{};
  std::optional<std::chrono::nanoseconds> took{};  ///< by the engine's own clock
  std::optional<std::uint64_t> total{};
  bool is_total_least = false;       ///< at least `total` documents matched
  std::optional<Rank> first_rank{};  ///< if the answer says it
  RankingFlags flags = RankingFlags::kNone;
};

/// Reads an answer with hits at `hits.hits`, `response.docs` or `root.children`; the
/// documentation says which engines send these. `docno_field`: the field of a hit that holds its
/// docno, if not its id. Throws Error(kBadInput) if it has none of these, or a hit has no docno.
[[nodiscard]] EngineAnswer read_engine_answer(const simdjson::dom::object& answer,
                                              std::string_view docno_field = {});

}  // namespace prescope
