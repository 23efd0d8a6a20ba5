#pragma once

#include <span>

#include "prescope/actions.h"
#include "prescope/summary.h"

namespace prescope {

/// Names of all kinds, in the order of EventKind.
[[nodiscard]] std::span<const std::string_view> event_kind_names();

/// Returns an event for each kind of `on` and each pair of arms for which it holds now, without id
/// and time. The kinds come in the order of EventKind, the pairs in the order of the summary.
[[nodiscard]] std::vector<Event> events_in(const Summary& summary, std::span<const EventKind> on);

/// Returns the event as a document of JSON, which docs/actions.md describes.
[[nodiscard]] std::string event_json(const Event& event);

}  // namespace prescope
