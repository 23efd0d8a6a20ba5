#pragma once

#include <algorithm>
#include <nlohmann/json_fwd.hpp>

#include "live/ledger/followed_slices.h"
#include "prescope/experiment_options.h"
#include "prescope/qrels.h"

namespace prescope {

class Database;

/// Returns the statements that make the tables and views of the observations of running
/// experiments, and of shipping them to fleets. `docs/formats.md` explains every column.
[[nodiscard]] std::string observation_schema();

/// Begins a SELECT from `version (position, topic)`, the topics of one version of judgements. The
/// first parameter is the version's number. A position without a row of the version has the row of
/// the nearest version before it, along `changed_from`. If a damaged store has a circle of
/// versions, reading ends after as many steps as there are versions.
inline constexpr std::string_view kTopicsOfVersion = R"sql(
WITH RECURSIVE versions (number, age) AS (
  SELECT ?1, 0
  UNION ALL
  SELECT q.changed_from, v.age + 1 FROM versions v JOIN qrels_versions q ON q.number = v.number
  WHERE q.changed_from IS NOT NULL AND v.age < (SELECT count(*) FROM qrels_versions)
), version (position, topic, age) AS (
  SELECT k.position, k.topic, min(v.age) FROM versions v JOIN qrels_topics k ON k.qrels = v.number
  GROUP BY k.position
))sql";

/// Part of an epoch's text if rankings are collapsed.
inline constexpr std::string_view kCollapsedEpoch = R"(,"collapse":true)";

/// Words in a store, in the order of their enumeration's values.
inline constexpr std::array<std::string_view, 3> kModeWords{"observe", "paired", "split"};
inline constexpr std::array<std::string_view, 2> kEpochWords{"generation", "configuration"};
inline constexpr std::array<std::string_view, 4> kShadowLatencyWords{
    "both arms", "not compared", "both arms twice", "both arms alike"};
inline constexpr std::array<std::string_view, 2> kUnjudgedWords{"counted", "each row"};
inline constexpr std::array<std::string_view, 6> kOverlapWords{
    "compared", "empty", "too shallow", "other index", "left out", "incomplete"};
inline constexpr std::array<std::string_view, 6> kChangeWords{
    "arm added", "arm paused", "arm resumed", "arm removed", "arm restarted", "judgements"};

[[nodiscard]] constexpr std::string_view word_in(std::span<const std::string_view> words,
                                                 auto value) {
  return words[static_cast<std::size_t>(value)];
}
/// `otherwise` for a word that is none of them.
template <class Value>
[[nodiscard]] constexpr Value value_in(std::span<const std::string_view> words,
                                       std::string_view word, Value otherwise) {
  const auto found = std::ranges::find(words, word);
  return found == words.end() ? otherwise : static_cast<Value>(found - words.begin());
}

// Encodings of values of varying length; `docs/formats.md` describes them too.

/// Writes for each hit the distance of its rank to the hit before (to 0 for the first) and its
/// judgement, both as varints. `hits` ascend by rank.
void write_hits(std::string& bytes, std::span<const JudgedHit> hits);
/// Returns std::nullopt if the bytes are not of this form, or a judgement is not below
/// `judgements`.
[[nodiscard]] std::optional<std::vector<JudgedHit>> read_hits(std::string_view bytes,
                                                              std::size_t judgements);

/// Varints.
void write_docids(std::string& bytes, std::span<const DocId> docids);
[[nodiscard]] std::optional<std::vector<DocId>> read_docids(std::string_view bytes);

/// Eight bytes each, the low one first.
void write_keys(std::string& bytes, std::span<const std::uint64_t> keys);
[[nodiscard]] std::optional<std::vector<std::uint64_t>> read_keys(std::string_view bytes);

// In JSON, a name is a text, or `{"hex":"4de9"}` if its bytes are not UTF-8.

void append_name(std::string& text, std::string_view name);
/// Throws nlohmann::json::exception or std::logic_error for anything but a name.
[[nodiscard]] std::string name_in(const nlohmann::json& json);

/// Returns `[["EP0971326A1",1],...]` in the order of their numbers. The key is a third element if
/// the docno policy cannot make it again.
[[nodiscard]] std::string judgements_text(const TopicQrels& topic, DocnoPolicy policy);
/// Throws Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] std::vector<Judgement> read_judgements(std::string_view text);

/// Returns `["reranked","boosted"]`.
[[nodiscard]] std::string texts_json(std::span<const std::string> own);
/// Throws Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] std::vector<std::string> read_texts(std::string_view text);

/// Returns `{"failures":0.02,...}`.
[[nodiscard]] std::string limits_text(const VerdictLimits& limits);
/// A limit that is not there has its default. Throws Error(kBadInput) that quotes the text if it is
/// of another form.
[[nodiscard]] VerdictLimits read_limits(std::string_view text);

/// Returns `[["EP1","PRES@100",0.25],...]`.
[[nodiscard]] std::string baseline_text(std::span<const BaselineScore> baseline);
/// Throws Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] std::vector<BaselineScore> read_baseline(std::string_view text);

/// `[["old",19]]`: the shares of arms, see SplitOptions.
[[nodiscard]] std::string shares_text(const ArmShares& shares);
/// Throws Error(kBadInput) for another form.
[[nodiscard]] ArmShares read_shares(std::string_view text);

/// Returns the families of several topics, as positions of their topics: `[[0,3],[4,5,9]]`. Empty
/// without a family map.
[[nodiscard]] std::string families_text(const Qrels& qrels);
/// Returns the families that a text gives to these topics; null if it is empty. Throws
/// Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] std::shared_ptr<const FamilyMap> read_families(std::string_view text,
                                                             std::span<const TopicQrels> topics);

/// Returns `{"topics":400,"looks":[0.5,0.75,1],"spending":"obrien-fleming","live_alpha":0,
/// "guardrails":[["R@100",0.02]],"same_within":0}`. Empty if nothing is asked for.
[[nodiscard]] std::string test_text(const TestOptions& test);
/// Throws Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] TestOptions read_test(std::string_view text);

/// Returns `{"sampling":0.1,"depth":100,"persistence":0.98}`. Empty if nobody asked for overlap.
[[nodiscard]] std::string overlap_text(const OverlapOptions& overlap);
/// Throws Error(kBadInput) that quotes the text if it is of another form.
[[nodiscard]] OverlapOptions read_overlap(std::string_view text);

/// Returns a sentence without a full stop if an earlier session of the experiment in this store had
/// another test than `session` has, see `test_text`; empty if none had.
[[nodiscard]] std::string earlier_plan_words(const Database& database, std::int64_t session);

/// Returns the slices, with positions of their topics:
/// `{"unjudged":[0,""],"slices":[["section","A",1,120,true,[0,3]]]}`. Empty without slices.
[[nodiscard]] std::string slices_text(const FollowedSlices& slices);
/// Throws Error(kBadInput) that quotes the text if it is of another form, or names a topic that is
/// not below `topics`.
[[nodiscard]] FollowedSlices read_followed_slices(std::string_view text, std::size_t topics);

}  // namespace prescope
