#pragma once

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "prescope/observation.h"

namespace prescope {

/// A field of an observation that is kept. Stores, fleets and logs name it alike.
template <class Value>
struct ObservationField {
  std::string_view name;  ///< in the tables of stores and fleets, and in logs
  Value Observation::*member;
  std::string_view meaning;  ///< as docs/formats.md says it
  // In JSON lines and CSV, which people read too:
  std::string_view name_in_logs = name;
  double unit_in_logs = 1.0;  ///< of a duration, in nanoseconds
};
template <class Value, class... More>
ObservationField(std::string_view, Value Observation::*, More...) -> ObservationField<Value>;

/// The one list of the fields, in the order of their columns. From it come the table of stores and
/// what reads and writes it, JSON lines, CSV, and ClickHouse's table and its rows. Numbers of 64
/// bits may be any that a host gives.
inline constexpr std::tuple kObservationFields{
    ObservationField{"visit", &Observation::visit,
                     "number of the visit in its session, from 1: shared by the served ranking, "
                     "its later pages and the searches for comparison; 0 if unknown"},
    ObservationField{"visit_key", &Observation::visit_key,
                     "64-bit hash of the host's key; 0 without a key"},
    ObservationField{"request_id", &Observation::request_id,
                     "the host's own 64-bit number of the request; 0 without one"},
    ObservationField{"compared_arms", &Observation::compared_arms,
                     "arms that rank this visit for comparison; 0 for an answer to a user"},
    ObservationField{"generation", &Observation::generation,
                     "state of the index; 0 if the engine tells none"},
    ObservationField{"documents", &Observation::documents,
                     "live documents of the index; 0 if unknown"},
    ObservationField{"first_rank", &Observation::first_rank, "above 1 for a later page"},
    ObservationField{"depth", &Observation::depth, "hits asked for from `first_rank` on"},
    ObservationField{"num_ret", &Observation::num_ret, "hits served"},
    ObservationField{"covered", &Observation::covered,
                     "the visit was seen from rank 1 down to here without a gap, this ranking "
                     "included; 0 after a gap, if the visit is not known, and in rankings that are "
                     "not scored. 0 also in a first page that does not count because another "
                     "ranking of its request was named as served"},
    ObservationField{"exhausted", &Observation::exhausted,
                     "whether the engine had no hits after `covered`"},
    ObservationField{"total_hits", &Observation::total_hits,
                     "documents that matched in all; 0 if unknown"},
    ObservationField{"duplicates", &Observation::duplicates,
                     "hits of a judged document already served at a better rank"},
    ObservationField{"latency_ns", &Observation::latency,
                     "nanoseconds; below 0, or with flag 16, it is unknown", "latency_ms", 1e6},
    ObservationField{"self_ns", &Observation::self_time,
                     "time that observing took on the query thread, nanoseconds", "self_us", 1e3},
    ObservationField{"stage", &Observation::stage,
                     "what the ranking was made for: 0 not said, 1 candidates, 2 served, from 3 on "
                     "the session's own. Only 0 and 2 are scored and in sums"},
    ObservationField{"flags", &Observation::flags, "sum of the flags below"},
};

/// Calls `use` with each field, in the order of the columns.
template <class Use>
constexpr void for_each_field(const Use& use) {
  std::apply([&](const auto&... fields) { (use(fields), ...); }, kObservationFields);
}
/// Returns what `use` returns for the values of all fields, in the order of the columns.
template <class Use>
decltype(auto) with_field_values(const Observation& observation, const Use& use) {
  return std::apply(
      [&](const auto&... fields) -> decltype(auto) { return use(observation.*fields.member...); },
      kObservationFields);
}

/// Returns "visit, visit_key, ...".
[[nodiscard]] std::string field_names();

struct FlagName {
  RankingFlags flag;
  std::string_view name;
  std::string_view meaning;  ///< as docs/formats.md says it
};
/// All flags by their bits, from the lowest on.
[[nodiscard]] std::span<const FlagName> flag_table() noexcept;
/// Returns the names of the flags that are set, in the order of their bits.
[[nodiscard]] std::vector<std::string_view> flag_names(RankingFlags flags);

}  // namespace prescope
