#include "actions/events.h"

#include "base/errors.h"
#include "base/utc_time.h"
#include "report/live/live_report.h"
#include "report/text/json.h"

namespace prescope {

namespace {

using Holds = bool(const ArmPair& pair, const LiveVerdict* live);

bool is_confirmed(const LiveVerdict* live, int direction) {
  if (live == nullptr || live->state != LiveState::kConfirmed) return false;
  return live->mean.value_or(0.0) * direction > 0.0;
}

bool is_planned(const ArmPair& pair, PlannedState state) {
  return pair.planned && pair.planned->state == state;
}

bool is_broken(const GuardrailSummary& guardrail) {
  return guardrail.state == GuardrailState::kBroken;
}

/// One kind of event.
struct KindOfEvent {
  EventKind kind;
  std::string_view name;
  Holds* holds;  // `live`: the live verdict about the primary measure; null in Mode::kObserve
  std::string (*sentence)(const Summary& summary, const ArmPair& pair);
};

std::string latency_sentence(const Summary& summary, const ArmPair& pair) {
  return live_latency_words(summary, pair) + ".";
}

std::string guardrail_sentence(const Summary& summary, const ArmPair& pair) {
  std::vector<std::string> broken;
  for (const GuardrailSummary& guardrail : pair.guardrails) {
    if (is_broken(guardrail)) broken.push_back(guardrail_words(summary, pair, guardrail));
  }
  return fmt::format("{}: {}.", names_of(summary, pair).b, fmt::join(broken, "; "));
}

/// All kinds of events, in the order of EventKind.
constexpr KindOfEvent kKinds[] = {
    {EventKind::kBetter, "better",
     [](const ArmPair& pair, const LiveVerdict* live) {
       return is_confirmed(live, 1) || is_planned(pair, PlannedState::kBetter);
     },
     verdict_sentence},
    {EventKind::kWorse, "worse",
     [](const ArmPair& pair, const LiveVerdict* live) {
       return is_confirmed(live, -1) || is_planned(pair, PlannedState::kWorse);
     },
     verdict_sentence},
    {EventKind::kVetoed, "vetoed",
     [](const ArmPair& pair, const LiveVerdict* live) {
       return (live != nullptr && live->state == LiveState::kVetoed) ||
              is_planned(pair, PlannedState::kVetoed);
     },
     verdict_sentence},
    {EventKind::kLatencyWorse, "latency_worse",
     [](const ArmPair& pair, const LiveVerdict*) {
       return pair.latency.state == LatencyState::kFaster && pair.latency.mean.value_or(1.0) > 1.0;
     },
     latency_sentence},
    {EventKind::kGuardrailBroken, "guardrail_broken",
     [](const ArmPair& pair, const LiveVerdict*) {
       return std::ranges::any_of(pair.guardrails, is_broken);
     },
     guardrail_sentence},
    {EventKind::kPlanEnded, "plan_ended",
     [](const ArmPair& pair, const LiveVerdict*) {
       return is_planned(pair, PlannedState::kBetter) || is_planned(pair, PlannedState::kWorse) ||
              is_planned(pair, PlannedState::kNotShown);
     },
     verdict_sentence},
};

/// Gives the event of a planned test the figures of the last look that was taken.
void set_figures(const PlannedTest& planned, Event& event) {
  for (const PlannedLook& look : planned.looks) {
    if (!look.is_taken) continue;
    event.topics = look.topics;
    event.mean = look.mean;
    event.low = look.low;
    event.high = look.high;
  }
}

Event event_of(const Summary& summary, const ArmPair& pair, const KindOfEvent& kind) {
  const MeasureDifference& difference = pair.differences[summary.primary];
  const ArmNames names = names_of(summary, pair);
  Event event{.kind = kind.kind,
              .experiment = summary.experiment,
              .salt = summary.salt,
              .epoch = summary.epoch.number,
              .arm = names.b,
              .compared_with = names.a,
              .measure = difference.measure.name(),
              .mean = shown_mean(difference),
              .topics = shown_topics(difference),
              .latency_ratio = pair.latency.mean,
              .latency_low = pair.latency.low,
              .latency_high = pair.latency.high,
              .latency_visits = pair.latency.pairs,
              .sentence = kind.sentence(summary, pair)};
  if (difference.live) {
    event.low = difference.live->low;
    event.high = difference.live->high;
  }
  const bool is_of_live_verdict =
      difference.live && difference.live->state == LiveState::kConfirmed;
  if (pair.planned && !is_of_live_verdict) set_figures(*pair.planned, event);
  return event;
}

}  // namespace

std::span<const std::string_view> event_kind_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const KindOfEvent& kind : kKinds) names.push_back(kind.name);
    return names;
  }();
  return kNames;
}

std::string_view to_string(EventKind kind) noexcept {
  return kKinds[static_cast<std::size_t>(kind)].name;
}

EventKind parse_event_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &KindOfEvent::name);
  if (found != std::end(kKinds)) return found->kind;
  throw usage_error("{}", unknown_name_message("kind of event", name, event_kind_names()));
}

std::vector<Event> events_in(const Summary& summary, std::span<const EventKind> on) {
  std::vector<Event> events;
  for (const KindOfEvent& kind : kKinds) {
    if (std::ranges::count(on, kind.kind) == 0) continue;
    for (const ArmPair& pair : summary.pairs) {
      const std::optional<LiveVerdict>& live = pair.differences[summary.primary].live;
      if (kind.holds(pair, live ? &*live : nullptr)) {
        events.push_back(event_of(summary, pair, kind));
      }
    }
  }
  return events;
}

std::string event_json(const Event& event) {
  Json latency;  // null without a ratio
  if (event.latency_ratio) {
    latency = {{"ratio", event.latency_ratio},
               {"low", event.latency_low},
               {"high", event.latency_high},
               {"visits", event.latency_visits}};
  }
  return indented_text({{"id", event.id},
                        {"kind", to_string(event.kind)},
                        {"time", utc_text(event.time)},
                        {"experiment", event.experiment},
                        {"salt", event.salt.empty() ? Json(nullptr) : Json(event.salt)},
                        {"epoch", event.epoch},
                        {"arm", event.arm},
                        {"compared_with", event.compared_with},
                        {"measure", event.measure},
                        {"mean", event.mean},
                        {"low", event.low},
                        {"high", event.high},
                        {"topics", event.topics},
                        {"latency", latency},
                        {"sentence", event.sentence},
                        {"text", fmt::format("{}: {}", event.experiment, event.sentence)}});
}

}  // namespace prescope
