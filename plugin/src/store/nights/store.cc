#include "store/nights/store.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "store/nights/evaluation_rows.h"
#include "store/sqlite/database.h"
#include "store/sqlite/schema.h"

namespace prescope {

struct Store::State {
  Database database;

  /// What `call` returns, all of it as the file is at one moment.
  template <class Call>
  auto at_one_moment(const Call& call) {
    const Transaction transaction(database, SQLite::TransactionBehavior::DEFERRED);
    return call();
  }
};

Store Store::open(const std::filesystem::path& path, Access access) {
  const auto how = access == Access::kRead ? Database::Access::kRead : Database::Access::kWrite;
  return Store(std::make_unique<State>(State{open_store_file(path, how)}));
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

std::int64_t Store::add(const EvaluationRecord& record) {
  Transaction transaction(state_->database);
  const std::int64_t number = write_evaluation(state_->database, record);
  transaction.commit();
  return number;
}

EvaluationRecord Store::evaluation(std::int64_t number) const {
  return state_->at_one_moment([&] { return read_evaluation(state_->database, number); });
}

std::vector<Night> Store::nights(const NightFilter& filter) const {
  return state_->at_one_moment([&] { return read_nights(state_->database, filter); });
}

Pin Store::pin(const EvaluationRecord& record, const Pin& request) {
  Transaction transaction(state_->database);
  Pin added = request;
  added.evaluation = write_evaluation(state_->database, record);
  added = write_pin(state_->database, added);
  transaction.commit();
  return added;
}

Pin Store::pin(const Pin& request) {
  Transaction transaction(state_->database);
  require_evaluation(state_->database, request.evaluation);
  const Pin added = write_pin(state_->database, request);
  transaction.commit();
  return added;
}

std::vector<Pin> Store::pins() const {
  return state_->at_one_moment([&] { return read_pins(state_->database); });
}

Baseline Store::baseline(std::string_view name) const {
  return state_->at_one_moment([&] {
    Pin pin = read_pin(state_->database, name);
    return Baseline{.name = std::move(pin.name),
                    .number = pin.evaluation,
                    .evaluation = read_evaluation(state_->database, pin.evaluation),
                    .must_find = std::move(pin.must_find),
                    .pinned_by = std::move(pin.by),
                    .why = std::move(pin.why),
                    .pinned = pin.time};
  });
}

std::int64_t Store::add(const EvaluationRecord& record, const GateVerdict& verdict) {
  Transaction transaction(state_->database);
  const std::int64_t number = write_evaluation(state_->database, record);
  write_verdict(state_->database, number, verdict);
  transaction.commit();
  return number;
}

void Store::add(std::int64_t evaluation, const GateVerdict& verdict) {
  Transaction transaction(state_->database);
  require_evaluation(state_->database, evaluation);
  write_verdict(state_->database, evaluation, verdict);
  transaction.commit();
}

namespace {

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();
/// Rows of one transaction: what others who write have to wait for.
constexpr std::int64_t kRowsAtOnce = 20'000;

/// One kind of what may be removed.
struct Removable {
  std::uint64_t Pruned::*count;
  std::string_view table, key;
  std::string_view may_go;   ///< which of its rows
  std::string_view time_ms;  ///< of a row
  std::string_view order;    ///< oldest first
};

constexpr std::string_view kInTheSums = "seq <= (SELECT rolled_up_to FROM log_state)";

constexpr Removable kCaptures{
    .count = &Pruned::captures,
    .table = "captures",
    .key = "seq",
    .may_go = kInTheSums,
    .time_ms = "ifnull((SELECT o.time_ms FROM observations o WHERE o.seq = captures.seq), 0)",
    .order = "seq"};
constexpr Removable kObservations{.count = &Pruned::observations,
                                  .table = "observations",
                                  .key = "seq",
                                  .may_go = kInTheSums,
                                  .time_ms = "time_ms",
                                  .order = "seq"};
constexpr Removable kEvaluations{.count = &Pruned::evaluations,
                                 .table = "evaluations",
                                 .key = "number",
                                 .may_go = "number NOT IN (SELECT evaluation FROM pins)",
                                 .time_ms = "time_ms",
                                 .order = "time_ms, number"};

class Pruning {
 public:
  explicit Pruning(Database& database) : database_(database) { pruned_.bytes_before = file_size(); }

  void remove_before(const Removable& what, std::optional<UtcTime> time) {
    if (!time) return;
    while (remove(what, time->time_since_epoch().count(), kRowsAtOnce) > 0) {
    }
  }

  /// A sixteenth at a time: sizes are known of pages only.
  void remove_oldest(const Removable& what, std::uint64_t bytes) {
    while (used_bytes() > bytes) {
      const std::int64_t there = database_.number(
          fmt::format("SELECT count(*) FROM {} WHERE {}", what.table, what.may_go));
      const std::int64_t most = std::min(1 + there / 16, kRowsAtOnce);
      if (remove(what, kEndOfTime, most) == 0) return;
    }
  }

  Pruned finish() {
    // Both give rows that nobody needs. The second waits for no reader.
    Statement(database_, "PRAGMA incremental_vacuum").run();
    Statement(database_, "PRAGMA wal_checkpoint(PASSIVE)").run();
    pruned_.bytes_after = file_size();
    return pruned_;
  }

 private:
  /// The oldest of before the time, so many at most; returns how many there were.
  std::int64_t remove(const Removable& what, std::int64_t before_ms, std::int64_t most) {
    Transaction transaction(database_);
    Statement(database_,
              fmt::format("DELETE FROM {0} WHERE {1} IN (SELECT {1} FROM {0} WHERE {2} AND {3} < ? "
                          "ORDER BY {4} LIMIT ?)",
                          what.table, what.key, what.may_go, what.time_ms, what.order))
        .bind(before_ms, most)
        .run();
    const std::int64_t removed = database_.getChanges();
    pruned_.*what.count += static_cast<std::uint64_t>(removed);
    transaction.commit();
    return removed;
  }

  [[nodiscard]] std::uint64_t used_bytes() const {
    const std::int64_t pages =
        database_.number("PRAGMA page_count") - database_.number("PRAGMA freelist_count");
    return static_cast<std::uint64_t>(pages * database_.number("PRAGMA page_size"));
  }
  [[nodiscard]] std::uint64_t file_size() const {
    return static_cast<std::uint64_t>(database_.number("PRAGMA page_count") *
                                      database_.number("PRAGMA page_size"));
  }

  Database& database_;
  Pruned pruned_;
};

}  // namespace

Pruned Store::prune(const Retention& retention) {
  Pruning pruning(state_->database);
  // What is captured of an observation goes first: it is found by the observation's time.
  pruning.remove_before(kCaptures, retention.observations_since);
  pruning.remove_before(kObservations, retention.observations_since);
  pruning.remove_before(kEvaluations, retention.evaluations_since);
  const std::uint64_t bytes = retention.bytes.value_or(std::numeric_limits<std::uint64_t>::max());
  for (const Removable* what : {&kCaptures, &kObservations, &kEvaluations}) {
    pruning.remove_oldest(*what, bytes);
  }
  return pruning.finish();
}

}  // namespace prescope
