#include "prescope/run_file/observed_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "prescope/error.h"

namespace prescope::run_file {
namespace {

std::span<const Docno> ranking_of(std::string_view topic, std::span<const Run::Topic> topics) {
  const auto found = std::lower_bound(
      topics.begin(), topics.end(), topic,
      [](const Run::Topic& one, std::string_view wanted) { return one.id.text() < wanted; });
  if (found == topics.end() || found->id.text() != topic) return {};
  return found->docnos;
}

void check(const Request& request) {
  if (request.depth != 0 && request.first_rank != 0) return;
  throw Error(ErrorCode::kUsage, "a run's ranking was asked for with depth " +
                                     std::to_string(request.depth) + " from rank " +
                                     std::to_string(request.first_rank) +
                                     "; expected at least 1 of each");
}

}  // namespace

struct RunSearcher::Reading {
  Run run;
  std::uint64_t generation = 0;
};

RunSearcher::RunSearcher(Experiment& experiment, ArmIndex arm,
                         std::shared_ptr<const Reading> reading)
    : experiment_(&experiment), arm_(arm), reading_(std::move(reading)) {}

std::vector<std::string_view> RunSearcher::look_up(const Request& request) const {
  check(request);
  const DocnoSet excluded(request.exclude, experiment_->judged().docnos());
  std::vector<std::string_view> served;
  Rank rank = 0;
  for (const Docno& docno : ranking_of(request.topic, reading_->run.topics)) {
    if (served.size() == request.depth) break;
    if (excluded.contains(docno.text())) continue;
    if (++rank >= request.first_rank) served.emplace_back(docno.text());
  }
  return served;
}

std::vector<std::string_view> RunSearcher::serve(const Request& request) const {
  const auto started = std::chrono::steady_clock::now();
  std::vector<std::string_view> served;
  try {
    served = look_up(request);
  } catch (...) {
    experiment_->observe_failure(arm_, Experiment::SearchFailure::kFailed);
    throw;
  }
  experiment_->observe({.arm = arm_,
                        .kind = HitKind::kDocnos,
                        .generation = reading_->generation,
                        .docnos = served,
                        .first_rank = request.first_rank,
                        .requested_depth = request.depth,
                        .search_started = started,
                        .flags = RankingFlags::kUntimed});
  return served;
}

std::span<const Run::Topic> RunSearcher::topics() const noexcept { return reading_->run.topics; }

std::uint64_t RunSearcher::generation() const noexcept { return reading_->generation; }

ObservedRun::ObservedRun(std::filesystem::path path, RunOrder order, Experiment& experiment)
    : path_(std::move(path)), order_(order), experiment_(&experiment) {
  read(state_of(path_));
}

RunSearcher ObservedRun::searcher(std::string_view arm) const {
  const ArmIndex index = experiment_->arm(arm);
  const std::lock_guard lock(mutex_);
  return {*experiment_, index, reading_};
}

bool ObservedRun::reopen() {
  const std::lock_guard lock(reopening_);
  const FileState now = state_of(path_);
  if (now == file_state_) return false;
  read(now);
  return true;
}

/// `state` is from before the reading: a change while the file is read is met by the next `reopen`.
void ObservedRun::read(const FileState& state) {
  const std::uint64_t before = reading_ == nullptr ? 0 : reading_->generation;
  auto reading = std::make_shared<const RunSearcher::Reading>(
      RunSearcher::Reading{load_run(path_, order_), experiment_->next_generation(before)});
  file_state_ = state;
  const std::lock_guard lock(mutex_);
  reading_ = std::move(reading);
}

ObservedRun::FileState ObservedRun::state_of(const std::filesystem::path& path) noexcept {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .changed_s = status.st_mtim.tv_sec,
          .changed_ns = status.st_mtim.tv_nsec};
}

}  // namespace prescope::run_file
