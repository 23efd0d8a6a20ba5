#include "prescope/xapian/observed_index.h"

#include <utility>

#include "text.h"
#include "watched_database.h"

namespace prescope::xapian {
namespace {

/// Returns false after a failure to resolve, which is counted. Those of opening pass through.
bool settle_or_count(std::shared_ptr<WatchedDatabase>& database) {
  if (WatchedDatabase::settle(database) != nullptr) {
    database->experiment().count_adapter_failure();
    return false;
  }
  database->watching()->tell_served(database->table());
  return true;
}

/// The host's search goes on, also if its new state cannot be observed.
void settle_or_give_up(std::shared_ptr<WatchedDatabase>& database) {
  if (!settle_or_count(database)) database->give_up();
}

}  // namespace

ObservedDatabase::ObservedDatabase(std::shared_ptr<WatchedDatabase> watched)
    : watched_(std::move(watched)) {}

const Xapian::Database& ObservedDatabase::database() const noexcept { return watched_->database(); }

ObservedEnquire ObservedDatabase::enquire(std::string_view arm) const {
  const ArmIndex index = watched_->experiment().arm(arm);
  watched_->watching()->tell(index, watched_->table());
  return {watched_, index};
}

std::shared_ptr<const ResolvedQrels> ObservedDatabase::resolved() const noexcept {
  return watched_->table();
}

bool ObservedDatabase::reopen() {
  if (watched_->is_broken()) {
    watched_ = watched_->opened_anew();
    settle_or_give_up(watched_);
    return true;
  }
  const auto reopened = watched_->reopen();
  if (reopened == WatchedDatabase::Reopened::kUnchanged) {
    auto opened_anew = watched_->opened_anew_if_it_differs();
    if (opened_anew == nullptr && resolved() != nullptr) {
      const auto before = resolved();
      // After a failure the existing table remains valid, with the judgements that it has.
      if (!watched_->has_latest_table()) static_cast<void>(settle_or_count(watched_));
      return resolved() != before;
    }
    if (opened_anew != nullptr) watched_ = std::move(opened_anew);
  }
  settle_or_give_up(watched_);
  return true;
}

ObservedIndex::ObservedIndex(Opener opener, Experiment& experiment, ObservedIndexOptions options)
    : watching_(std::make_shared<Watching>(experiment, std::move(opener), std::move(options))) {}

ObservedIndex::~ObservedIndex() = default;

ObservedDatabase ObservedIndex::open() const {
  auto watched = WatchedDatabase::open(watching_);
  const std::exception_ptr failure = WatchedDatabase::settle(watched);
  in_engine("resolving the judged documents", [&] {
    if (failure != nullptr) std::rethrow_exception(failure);
  });
  return ObservedDatabase(std::move(watched));
}

}  // namespace prescope::xapian
