#include "watched_database.h"

#include <utility>

#include "docno_place.h"
#include "prescope/error.h"

namespace prescope::xapian {
namespace {

// A writer that commits faster than this often while a database is opened is no usual one.
constexpr int kMostAttempts = 10;

Xapian::Database combined(const std::vector<Xapian::Database>& shards) {
  if (shards.size() == 1) return shards.front();
  Xapian::Database all;
  for (const Xapian::Database& shard : shards) all.add_database(shard);
  return all;
}

bool reopen_all(std::vector<Xapian::Database>& shards) {
  bool changed = false;
  for (Xapian::Database& shard : shards) changed = shard.reopen() || changed;
  return changed;
}

}  // namespace

Watching::Watching(Experiment& watched, ObservedIndex::Opener open, ObservedIndexOptions options)
    : experiment(watched), opener(std::move(open)), place(std::move(options)), known(watched) {}

void Watching::tell(ArmIndex arm, const std::shared_ptr<const ResolvedQrels>& table) noexcept {
  if (table == nullptr) return;
  const Told now{table->generation(), table->judged().version()};
  try {
    {
      const std::lock_guard lock(mutex_);
      if (told_.size() <= arm.value()) told_.resize(arm.value() + 1);
      if (now <= told_[arm.value()]) return;
      told_[arm.value()] = now;
    }
    // This waits for the recorder, and other threads do not.
    const std::lock_guard one_at_a_time(telling_);
    if (is_newest(arm, now)) experiment.set_resolved(arm, table);
  } catch (...) {
    experiment.count_adapter_failure();
  }
}

void Watching::tell_served(const std::shared_ptr<const ResolvedQrels>& table) {
  std::vector<Told> told;
  {
    const std::lock_guard lock(mutex_);
    told = told_;
  }
  for (std::uint32_t arm = 0; arm < told.size(); ++arm) {
    if (told[arm] != Told{}) tell(ArmIndex{arm}, table);
  }
}

WatchedDatabase::WatchedDatabase(std::shared_ptr<Watching> watching,
                                 std::vector<Xapian::Database> shards)
    : watching_(std::move(watching)), shards_(std::move(shards)), combined_(combined(shards_)) {
  enter(state_of(shards_), Trust::kNoTable);
}

/// Xapian reads a database's version file first and its tables then. Reading the version once more
/// detects a database that was replaced in between.
std::shared_ptr<WatchedDatabase> WatchedDatabase::open(const std::shared_ptr<Watching>& watching) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    std::vector<Xapian::Database> shards = watching->opener();
    if (shards.empty()) {
      throw Error(ErrorCode::kUsage,
                  "the opener of an observed index gave no database; expected one for each shard");
    }
    // make_shared cannot call the private constructor.
    const std::shared_ptr<WatchedDatabase> opened(new WatchedDatabase(watching, std::move(shards)));
    if (opened->reopen() != Reopened::kReplaced) return opened;
  }
  throw Error(ErrorCode::kEngine,
              "the database was replaced each time while it was being opened; try again when no "
              "program compacts it");
}

void WatchedDatabase::enter(DatabaseState state, Trust trust) {
  generation_ = watching_->known.generation_of(state);
  const bool take_known = trust == Trust::kKnownTables && is_exact(state);
  table_ = take_known ? generation_->table() : nullptr;
  matching_ = table_ == nullptr ? Matching::kByDocno : Matching::kByDocid;
  state_ = std::move(state);
}

WatchedDatabase::Reopened WatchedDatabase::reopen() {
  try {
    return reopen_and_compare();
  } catch (const Xapian::DatabaseClosedError&) {  // which has a message of its own
    throw;
  } catch (...) {
    in_doubt_ = broken_ = true;
    throw;
  }
}

bool WatchedDatabase::reopen_for_retry() noexcept {
  try {
    if (reopen() != Reopened::kReplaced) return true;
    broken_ = true;
  } catch (...) {  // broken already
  }
  return false;
}

WatchedDatabase::Reopened WatchedDatabase::reopen_and_compare() {
  bool changed = reopen_all(shards_);
  // Again, for the reason that `open` has; more than once only while a writer commits.
  for (int attempt = 0; attempt < kMostAttempts && reopen_all(shards_); ++attempt) changed = true;
  DatabaseState now = state_of(shards_);
  in_doubt_ = in_doubt_ || !same_uuids(now, state_);
  changed = changed || now != state_;
  if (changed) enter(std::move(now), in_doubt_ ? Trust::kNoTable : Trust::kKnownTables);
  if (in_doubt_) return Reopened::kReplaced;
  return changed ? Reopened::kChanged : Reopened::kUnchanged;
}

std::shared_ptr<WatchedDatabase> WatchedDatabase::opened_anew_if_it_differs() const {
  if (is_exact(state_)) return nullptr;
  auto opened = open(watching_);
  return opened->state_ == state_ ? nullptr : opened;
}

std::shared_ptr<const ResolvedQrels> WatchedDatabase::make_table() const {
  const JudgedDocnos& judged = experiment().judged();
  return std::make_shared<const ResolvedQrels>(
      judged, find_judged(combined_, watching_->place, judged, table_.get()), generation_->number(),
      combined_.get_doccount());
}

bool WatchedDatabase::has_latest_table() const noexcept {
  return table_ != nullptr && table_->judged().version() == experiment().judged().version();
}

bool WatchedDatabase::resolve() {
  if (in_doubt_ || !is_in(shards_, state_)) return false;
  if (has_latest_table()) return true;
  try {
    const std::uint32_t version = experiment().judged().version();
    table_ = is_exact(state_) ? generation_->table_made_by(version, [this] { return make_table(); })
                              : make_table();
  } catch (const Xapian::DatabaseClosedError&) {
    throw;
  } catch (const Xapian::DatabaseError&) {
    return false;
  }
  matching_ = Matching::kByDocid;
  watching_->known.keep(generation_);
  return true;
}

void WatchedDatabase::give_up() noexcept {
  table_ = nullptr;
  matching_ = Matching::kNot;
}

std::shared_ptr<WatchedDatabase> WatchedDatabase::opened_anew() {
  try {
    return open(watching_);
  } catch (...) {
    broken_ = true;
    throw;
  }
}

std::exception_ptr WatchedDatabase::settle(std::shared_ptr<WatchedDatabase>& database) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (database->in_doubt_) database = database->opened_anew();
    try {
      if (database->resolve()) return nullptr;
    } catch (...) {
      return std::current_exception();
    }
    database->reopen();
  }
  return std::make_exception_ptr(
      Error(ErrorCode::kEngine,
            "the judged documents could not be looked up: a writer overtook the database " +
                std::to_string(kMostAttempts) +
                " times, or it is damaged; try again when no program commits to it"));
}

void WatchedDatabase::catch_up() {
  if (is_in(shards_, state_)) return;
  DatabaseState now = state_of(shards_);
  in_doubt_ = in_doubt_ || !same_uuids(now, state_);
  enter(std::move(now), Trust::kNoTable);
}

std::shared_ptr<const NamedDocuments> WatchedDatabase::names() {
  catch_up();
  return generation_->names_made_by([this] {
    return std::make_shared<const NamedDocuments>(combined_, watching_->place,
                                                  experiment().judged().docnos());
  });
}

}  // namespace prescope::xapian
