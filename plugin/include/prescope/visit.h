#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "prescope/types.h"

namespace prescope {

/// Facts of a visit that the host knows.
struct VisitOptions {
  /// A session or search id that the pages of one visit share. Without a key, a later page is
  /// counted and not scored, because nobody knows which first page it belongs to.
  std::string_view key{};
  /// Counts the visit for this arm instead of the searcher's own. An unknown arm is counted
  /// (`Health::unknown_arm`), and the searcher's own is used. Empty: the searcher's own.
  std::string_view arm{};
};

/// One user's request for a topic, made by `Experiment::visit`. It is a value: a host that does not
/// run one request on a thread keeps it with the request and passes it to `Experiment::observe`, or
/// opens a QueryScope of it around each call of the engine. Each request for a page has a Visit of
/// its own, with the key of the others.
struct Visit {
  TopicIndex topic = kUnjudgedTopic;
  std::optional<ArmIndex> arm{};  ///< counts instead of the searcher's own
  std::uint64_t number = 0;       ///< from 1, distinct in its experiment
  std::uint64_t key = 0;          ///< the hash of VisitOptions::key; 0 without one
  /// When the request began. Latency is counted from here, for each ranking that is passed with the
  /// visit and for the first one of each QueryScope. If a request searches several times in this
  /// way, clear this before its second search: latency then begins with the search.
  std::chrono::steady_clock::time_point started{};
};

}  // namespace prescope
