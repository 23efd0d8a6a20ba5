#pragma once

#include <fmt/format.h>

#include "facts/observation_fields.h"
#include "facts/observation_rules.h"
#include "store/sessions/observation_reader.h"

namespace prescope {

/// Returns the docnos of the relevant documents served, best rank first; empty for an unjudged
/// query.
[[nodiscard]] std::vector<std::string_view> relevant_docnos(const StoredObservation& one);

/// Returns milliseconds; std::nullopt if the latency is unknown.
[[nodiscard]] std::optional<double> latency_ms(const Observation& observation) noexcept;

/// A value that an observation does not have, such as the ranks of an unjudged query. JSON leaves
/// it out; in CSV its cell is empty.
struct NoValue {};

/// Calls `add` with the name of a field in logs and its value there.
template <class Value, class Add>
void add_to_log(const ObservationField<Value>& field, const StoredObservation& one,
                const Add& add) {
  const Value& value = one.observation.*field.member;
  if constexpr (std::is_same_v<Value, std::chrono::nanoseconds>) {
    const bool is_known = field.member != &Observation::latency || has_latency(one.observation);
    const double in_unit = static_cast<double>(value.count()) / field.unit_in_logs;
    add(field.name_in_logs, is_known ? std::optional(in_unit) : std::nullopt);
  } else if constexpr (std::is_same_v<Value, RankingFlags>) {
    add(field.name_in_logs, flag_names(value));
  } else if constexpr (std::is_same_v<Value, Stage>) {
    add(field.name_in_logs, one.stage);
  } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
    const bool is_identifier =
        field.member == &Observation::visit_key || field.member == &Observation::request_id;
    if (!is_identifier) return add(field.name_in_logs, value);
    if (value == 0) return add(field.name_in_logs, NoValue());
    add(field.name_in_logs, fmt::format("{:016x}", value));  // JSON's readers keep fewer digits
  } else {
    add(field.name_in_logs, value);
  }
}

/// Calls `add` with the name and the value of each column of a log, in the order of the columns.
/// Values are texts, numbers, truth values, lists, optional numbers that may be unknown, and
/// NoValue. `scores` belong to this observation, and are null for an unjudged query. `measures` are
/// the last columns.
template <class Add>
void for_each_log_column(const StoredObservation& one, const ObservationScores* scores,
                         std::span<const Measure> measures, const Add& add) {
  const auto if_judged = [&](std::string_view name, const auto& value_of) {
    scores != nullptr ? add(name, value_of()) : add(name, NoValue());
  };
  add("time", utc_text(one.observation.time));
  add("experiment", one.experiment);
  add("session", one.session);
  add("seq", one.seq);
  add("qrels", one.qrels);
  add("arm", one.arm);
  add("config", one.config);
  if_judged("topic", [&] { return std::string_view(one.topic->id().text()); });
  for_each_field([&](const auto& field) { add_to_log(field, one, add); });
  if_judged("num_rel", [&] { return one.topic->num_rel(); });
  if_judged("ranks", [&] { return scores->relevant(); });
  if_judged("docnos", [&] { return relevant_docnos(one); });
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if_judged(measures[m].name(), [&] { return scores->values()[m]; });
  }
}

/// Appends one JSON object and a line feed; `docs/logs.md` has its keys.
void append_json_line(std::string& out, const StoredObservation& one,
                      const ObservationScores* scores);

}  // namespace prescope
