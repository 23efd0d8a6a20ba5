#pragma once

#include <functional>
#include <memory>
#include <string>

#include "prescope/observation_log.h"
#include "store/log_queue.h"

namespace prescope {

/// A log that writes on a thread of its own, whatever it writes to.
class QueuedLog : public ObservationLog {
 public:
  /// `open` is called once the experiment is there, and throws where the place is of no use.
  using Open = std::function<std::unique_ptr<LogSink>(const Experiment& experiment)>;
  QueuedLog(std::string place, const LogQueueOptions& options, Open open);
  ~QueuedLog() override;

  void begin(const Experiment& experiment) override;
  void record(const Observation& observation) override;
  void change(const ExperimentChange& change) override;
  bool flush() override;
  void end() noexcept override;
  [[nodiscard]] LogProgress progress() const noexcept override;

 private:
  const std::string place_;
  const LogQueueOptions options_;
  const Open open_;
  std::unique_ptr<LogQueue> queue_;  // null before it begins
};

}  // namespace prescope
