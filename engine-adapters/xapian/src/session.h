#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "named_documents.h"
#include "prescope/ranking.h"
#include "watched_database.h"

namespace prescope::xapian {

/// One thread's database, for work that can be done again. If a writer overtakes it, or puts
/// another database in its place, it is opened anew and the work is repeated. For one thread.
class Session {
 public:
  Session(std::shared_ptr<Watching> watching, std::shared_ptr<KnownNames> known_names)
      : watching_(std::move(watching)), known_names_(std::move(known_names)) {}

  [[nodiscard]] Experiment& experiment() const noexcept { return watching_->experiment; }

  /// Says whether the work had to be repeated.
  template <class Result>
  struct Answer {
    Result result;
    RankingFlags flags = RankingFlags::kNone;
  };

  /// Does `work(WatchedDatabase&)`, again while it throws Xapian::DatabaseError or
  /// DocNotFoundError, for about a second. What else it throws passes through, and its last error
  /// does.
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

  /// For work: which documents docnos name in the state that the database is in. Valid until the
  /// next call. What Xapian throws passes through.
  [[nodiscard]] const NamedDocuments& names_in(WatchedDatabase& database);

  /// Makes the table of the database's state, if there is none: off any query's latency. Throws
  /// Error(kEngine); what Xapian throws passes through. After a failure the next work opens anew.
  void resolve();

 private:
  [[nodiscard]] WatchedDatabase& database();
  /// Rethrows what is being handled, once it has failed often enough; or waits a little.
  void give_up_after(int failures);

  std::shared_ptr<Watching> watching_;
  std::shared_ptr<KnownNames> known_names_;
  std::shared_ptr<WatchedDatabase> database_;  // null: to be opened
  std::shared_ptr<const NamedDocuments> names_;
  std::uint64_t names_generation_ = 0;
};

/// A session for each thread that asks, so that no object of Xapian is used by two. Thread-safe.
class Sessions {
 public:
  explicit Sessions(std::shared_ptr<Watching> watching);

  /// The calling thread's own, resolved when it is made; kept until the end. Throws as
  /// `Session::resolve`.
  [[nodiscard]] Session& of_this_thread();
  [[nodiscard]] Watching& watching() const noexcept { return *watching_; }

 private:
  std::shared_ptr<Watching> watching_;
  std::shared_ptr<KnownNames> known_names_;
  std::mutex mutex_;  // over sessions_
  std::map<std::thread::id, Session> sessions_;
};

}  // namespace prescope::xapian
