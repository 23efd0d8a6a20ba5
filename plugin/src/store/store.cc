#include "store/store.h"

#include <utility>

#include "store/evaluation_rows.h"
#include "store/night_list.h"
#include "store/pin_rows.h"
#include "store/store_file.h"
#include "store/verdict_rows.h"

namespace prescope {

struct Store::State {
  Database database;

  /// What `call` returns, all of it as the file is at one moment.
  template <class Call>
  auto at_one_moment(const Call& call) {
    const Transaction transaction(database, "BEGIN");
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

Pruned Store::prune(const Retention& retention) { return prune_store(state_->database, retention); }

}  // namespace prescope
