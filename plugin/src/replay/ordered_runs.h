#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "prescope/engine.h"
#include "replay/replay_options.h"
#include "runs/run_file.h"

namespace prescope {

/// One TREC run a ranking configuration, `ARM.run`, written in topic order whatever the order in
/// which threads finish their topics. The files appear under their names with `finish`.
/// Thread-safe.
class OrderedRuns {
 public:
  /// Creates `folder` where it is missing. Throws Error(kIo).
  OrderedRuns(std::filesystem::path folder, std::span<const ReplayArm> arms);
  /// Unless finished, leaves nothing behind.
  ~OrderedRuns();
  OrderedRuns(const OrderedRuns&) = delete;
  OrderedRuns& operator=(const OrderedRuns&) = delete;

  /// All arms' hits of the `position`-th topic, each position once, from 0. Holds back what comes
  /// before its turn. Throws as RunWriter::add.
  void add(std::size_t position, const TopicId& topic, std::vector<std::vector<Hit>> hits_by_arm);
  /// Throws Error(kIo).
  void finish();

 private:
  struct Waiting {
    TopicId topic;
    std::vector<std::vector<Hit>> hits_by_arm;
  };

  std::filesystem::path folder_;
  bool created_folder_ = false;
  std::mutex mutex_;
  std::vector<std::pair<ArmId, std::unique_ptr<RunWriter>>> writers_;
  std::map<std::size_t, Waiting> waiting_;
  std::size_t next_ = 0;
};

}  // namespace prescope
