#pragma once

#include "base/threads.h"
#include "fleet/fleet_session.h"
#include "serve/site/source.h"

namespace prescope::serve {

/// An experiment over all servers of a fleet, read on a thread of its own.
class FleetSource final : public Source {
 public:
  /// Finds the newest epoch. Another thread reads its facts, a part at a time, so that the picture
  /// grows from the epoch's beginning on. Then it looks for new facts at each `interval`. It calls
  /// `on_warning` when the fleet cannot be read, and when it can be again. Throws as FleetSession
  /// does.
  FleetSource(const FleetAddress& address, std::function<void(const std::string&)> on_warning,
              std::chrono::milliseconds interval = std::chrono::seconds(2));

  [[nodiscard]] std::shared_ptr<const Summary> every_topic() override;
  [[nodiscard]] std::optional<TopicDetail> topic(const TopicId& id) override;

 private:
  /// Reads new facts, and returns the time until the next call.
  std::chrono::milliseconds read();
  void show();

  std::mutex reading_;  // of `session_`
  FleetSession session_;
  std::shared_ptr<const Summary> every_topic_;  // guarded by `reading_`; null if out of date
  std::function<void(const std::string&)> on_warning_;
  const std::chrono::milliseconds interval_;
  bool is_failing_ = false;
  std::jthread thread_;  // ends first, because it uses the others
};

}  // namespace prescope::serve
