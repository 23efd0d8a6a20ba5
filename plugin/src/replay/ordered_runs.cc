#include "replay/ordered_runs.h"

#include <fmt/format.h>
#include <string>

#include "prescope/error.h"

namespace prescope {

namespace {

std::string run_file_name(const ArmId& arm) { return arm.text() + ".run"; }

}  // namespace

OrderedRuns::OrderedRuns(std::filesystem::path folder, std::span<const ReplayArm> arms)
    : folder_(std::move(folder)) {
  std::error_code failed;
  created_folder_ = std::filesystem::create_directories(folder_, failed);
  if (failed) {
    throw Error(ErrorCode::kIo, fmt::format("{}: cannot be made a folder for runs: {}",
                                            folder_.string(), failed.message()));
  }
  for (const ReplayArm& replayed : arms) {
    const ArmConfig& arm = replayed.config;
    writers_.emplace_back(
        arm.id, std::make_unique<RunWriter>(folder_ / run_file_name(arm.id), arm.id.text()));
  }
}

OrderedRuns::~OrderedRuns() {
  writers_.clear();
  std::error_code not_empty;
  if (created_folder_) std::filesystem::remove(folder_, not_empty);
}

void OrderedRuns::add(std::size_t position, const TopicId& topic,
                      std::vector<std::vector<Hit>> hits_by_arm) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(position, Waiting{topic, std::move(hits_by_arm)});
  for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(next_)) {
    for (std::size_t arm = 0; arm < writers_.size(); ++arm) {
      writers_[arm].second->add(first->second.topic, first->second.hits_by_arm[arm]);
    }
    waiting_.erase(first);
    ++next_;
  }
}

void OrderedRuns::finish() {
  std::vector<std::filesystem::path> finished;
  try {
    for (const auto& [arm, writer] : writers_) {
      writer->finish();
      finished.push_back(folder_ / run_file_name(arm));
    }
  } catch (const Error&) {
    // A part of the runs would be taken for all of them.
    for (const std::filesystem::path& file : finished) std::filesystem::remove(file);
    throw;
  }
}

}  // namespace prescope
