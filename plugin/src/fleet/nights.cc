#include "fleet/nights.h"

#include <algorithm>
#include <thread>

#include "base/errors.h"
#include "base/random_bits.h"
#include "fleet/receipt.h"
#include "fleet/row_binary.h"

namespace prescope {

namespace {

using std::chrono::milliseconds;

/// Stands first in each change.
constexpr std::uint8_t kFormat = 2;

/// A change, and the change that began its attempt; 0: none.
struct Entry {
  StoreChange change{};
  std::uint64_t attempt = 0;
};

[[noreturn]] void refuse_row(std::string_view why) {
  throw bad_input_error(
      "a row of the fleet's table 'nights' {}; use the prescope that wrote it, or remove the row",
      why);
}

// A struct is encoded as its members, each list of which stands in a function `members`.
auto members(MustFind& one) { return std::tie(one.topic, one.docno); }
auto members(Pin& pin) { return std::tie(pin.name, pin.by, pin.why, pin.time, pin.must_find); }
auto members(Attempt& attempt) {
  return std::tie(attempt.time, attempt.baseline, attempt.source, attempt.reason);
}
auto members(QrelsVersion& qrels) {
  return std::tie(qrels.hash, qrels.topics, qrels.judgements, qrels.relevant, qrels.docno,
                  qrels.min_grade);
}
auto members(IndexPassport::Field& field) { return std::tie(field.name, field.documents); }
auto members(IndexPassport& passport) {
  return std::tie(passport.analyzer, passport.fields, passport.checksum);
}
auto members(IndexVersion& index) {
  return std::tie(index.engine, index.engine_version, index.path, index.documents,
                  index.judged_found, index.passport);
}
auto members(Condition& condition) { return std::tie(condition.name, condition.value); }
auto members(DocumentSample& sample) {
  return std::tie(sample.docno, sample.stored, sample.searched);
}
auto members(DocnoHint& hint) {
  return std::tie(hint.policy, hint.judged, hint.matched, hint.would_match);
}
auto members(EvaluationRecord::Found& found) { return std::tie(found.docno, found.rank); }
auto members(EvaluationRecord::Topic& topic) {
  return std::tie(topic.id, topic.num_rel, topic.num_ret, topic.duplicates, topic.served,
                  topic.found, topic.latency, topic.text, topic.family);
}
auto members(EvaluationRecord& record) {
  return std::tie(record.arm, record.source, record.config, record.time, record.qrels, record.index,
                  record.depth, record.measures, record.topics, record.latency, record.docno_hint,
                  record.missing, record.conditions, record.samples);
}
auto members(GateVerdict::Rule& rule) { return std::tie(rule.id, rule.status, rule.reason); }
auto members(GateVerdict::MeasureResult& result) {
  return std::tie(result.measure, result.margin, result.topics, result.baseline, result.tonight,
                  result.difference, result.low, result.high, result.wins, result.ties,
                  result.losses, result.status);
}
/// These members of a verdict are stored.
auto members(GateVerdict& verdict) {
  return std::tie(verdict.outcome, verdict.rules, verdict.measures, verdict.baseline.name,
                  verdict.baseline.number);
}
auto members(Entry& entry) {
  StoreChange& change = entry.change;
  return std::tie(change.record, change.evaluation, change.pin, change.verdict, change.attempt,
                  entry.attempt);
}

// The last value of each enumeration: a higher one is refused.
constexpr DocnoPolicy last_of(DocnoPolicy) { return DocnoPolicy::kFamily; }
constexpr GateOutcome last_of(GateOutcome) { return GateOutcome::kBadInput; }
constexpr GateVerdict::Status last_of(GateVerdict::Status) {
  return GateVerdict::Status::kBadInput;
}

/// Appends a value of a change; append_value encodes what is no struct, list or optional value.
template <class Value>
void encode(std::string& bytes, Value& value) {
  if constexpr (requires { members(value); }) {
    std::apply([&](auto&... each) { (encode(bytes, each), ...); }, members(value));
  } else if constexpr (std::is_enum_v<Value>) {
    append_value(bytes, static_cast<std::uint8_t>(value));
  } else if constexpr (std::same_as<Value, Measure>) {
    append_value(bytes, value.name());
  } else if constexpr (requires { value.has_value(); }) {
    append_value(bytes, value.has_value());
    if (value) encode(bytes, *value);
  } else if constexpr (requires { value.emplace_back(value.front()); }) {
    append_varint(bytes, value.size());
    for (auto& each : value) encode(bytes, each);
  } else {
    append_value(bytes, value);
  }
}

/// Returns a value to decode into.
template <class Value>
Value made() {
  if constexpr (std::same_as<Value, Measure>) {
    return Measure::parse("AP");
  } else if constexpr (std::same_as<Value, GateVerdict::MeasureResult>) {
    return {.measure = made<Measure>()};
  } else {
    return Value{};
  }
}

/// Reads what `encode` appends.
template <class Value>
void decode(RowBinaryReader& bytes, Value& value) {
  if constexpr (requires { members(value); }) {
    std::apply([&](auto&... each) { (decode(bytes, each), ...); }, members(value));
  } else if constexpr (std::is_enum_v<Value>) {
    const auto number = bytes.number<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(last_of(value))) refuse_row("has an unknown value");
    value = static_cast<Value>(number);
  } else if constexpr (std::same_as<Value, Measure>) {
    value = Measure::parse(bytes.text());
  } else if constexpr (std::same_as<Value, LatencySketch>) {
    auto sketch = LatencySketch::from_bytes(bytes.text());
    if (!sketch) refuse_row("has a latency that is none");
    value = *std::move(sketch);
  } else if constexpr (requires { value.has_value(); }) {
    value.reset();
    const bool is_there = bytes.number<std::uint8_t>() != 0;
    if (is_there) decode(bytes, value.emplace(made<typename Value::value_type>()));
  } else if constexpr (requires { value.emplace_back(value.front()); }) {
    for (std::uint64_t left = bytes.length(); left > 0; --left) {
      decode(bytes, value.emplace_back(made<typename Value::value_type>()));
    }
  } else {
    read_value(bytes, value);
  }
}

std::string encoded(Entry entry) {
  std::string bytes;
  append_value(bytes, kFormat);
  encode(bytes, entry);
  return bytes;
}

Entry decoded(std::string_view bytes) {
  RowBinaryReader reader(bytes);
  if (reader.number<std::uint8_t>() != kFormat)
    refuse_row("was written by another version of prescope");
  Entry entry;
  decode(reader, entry);
  return entry;
}

/// Another machine has added an evaluation of the same number.
struct NumberTaken {};

}  // namespace

FleetNights::FleetNights(FleetAddress address, Patience patience)
    : Store(open_store_file(address.text, Access::kMemory)),
      fleet_(std::move(address)),
      patience_(patience) {
  patiently(patience_, [this] { catch_up(); });
}

void FleetNights::catch_up() {
  FleetRows row(fleet_,
                "SELECT id, number, place, change FROM {}.nights FINAL WHERE place >= {} "
                "ORDER BY place, id",
                fleet_.address().database, place_);
  std::uint64_t id = 0, place = 0;
  std::int64_t number = 0;
  std::string_view bytes;
  while (row.next(id, number, place, bytes)) {
    place_ = std::max(place_, place);
    if (!ids_.contains(id)) replay(id, number, bytes);
  }
}

void FleetNights::replay(std::uint64_t id, std::int64_t number, std::string_view bytes) {
  Entry entry = decoded(bytes);
  StoreChange& change = entry.change;
  // A machine that was killed may have left two evaluations of one number.
  if (change.record)
    change.evaluation = numbers_.contains(number) ? *numbers_.rbegin() + 1 : number;
  const auto attempt = attempts_.find(entry.attempt);
  if (attempt != attempts_.end()) change.attempt_number = attempt->second;
  Store::apply(change);
  note(id, change);
}

void FleetNights::note(std::uint64_t id, const StoreChange& change) {
  ids_.insert(id);
  if (change.record) numbers_.insert(change.evaluation);
  if (!change.attempt_number) return;
  if (change.attempt) {
    attempts_.emplace(id, *change.attempt_number);
  } else {
    std::erase_if(attempts_, [&](const auto& one) { return one.second == change.attempt_number; });
  }
}

void FleetNights::publish(std::uint64_t id, const StoreChange& change, const std::string& bytes) {
  std::string row;
  append_row(row, id, change.record ? change.evaluation : 0, place_ + 1, bytes);
  const std::string condition = fmt::format("id = {} AND place = {}", id, place_ + 1);
  patiently(patience_, [&] { insert_rows(fleet_, kNightsTable, row, condition); });
  if (!change.record) return;
  std::uint64_t others = 0;
  patiently(patience_, [&] {
    FleetRows(fleet_,
              "SELECT toUInt64(count()) FROM {}.nights FINAL WHERE number = {} AND id != {}",
              fleet_.address().database, change.evaluation, id)
        .read(others);
  });
  if (others > 0) throw NumberTaken();
}

void FleetNights::apply(StoreChange& given) {
  const std::uint64_t id = random_bits();
  ids_.insert(id);
  while (true) {
    patiently(patience_, [this] { catch_up(); });
    Entry entry{.change = given};
    StoreChange& change = entry.change;
    if (change.record) change.evaluation = numbers_.empty() ? 1 : *numbers_.rbegin() + 1;
    for (const auto& [began, number] : attempts_) {
      if (number == change.attempt_number) entry.attempt = began;
    }
    const std::string bytes = encoded(entry);
    try {
      Store::apply(change, [&] { publish(id, change, bytes); });
      note(id, change);
      given = std::move(change);
      return;
    } catch (const NumberTaken&) {
      // The other's row may have a place that was read before it came.
      numbers_.insert(change.evaluation);
      // Both may have seen the other, and wait differently long.
      std::this_thread::sleep_for(milliseconds(random_bits() % 300));
    }
  }
}

std::unique_ptr<Store> open_nights(const std::string& store, Store::Access access) {
  if (!is_fleet_url(store)) return std::make_unique<Store>(Store::open(store, access));
  const bool only_reads = access == Store::Access::kRead;
  const std::chrono::seconds patience(only_reads ? 0 : 30);
  return std::make_unique<FleetNights>(parse_fleet_url(store), patience);
}

std::string nights_name(const std::string& store) {
  return is_fleet_url(store) ? parse_fleet_url(store).text : store;
}

}  // namespace prescope
