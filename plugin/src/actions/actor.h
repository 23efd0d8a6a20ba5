#pragma once

#include <map>
#include <memory>
#include <set>
#include <thread>

#include "actions/commands.h"
#include "actions/posts.h"
#include "prescope/summary.h"

namespace prescope {

/// What the actions read, apart from their options.
struct ActionSource {
  /// Returns the newest summary, never null; the same pointer while nothing is new. Called on a
  /// thread of the actions.
  std::function<std::shared_ptr<const Summary>()> newest{};
  /// Returns the last summary, when the actions end; empty: `newest` does.
  std::function<std::shared_ptr<const Summary>()> last{};
  /// Called for each event that is new in this process, on the thread that calls `newest`; may be
  /// empty.
  std::function<void(const Event&)> on_event{};
  /// Complete configurations of arms, by name. An arm with another one is another arm.
  std::map<std::string, std::string> configs{};
  std::chrono::milliseconds interval{1000};  ///< between two looks
};

/// Tells which events are new. The same event is found at each look while its verdict stands, and
/// again by a process that has been restarted.
///
/// An event is named by the experiment, its salt, the primary measure, both arms with their
/// configurations, and its kind. It happens again if this process has begun another epoch since,
/// because arms or judgements have changed. In its first epoch a process finds nothing new that the
/// journal has: it is a restart. So a new run is another journal, or another name of the
/// experiment, salt or configuration of an arm. Not thread-safe.
class NewEvents {
 public:
  /// `journal` may be null. `first_epoch` is the number of this process's first epoch.
  NewEvents(const Journal* journal, std::map<std::string, std::string> configs,
            std::uint64_t first_epoch);

  /// Sets the ids and `is_repeated`, and leaves out events that were returned before.
  [[nodiscard]] std::vector<Event> of(std::vector<Event> found);

 private:
  struct Known {
    std::uint64_t epoch = 0, occurrence = 0;  // the last one; 0: none
  };
  [[nodiscard]] std::string name_of(const Event& event) const;
  bool take(Event& event);

  const Journal* journal_;
  const std::map<std::string, std::string> configs_;
  const std::uint64_t first_epoch_;
  const std::string id_;  // of the journal, or random
  const std::set<std::string> at_start_;
  std::map<std::string, Known> known_;  // by name
};

/// Looks for events and acts on them, on threads of its own. Whatever fails becomes a warning.
class Actor {
 public:
  /// Throws as `actions` says.
  Actor(ActionOptions options, ActionSource source);
  /// Ends the threads, looks once more without `on_event`, starts what is due, and posts once what
  /// was never posted. Does not wait for commands.
  ~Actor();
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

 private:
  enum class Tells { kHost, kNobody };
  void look(const std::shared_ptr<const Summary>& summary, Tells tells);
  void act(Event& event, Tells tells);
  /// Returns whether `work` has succeeded. Warns once of the same failure.
  bool attempt(std::string& last_failure, const std::function<void()>& work) const noexcept;

  const ActionOptions options_;
  const ActionSource source_;
  std::optional<Journal> journal_;
  std::optional<NewEvents> new_;
  std::optional<Commands> commands_;
  std::optional<Posts> posts_;
  std::shared_ptr<const Summary> seen_;
  std::vector<Event> pending_;                               // new, and not acted upon yet
  std::string failure_, telling_failure_, posting_failure_;  // the last ones
  std::jthread posting_, thread_;  // they end before the members that they use
};

}  // namespace prescope
