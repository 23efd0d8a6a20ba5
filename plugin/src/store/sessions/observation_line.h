#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nightly/evaluation_record.h"
#include "prescope/experiment_options.h"
#include "prescope/measure.h"
#include "prescope/observation.h"
#include "prescope/observation_log.h"
#include "prescope/qrels.h"

/// The words that stand in a store for what an experiment was asked for and what became of it.
namespace prescope {

template <class Value, std::size_t n>
using Words = std::array<std::pair<Value, std::string_view>, n>;

inline constexpr Words<Mode, 3> kModeWords{
    {{Mode::kObserve, "observe"}, {Mode::kPaired, "paired"}, {Mode::kSplit, "split"}}};
inline constexpr Words<EpochRule, 2> kEpochWords{
    {{EpochRule::kGeneration, "generation"}, {EpochRule::kConfiguration, "configuration"}}};
inline constexpr Words<ShadowOptions::Latency, 2> kShadowLatencyWords{
    {{ShadowOptions::Latency::kBothArms, "both arms"},
     {ShadowOptions::Latency::kNotCompared, "not compared"}}};
inline constexpr Words<StoreLogOptions::Unjudged, 2> kUnjudgedWords{
    {{StoreLogOptions::Unjudged::kCounted, "counted"},
     {StoreLogOptions::Unjudged::kEachRow, "each row"}}};
inline constexpr Words<ExperimentChange::Kind, 6> kChangeWords{
    {{ExperimentChange::Kind::kArmAdded, "arm added"},
     {ExperimentChange::Kind::kArmPaused, "arm paused"},
     {ExperimentChange::Kind::kArmResumed, "arm resumed"},
     {ExperimentChange::Kind::kArmRemoved, "arm removed"},
     {ExperimentChange::Kind::kArmRestarted, "arm restarted"},
     {ExperimentChange::Kind::kJudgements, "judgements"}}};

template <class Value, std::size_t n>
[[nodiscard]] constexpr std::string_view word_in(const Words<Value, n>& words, Value value) {
  for (const auto& [one, word] : words) {
    if (one == value) return word;
  }
  return "";
}
/// Nothing for a word that is none of them.
template <class Value, std::size_t n>
[[nodiscard]] constexpr std::optional<Value> value_in(const Words<Value, n>& words,
                                                      std::string_view word) {
  for (const auto& [value, one] : words) {
    if (one == word) return value;
  }
  return std::nullopt;
}

constexpr std::string_view word_of(Mode mode) { return word_in(kModeWords, mode); }
constexpr std::string_view word_of(EpochRule rule) { return word_in(kEpochWords, rule); }
constexpr std::string_view word_of(ShadowOptions::Latency latency) {
  return word_in(kShadowLatencyWords, latency);
}
constexpr std::string_view word_of(StoreLogOptions::Unjudged unjudged) {
  return word_in(kUnjudgedWords, unjudged);
}
constexpr std::string_view word_of(ExperimentChange::Kind kind) {
  return word_in(kChangeWords, kind);
}

/// One observation with the names of what it counts by number. Non-owning.
struct ObservationLine {
  UtcTime time{};
  std::string_view experiment{}, arm{};
  const TopicQrels* topic = nullptr;  ///< null: an unjudged query
  const Observation* observation = nullptr;
  std::span<const Rank> relevant{};  ///< ranks of relevant documents
  std::span<const Measure> measures{};
  std::span<const std::optional<double>> scores{};  ///< by measure
};

/// The names of the flags that are set, in the order of their bits.
[[nodiscard]] std::vector<std::string_view> flag_names(RankingFlags flags);

/// Milliseconds; nothing where the latency is unknown.
[[nodiscard]] std::optional<double> latency_ms(const Observation& observation) noexcept;

/// One JSON object and a line feed; `docs/live.md` has its keys.
void append_json_line(std::string& out, const ObservationLine& line);

}  // namespace prescope
