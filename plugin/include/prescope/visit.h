#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

/// The beginning of the words that a user asked for, kept without an allocation.
class QueryText {
 public:
  static constexpr std::size_t kMost = 200;  ///< bytes

  QueryText() = default;
  /// Keeps the first kMost bytes, or a few less so that no UTF-8 character is cut.
  explicit QueryText(std::string_view text) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, kMost> text_;  // only the first `size_` bytes are set
  std::uint8_t size_ = 0;
};

/// Facts of a visit that the host knows.
struct VisitOptions {
  /// A session or search id that the pages of one visit share. Without a key, a later page is
  /// counted and not scored, because nobody knows which first page it belongs to.
  std::string_view key{};
  /// Counts the visit for this arm instead of the searcher's own. An unknown arm is counted
  /// (`Health::unknown_arm`), and the searcher's own is used. Empty: the searcher's own.
  std::string_view arm{};
  /// When the user was served, if the host reports it later; empty: now. Logs keep this time. A
  /// visit that was served before the arms last changed is in no score
  /// (`Health::late_observations`).
  std::optional<UtcTime> served{};
  /// The host's own number of the request, distinct also in its other processes, such as a hash of
  /// the id that its log has; 0: none. Logs keep it, and tell the host once they have stored what
  /// was observed for the request, see `LogReceipt`.
  std::uint64_t request_id = 0;
};

/// One request of a user, as the host knows it. The texts need to live during the call only.
struct SearchRequest {
  /// The topic as the qrels name it. Empty, or a name that they do not know: an unjudged request.
  std::string_view topic{};
  /// The topic that a TopicMatcher found, if the host does not know its name.
  TopicIndex matched = kUnjudgedTopic;
  /// The words that the user asked for. They choose the arm of an unjudged request in Mode::kSplit,
  /// and name it among the most changed queries of OverlapOptions.
  std::string_view text{};
  std::string_view session{};  ///< see `VisitOptions::key`
  /// The arm that serves, by default the first that is active. Not used in Mode::kSplit, which
  /// chooses the arm by the topic.
  std::optional<ArmIndex> arm{};
  bool is_first_page = true;  ///< a later page is not offered for comparison
};

/// One user's request for a topic, made by `Experiment::visit`. It is a value: a host that does not
/// run one request on a thread keeps it with the request and passes it to `Experiment::observe`, or
/// opens a QueryScope of it around each call of the engine. Each request for a page has a Visit of
/// its own, with the key of the others.
struct Visit {
  TopicIndex topic = kUnjudgedTopic;
  std::optional<ArmIndex> arm{};  ///< counts instead of the searcher's own
  /// From 1, distinct in its experiment. Visits that were served before the arms last changed share
  /// the number of that change.
  std::uint64_t number = 0;
  std::uint64_t key = 0;  ///< the hash of VisitOptions::key; 0 without one
  /// When the request began. Latency is counted from here, for each ranking that is passed with the
  /// visit and for the first one of each QueryScope. If a request searches several times in this
  /// way, clear this before its second search: latency then begins with the search.
  std::chrono::steady_clock::time_point started{};
  std::optional<UtcTime> served{};  ///< see VisitOptions
  std::uint64_t request_id = 0;     ///< see VisitOptions
};

}  // namespace prescope
#pragma GCC visibility pop
