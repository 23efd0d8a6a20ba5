#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "prescope/ranking.h"
#include "watched_database.h"

namespace prescope::xapian {

/// One thread's database, for work that can be repeated. If a writer overtakes it, or replaces the
/// database, it is opened again and the work is repeated. For one thread.
class Session {
 public:
  explicit Session(std::shared_ptr<Watching> watching) : watching_(std::move(watching)) {}

  [[nodiscard]] Experiment& experiment() const noexcept { return watching_->experiment; }

  /// Says whether the work had to be repeated.
  template <class Result>
  struct Answer {
    Result result;
    RankingFlags flags = RankingFlags::kNone;
  };

  /// Runs `work(WatchedDatabase&)`, and repeats it for about a second while it throws
  /// Xapian::DatabaseError or DocNotFoundError. Other exceptions pass through, and so does its last
  /// error.
  template <class Work>
  auto answer(Work work) -> Answer<decltype(work(std::declval<WatchedDatabase&>()))> {
    for (int failures = 0;; ++failures) {
      try {
        return {work(database()), failures == 0 ? RankingFlags::kNone : RankingFlags::kRetried};
      } catch (const Xapian::DatabaseError&) {
        give_up_after(failures);
      } catch (const Xapian::DocNotFoundError&) {
        give_up_after(failures);
      } catch (...) {
        database_.reset();
        throw;
      }
    }
  }

  /// Makes the table of the database's state, if there is none: not part of any query's latency.
  /// Throws Error(kEngine); exceptions of Xapian pass through. After a failure the next work
  /// reopens the database.
  void resolve();

 private:
  [[nodiscard]] WatchedDatabase& database();
  /// Rethrows the current exception after enough failures; otherwise waits a little.
  void give_up_after(int failures);

  std::shared_ptr<Watching> watching_;
  std::shared_ptr<WatchedDatabase> database_;  // null: to be opened
};

/// A session for each thread that asks, so that no object of Xapian is used by two. Thread-safe.
class Sessions {
 public:
  explicit Sessions(std::shared_ptr<Watching> watching) : watching_(std::move(watching)) {}

  /// Returns the calling thread's session, resolved when it is made; kept until the end. Throws as
  /// `Session::resolve`.
  [[nodiscard]] Session& of_this_thread();
  [[nodiscard]] Watching& watching() const noexcept { return *watching_; }

 private:
  std::shared_ptr<Watching> watching_;
  std::mutex mutex_;  // over sessions_
  std::map<std::thread::id, Session> sessions_;
};

}  // namespace prescope::xapian
