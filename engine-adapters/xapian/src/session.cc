#include "session.h"

#include <algorithm>
#include <chrono>

namespace prescope::xapian {
namespace {

// The last waits are 50 ms, so that this is about a second.
constexpr int kMostFailures = 25;
constexpr int kLongestWaitMs = 50;

}  // namespace

WatchedDatabase& Session::database() {
  if (database_ == nullptr) database_ = WatchedDatabase::open(watching_);
  return *database_;
}

void Session::give_up_after(int failures) {
  database_.reset();
  if (failures >= kMostFailures) throw;
  // A folder that is being replaced is away for a moment; a commit is no reason to wait.
  const int wait = failures == 0 ? 0 : std::min(1 << std::min(failures, 10), kLongestWaitMs);
  std::this_thread::sleep_for(std::chrono::milliseconds(wait));
}

void Session::resolve() {
  static_cast<void>(database());
  try {
    if (const auto failure = WatchedDatabase::settle(database_)) std::rethrow_exception(failure);
  } catch (...) {
    database_.reset();
    throw;
  }
  watching_->tell_served(database_->table());
}

Session& Sessions::of_this_thread() {
  const auto id = std::this_thread::get_id();
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found != sessions_.end()) return found->second;
  }
  Session made(watching_);
  made.resolve();
  const std::lock_guard lock(mutex_);
  return sessions_.emplace(id, std::move(made)).first->second;
}

}  // namespace prescope::xapian
